/** Blocks that react to a click, so that no block can be placed against them. */
import { createRequire } from 'node:module'

/** @import { Bot, Position } from './types.d.ts' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Blocks that a click opens or switches, unless the player sneaks. */
export const USED =
  /chest|barrel|furnace|smoker|shulker|hopper|crafting_table|anvil|dispenser|dropper|_door$|_gate$|trapdoor|_button$|lever|_bed$|_sign$|table$|stonecutter|loom|grindstone|lectern|bell|beacon|note_block|jukebox|repeater|comparator/

/**
 * Return true if a click at a position opens or switches the block there.
 * @param {Bot} bot @param {Position} [place]
 */
export function opens(bot, place) {
  const block = place && bot.blockAt(new Vec3(place.x, place.y, place.z))
  return Boolean(block && USED.test(block.name))
}
