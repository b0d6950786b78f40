/** Blocks that others are digging right now, as the server shows them crack. */

/** @import { Bot, Vec3 } from './types.d.ts' */

/** A crack that has not grown for so long is nobody's work any more. */
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

/** Whether somebody else is digging there. @param {Bot} bot @param {Vec3} position */
export function isReserved(bot, position) {
  const since = reservations.get(bot)?.get(String(position))
  return since !== undefined && Date.now() - since < STALE_MS
}
