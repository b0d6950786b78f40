/** Time: the server's ticks, how late they start, and the day that they make. */

const TICK_MS = 50
/** A server that fell behind catches up this much, then lets the rest go. */
const MOST_BEHIND_TICKS = 40
const DAY_TICKS = 24_000
const TELL_TICKS = 20
const KEPT_TICKS = 6000 // five minutes

/** @param {any} serv */
export function server(serv) {
  serv.tickCount = 0
  serv.time = 1000
  serv.day = 0
  /** How late the last ticks started, and how long they took, in milliseconds. @type {number[]} */
  serv.tickDelays = []
  /** @type {number[]} */
  serv.tickTimes = []
  serv.skippedTicks = 0

  let due = performance.now() + TICK_MS
  /** @type {NodeJS.Timeout} */
  let timer

  function tick() {
    const now = performance.now()
    serv.tickDelays[serv.tickCount % KEPT_TICKS] = Math.max(0, now - due)
    due += TICK_MS
    if (now - due > MOST_BEHIND_TICKS * TICK_MS) {
      serv.skippedTicks += Math.floor((now - due) / TICK_MS)
      due = now
    }
    serv.tickCount += 1
    try {
      serv.emit('tick', TICK_MS / 1000, serv.tickCount)
      serv.emit('tickEnd')
    } catch (error) {
      serv.err(error)
    }
    serv.tickTimes[(serv.tickCount - 1) % KEPT_TICKS] = performance.now() - now
    timer = setTimeout(tick, Math.max(0, due - performance.now()))
  }

  /** @param {number[]} ring @param {number} count @returns {number[]} the newest */
  serv.lastTicks = (ring, count) =>
    Array.from(
      { length: Math.min(count, ring.length) },
      (_, back) => ring[(serv.tickCount - 1 - back + KEPT_TICKS) % KEPT_TICKS]
    ).filter((value) => value !== undefined)

  serv.once('pluginsReady', () => {
    due = performance.now() + TICK_MS
    timer = setTimeout(tick, TICK_MS)
  })
  serv.stopTicks = () => clearTimeout(timer)

  serv.on('tick', () => {
    if (serv.gamerules.doDaylightCycle) {
      serv.time += 1
      if (serv.time >= DAY_TICKS) {
        serv.time = 0
        serv.day += 1
      }
    }
    if (serv.tickCount % TELL_TICKS === 0) serv.tellTime(serv.players)
  })

  /** @param {any[]} players */
  serv.tellTime = (players) => {
    // A negative time of day tells the client that it stands still.
    const time = serv.gamerules.doDaylightCycle ? serv.time : -Math.max(1, serv.time)
    serv.send(players, 'update_time', { age: BigInt(serv.tickCount), time: BigInt(time) })
  }

  serv.setTime = (/** @type {number} */ time) => {
    serv.time = ((time % DAY_TICKS) + DAY_TICKS) % DAY_TICKS
    serv.tellTime(serv.players)
  }
}
