/** Time: the server's ticks, how late they start, and the day that they make. */

const TICK_MS = 50
/** A server that fell behind catches up this much, then lets the rest go. */
const MOST_BEHIND_TICKS = 40
const DAY_TICKS = 24_000
const TELL_TICKS = 20
const KEPT_DELAYS = 2400 // two minutes

/** @param {any} serv */
export function server(serv) {
  serv.tickCount = 0
  serv.time = 1000
  serv.day = 0
  /** Delays of the last ticks in milliseconds, for the benchmark and `--speed auto`. @type {number[]} */
  serv.tickDelays = []

  let due = performance.now() + TICK_MS
  /** @type {NodeJS.Timeout} */
  let timer

  function tick() {
    const now = performance.now()
    noteDelay(now - due)
    due += TICK_MS
    if (now - due > MOST_BEHIND_TICKS * TICK_MS) due = now
    serv.tickCount += 1
    try {
      serv.emit('tick', TICK_MS / 1000, serv.tickCount)
    } catch (error) {
      serv.err(error)
    }
    timer = setTimeout(tick, Math.max(0, due - performance.now()))
  }

  /** @param {number} delay */
  function noteDelay(delay) {
    serv.tickDelays[serv.tickCount % KEPT_DELAYS] = Math.max(0, delay)
  }

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
