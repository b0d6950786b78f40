/** Merging: dropped items of a kind that lie together become one stack. */
import { copyOf, isSameKind } from '../windows/store.js'
import { cellOf, grouped } from './drop-cells.js'

/** @import { Drop, Item, Server } from '../types.d.ts' */

const MERGE = { blocks: 0.75, blocksUp: 0.5 }

/** @param {Server} serv */
export function mergeDrops(serv) {
  const still = [...serv.drops.values()].filter((drop) => drop.onGround)
  const groups = grouped(still, (drop) => `${cellOf(drop.position)} ${drop.item.type}`)
  for (const group of groups.values()) if (group.length > 1) mergeGroup(serv, group)
}

/** @param {Server} serv @param {Drop[]} group of one kind in one cell */
function mergeGroup(serv, group) {
  for (const [index, keeper] of group.entries()) {
    for (const other of group.slice(index + 1)) {
      const isHere = serv.drops.has(keeper.id) && serv.drops.has(other.id)
      const count = keeper.item.count + other.item.count
      if (!isHere || count > keeper.item.stackSize || !isClose(keeper, other)) continue
      if (!isSameKind(keeper.item, other.item)) continue
      serv.changeDrop(keeper, /** @type {Item} */ (copyOf(keeper.item, count)))
      keeper.ageTicks = Math.min(keeper.ageTicks, other.ageTicks)
      keeper.pickupTicks = Math.max(keeper.pickupTicks, other.pickupTicks)
      serv.removeDrop(other)
    }
  }
}

/** @param {Drop} a @param {Drop} b */
const isClose = (a, b) =>
  Math.abs(a.position.x - b.position.x) <= MERGE.blocks &&
  Math.abs(a.position.z - b.position.z) <= MERGE.blocks &&
  Math.abs(a.position.y - b.position.y) <= MERGE.blocksUp
