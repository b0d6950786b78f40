/** Ticks: the server's beat, twenty a second, and how late each one starts. */
import { getSpeed, now, wall } from '@voxpolis/clock'

/** @import { Server } from '../types/index.d.ts' */

/** From one tick to the next, in the game's time. */
export const TICK_MS = 50
/** A server that fell behind catches up this much, then lets the rest go. */
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

  /** Tells of a fault in a tick, of the same one only so often. @param {unknown} error */
  function tell(error) {
    const count = (told.get(String(error)) ?? 0) + 1
    if (count <= MOST_TOLD && told.size < MOST_KINDS) serv.err(error)
    if (told.size < MOST_KINDS) told.set(String(error), count)
  }

  /** What is wrong in one rule costs no other rule its tick. @param {string} event @param {...number} figures */
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

  /** The newest so many of a ring of figures a tick. */
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
