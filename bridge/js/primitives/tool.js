/** Selection of the right tool. */
import { untilStopped } from './until.js'

/** @import { Block, Item } from '../types.d.ts' */

/**
 * Equip the bot's fastest tool for a block.
 * @param {import('./index.js').Context} context @param {Block} block
 */
export async function equipToolFor({ bot, signal }, block) {
  const usable = bot.inventory
    .items()
    .filter((item) => !block.harvestTools || block.harvestTools[item.type])
  if (block.harvestTools && !usable.length) {
    const tools = Object.keys(block.harvestTools).map((id) => bot.registry.items[Number(id)].name)
    throw new Error(`${block.name} drops nothing without one of: ${tools.join(', ')}`)
  }
  const speed = (/** @type {Item | null} */ item) =>
    block.digTime(item?.type ?? null, false, false, false)
  const best = usable.reduce(
    (/** @type {Item | null} */ a, b) => (speed(b) < speed(a) ? b : a),
    block.harvestTools ? usable[0] : null
  )
  if (!best || bot.heldItem?.type === best.type) return
  await untilStopped(signal, bot.equip(best, 'hand'))
}
