/** Blocks that other players are digging now, recognized by the cracks that the server shows. */

/** @import { Bot, Vec3 } from './types.d.ts' */

/** A dig whose crack has not grown for this long counts as abandoned. */
const STALE_MS = 3_000

/** @type {WeakMap<object, Map<string, number>>} */
const reservations = new WeakMap()

/** @param {Bot} bot */
export function watchReservations(bot) {
  /** @type {Map<string, number>} */
  const mine = new Map()
  reservations.set(bot, mine)
  bot.on('blockBreakProgressObserved', (block, _stage, who) => {
    if (block && who !== bot.entity) mine.set(String(block.position), Date.now())
  })
  bot.on('blockBreakProgressEnd', (block) => {
    if (block) mine.delete(String(block.position))
  })
}

/** Return true if another player is digging there. @param {Bot} bot @param {Vec3} position */
export function isReserved(bot, position) {
  const since = reservations.get(bot)?.get(String(position))
  return since !== undefined && Date.now() - since < STALE_MS
}
