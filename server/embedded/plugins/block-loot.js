/** What a block that stands in the world drops when it breaks: its loot, and shulker boxes with what is in them. */
import { Item, itemNamed, nbt, registry } from '../minecraft.js'
import { tagOfItem, compounds } from '../items.js'
import { BOX } from './containers.js'
import { lootOf } from './loot.js'

/** @import { BlockKind, ItemTag, Server, Vec3 } from '../types.d.ts' */

/** What is good enough a tool for a block, as vanilla asks for none where nobody digs. @param {BlockKind} block */
function anyTool({ harvestTools }) {
  const [tool] = Object.keys(harvestTools ?? {})
  return tool === undefined ? null : new Item(Number(tool), 1)
}

/**
 * @param {Server} serv @param {Vec3} position where it still stands @param {number} state
 * @param {Item | null} [tool] in the hand of who digs it; left out where nobody does
 * @returns {Item[]} what it drops; a box that was packed up is empty then
 */
export function lootAt(serv, position, state, tool) {
  const block = registry.blocksByStateId[state]
  const packed = packUp(serv, position, block)
  if (packed) return [packed]
  const loot = lootOf(serv, block, state, tool === undefined ? anyTool(block) : tool)
  return loot.map(({ name, count }) => itemNamed(name, count))
}

/** A shulker box with what is in it; null for others and for empty ones. @param {Server} serv @param {Vec3} position @param {BlockKind} block @returns {Item | null} */
export function packUp(serv, position, block) {
  const container = BOX.test(block.name) ? serv.containerAt(position) : null
  if (!container?.store.slots.some(Boolean)) return null
  const items = container.store.slots.flatMap((item, slot) => (item ? [tagOfItem(item, slot)] : []))
  serv.emptyContainer(position)
  const value = { BlockEntityTag: nbt.comp({ Items: compounds(items) }) }
  const tag = /** @type {ItemTag} */ (
    /** @type {unknown} */ ({ type: 'compound', name: '', value })
  )
  return new Item(registry.itemsByName[block.name].id, 1, 0, tag)
}
