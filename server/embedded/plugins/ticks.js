/** Ticks: the server's beat, twenty a second, and how late each one starts. */

/** @import { Server } from '../types.d.ts' */

const TICK_MS = 50
/** A server that fell behind catches up this much, then lets the rest go. */
const MOST_BEHIND_TICKS = 40
const KEPT_TICKS = 6000 // five minutes

/** @param {Server} serv */
export function server(serv) {
  serv.tickCount = 0
  serv.tickDelays = []
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

  /** The newest so many of a ring of figures a tick. */
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
}
