/** Breaking: a block goes, drops what its loot says once, and wears the tool. */
import { itemNamed, registry, Vec3 } from '../minecraft.js'
import { lootAt, packUp } from './block-loot.js'
import { propertiesOf, stateAt } from './blocks.js'
import { lootOf } from './loot.js'

/** @import { Item, Player, Server } from '../types.d.ts' */

/** Tools that digging wears, and by how much; swords wear double. */
const WEARS = /_(pickaxe|axe|shovel|hoe|sword)$|^shears$/
const DIG_EXHAUSTION = 0.005
/** Who breaks a block is not told so: its client has seen it. */
const BROKEN_EVENT = 2001
const SEEN_WITHIN = 64
/** @type {Record<string, Vec3>} */
const OTHER_HALF = { lower: new Vec3(0, 1, 0), upper: new Vec3(0, -1, 0) }
/** @type {Record<string, Vec3>} */
const BED_STEP = {
  north: new Vec3(0, 0, -1),
  south: new Vec3(0, 0, 1),
  west: new Vec3(-1, 0, 0),
  east: new Vec3(1, 0, 0)
}

/** @param {Server} serv @param {Player} player @param {Vec3} position @param {number} state @param {{drop: boolean}} options */
export function breakBlock(serv, player, position, state, { drop }) {
  const block = registry.blocksByStateId[state]
  const tool = player.heldItem
  const centre = position.offset(0.5, 0.25, 0.5)
  serv.send(
    serv.getNearby({ position, radius: SEEN_WITHIN }).filter((other) => other !== player),
    'world_event',
    { effectId: BROKEN_EVENT, location: position, data: state, global: false }
  )
  const drops = spoils(serv, position, state, { drop, tool })
  serv.setBlock(position, 0)
  breakOtherHalf(serv, position, state)
  for (const item of drops) serv.dropItem(item, centre)
  if (drop && block.hardness > 0 && tool && WEARS.test(tool.name)) {
    player.wearTool(tool.name.endsWith('_sword') ? 2 : 1)
  }
  if (drop) player.tire(DIG_EXHAUSTION)
  serv.emit('blockDug', player, position, block)
}

/** In creative mode, too, a box that holds anything is left. @param {Server} serv @param {Vec3} position @param {number} state @param {{drop: boolean, tool: Item | null}} how */
function spoils(serv, position, state, { drop, tool }) {
  if (drop) return serv.gamerules.doTileDrops ? lootAt(serv, position, state, tool) : []
  const packed = packUp(serv, position, registry.blocksByStateId[state])
  return packed ? [packed] : []
}

/** Doors and beds go as a whole. @param {Server} serv @param {Vec3} position @param {number} state */
function breakOtherHalf(serv, position, state) {
  const block = registry.blocksByStateId[state]
  const { half, part, facing } = propertiesOf(state)
  const step = OTHER_HALF[half] ?? (part && BED_STEP[facing]?.scaled(part === 'foot' ? 1 : -1))
  if (!step || !/_(door|bed)$/.test(block.name)) return
  const other = position.plus(step)
  const otherState = stateAt(serv.overworld, other)
  if (registry.blocksByStateId[otherState] !== block) return
  serv.setBlock(other, 0)
  const drops = serv.gamerules.doTileDrops ? lootOf(serv, block, otherState, null) : []
  for (const { name, count } of drops)
    serv.dropItem(itemNamed(name, count), position.offset(0.5, 0.25, 0.5))
}
