/** Ticks: twenty per second of game time, and the lateness of each. */
import { getSpeed, now, wall } from '@voxpolis/clock'

/** @import { Server } from '../types/index.d.ts' */

/** Length of a tick in game time. */
export const TICK_MS = 50
/** Maximum number of ticks that a server makes up for after a stall; it drops the rest. */
const MOST_BEHIND_TICKS = 40
const KEPT_TICKS = 6000 // five minutes
const MOST_TOLD = 20
const MOST_KINDS = 100

/** @param {Server} serv */
export function server(serv) {
  serv.tickCount = 0
  serv.tickDelays = []
  serv.tickTimes = []
  serv.tickWalls = []
  serv.skippedTicks = 0

  serv.nextTick = now() + TICK_MS
  /** @type {NodeJS.Timeout} */
  let timer

  /** @type {Map<string, number>} */
  const told = new Map()

  /** Log an error in a tick; the same error only at intervals. @param {unknown} error */
  function tell(error) {
    const count = (told.get(String(error)) ?? 0) + 1
    if (count <= MOST_TOLD && told.size < MOST_KINDS) serv.err(error)
    if (told.size < MOST_KINDS) told.set(String(error), count)
  }

  /**
   * Emit an event; an error in one listener does not stop the others.
   * @param {string} event @param {...number} figures
   */
  function tellAll(event, ...figures) {
    const rules = /** @type {((...figures: number[]) => void)[]} */ (serv.rawListeners(event))
    for (const rule of rules) {
      try {
        rule.apply(serv, figures)
      } catch (error) {
        tell(error)
      }
    }
  }

  function tick() {
    const began = now()
    const at = serv.tickCount % KEPT_TICKS
    serv.tickWalls[at] = wall.performanceNow()
    serv.tickDelays[at] = Math.max(0, began - serv.nextTick)
    serv.nextTick += TICK_MS
    if (began - serv.nextTick > MOST_BEHIND_TICKS * TICK_MS) {
      serv.skippedTicks += Math.floor((began - serv.nextTick) / TICK_MS)
      serv.nextTick = began
    }
    serv.tickCount += 1
    tellAll('tick', TICK_MS / 1000, serv.tickCount)
    tellAll('tickEnd')
    serv.tickTimes[at] = (wall.performanceNow() - serv.tickWalls[at]) * getSpeed()
    timer = setTimeout(tick, Math.max(0, serv.nextTick - now()))
  }

  /** Return the newest values from a ring buffer with figures per tick. */
  serv.lastTicks = (ring, count) =>
    Array.from(
      { length: Math.min(count, ring.length) },
      (_, back) => ring[(serv.tickCount - 1 - back + KEPT_TICKS) % KEPT_TICKS]
    ).filter((value) => value !== undefined)

  serv.once('pluginsReady', () => {
    serv.nextTick = now() + TICK_MS
    timer = setTimeout(tick, TICK_MS)
  })
  serv.stopTicks = () => clearTimeout(timer)
}
