/**
 * Using items on blocks: opening, placing, and tools.
 *
 * Check and change happen in one step: an item is used up if and only if its block is placed.
 */
import { registry, Vec3 } from '../minecraft/index.js'
import { blockAt, FACES, propertiesOf, stateAt, stateLike, isSolid } from './blocks.js'
import { DIRECTIONS, stateFor } from './orientation.js'
import { CREATIVE, SPECTATOR, SURVIVAL } from '../players/game-modes.js'

/** @import { BlockKind, BlockPlace, Entity, Item, Player, Server, Tag, UseBlock, UseItem } from '../types/index.d.ts' */

const REACH_BLOCKS = 6
const BUILDING_MODES = [SURVIVAL, CREATIVE]

/** Items whose block has another name. @type {Record<string, string>} */
const BLOCK_OF_ITEM = {
  wheat_seeds: 'wheat',
  beetroot_seeds: 'beetroots',
  melon_seeds: 'melon_stem',
  pumpkin_seeds: 'pumpkin_stem',
  carrot: 'carrots',
  potato: 'potatoes',
  redstone: 'redstone_wire',
  string: 'tripwire',
  sweet_berries: 'sweet_berry_bush',
  water_bucket: 'water',
  lava_bucket: 'lava'
}

/** Blocks that become a different block when placed on a wall. */
const ON_WALL = /^(.*?)_?(torch|sign|banner)$/

/** Blocks that a placed block may replace. */
const REPLACEABLE =
  /^(air|cave_air|void_air|water|lava|grass|short_grass|tall_grass|fern|large_fern|dead_bush|seagrass|tall_seagrass|vine|fire|snow|light|glow_lichen)$/

/** Things that prevent placing a block; orbs, arrows and frames do not. */
const BULKY = /^(armor_stand|end_crystal|falling_block|tnt|(chest_)?boat|(\w+_)?minecart)$/

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<string, UseBlock>} */
  const handlers = new Map()

  /** Call the handler when one of these blocks is used; it returns true if it has handled the use. */
  serv.onUseBlock = (names, handler) => {
    for (const name of names) handlers.set(name, handler)
  }

  /** @type {Map<string, UseItem>} */
  const itemHandlers = new Map()
  serv.onUseItem = (name, handler) => void itemHandlers.set(name, handler)
  serv.useItemOn = (player, position, packet) =>
    itemHandlers.get(player.heldItem?.name ?? '')?.(player, position, packet) ?? false

  serv.useBlock = (player, position) =>
    handlers.get(blockAt(serv, position)?.name)?.(player, position) ?? false
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player._client.on('block_place', (packet) => {
    const position = new Vec3(packet.location.x, packet.location.y, packet.location.z)
    const face = FACES[packet.direction]
    if (face && !player.isDead && player.canReach(position)) useOn(serv, player, position, packet)
    player._client.write('acknowledge_player_digging', { sequenceId: packet.sequence ?? 0 })
    // As in vanilla, send the clicked block and its neighbour, so that a client can tell a refusal
    // from no answer.
    serv.sendBlock(player, position)
    if (face) serv.sendBlock(player, position.plus(face))
  })

  player.canReach = (position) => {
    const eye = player.position.offset(0, 1.62, 0)
    return eye.distanceTo(position.offset(0.5, 0.5, 0.5)) <= REACH_BLOCKS
  }
}

/** @param {Server} serv @param {Player} player @param {Vec3} position @param {BlockPlace} packet */
function useOn(serv, player, position, packet) {
  const { heldItem: item, gameMode } = player
  const isSneaking = player.crouching && item
  if (!isSneaking && gameMode !== SPECTATOR && serv.useBlock(player, position)) return
  if (!BUILDING_MODES.includes(gameMode) || packet.hand !== 0 || !item) return
  if (useTool(serv, player, item, position)) return
  if (serv.useItemOn(player, position, packet)) return
  const target = isReplaceable(serv, position) ? position : position.plus(FACES[packet.direction])
  placeHeld(serv, player, item, target, packet)
}

/** Return true if a block may be placed there. @param {Server} serv @param {Vec3} position */
export const isReplaceable = (serv, position) =>
  REPLACEABLE.test(blockAt(serv, position)?.name ?? 'air')

/**
 * @param {Server} serv @param {Player} player @param {Item} item @param {Vec3} target
 * @param {BlockPlace} packet
 */
function placeHeld(serv, player, item, target, packet) {
  const block = blockFor(item.name, DIRECTIONS[packet.direction])
  const column = serv.columnAt(target.x >> 4, target.z >> 4)
  const isInside = target.y >= column.minY && target.y < column.minY + column.worldHeight
  if (!block || !isInside || !isReplaceable(serv, target)) return
  if (block.boundingBox === 'block' && isOccupied(serv, target)) return
  const state = stateFor(player, block, packet, blockAt(serv, target)?.name)
  if (!serv.hasSupport(target, state)) return
  const second = secondHalf(block, state, target)
  if (second && !isReplaceable(serv, second.position)) return
  const isBucket = item.name.endsWith('_bucket')
  if (isBucket) player.exchangeHeld('bucket')
  else player.useUpHeld()
  serv.emit('itemUsed', player, item)
  if (isBucket) player.pouredTick = serv.tickCount
  serv.setBlock(target, state)
  if (second) serv.setBlock(second.position, second.state)
  const tag = /** @type {Tag | undefined} */ (item.nbt?.value.BlockEntityTag)
  if (tag) serv.setBlockData(target, tag)
  if (!player.crouching) joinChest(serv, block, state, target)
  serv.emit('blockPlaced', player, target, state)
}

/**
 * Return the block that an item is placed as, if any.
 * @param {string} item @param {string} face that was clicked
 */
function blockFor(item, face) {
  const name = BLOCK_OF_ITEM[item] ?? item
  const match = name.match(ON_WALL)
  const isSide = face !== 'up' && face !== 'down'
  const onWall = match && isSide ? `${match[1] ? `${match[1]}_` : ''}wall_${match[2]}` : null
  return registry.blocksByName[onWall ?? name] ?? registry.blocksByName[name]
}

/**
 * Return true for entities that block placing: living ones and a few things, as in vanilla.
 * @param {Entity} entity
 */
function isInTheWay(entity) {
  if (entity.type === 'player') return entity.gameMode !== SPECTATOR
  return (
    entity.type === 'mob' ||
    (entity.type === 'thing' && entity.width > 0 && BULKY.test(entity.name))
  )
}

/** Return true if a body is in the way. @param {Server} serv @param {Vec3} target */
function isOccupied(serv, target) {
  return Object.values(serv.entities).some(
    (entity) =>
      isInTheWay(entity) &&
      Math.abs(entity.position.x - target.x - 0.5) < 0.5 + entity.width / 2 - 1e-3 &&
      Math.abs(entity.position.z - target.z - 0.5) < 0.5 + entity.width / 2 - 1e-3 &&
      entity.position.y < target.y + 1 - 1e-3 &&
      entity.position.y + entity.height > target.y + 1e-3
  )
}

// Halves: doors and beds consist of two blocks, and two single chests form a double one.

/**
 * Return the other half of a door or bed.
 * @param {BlockKind} block @param {number} state @param {Vec3} target
 */
function secondHalf(block, state, target) {
  const properties = propertiesOf(state)
  if (block.name.endsWith('_door')) {
    const position = target.offset(0, 1, 0)
    return { position, state: stateLike(block, { ...properties, half: 'upper' }) }
  }
  if (block.name.endsWith('_bed')) {
    const position = target.plus(FACES[DIRECTIONS.indexOf(properties.facing)])
    return { position, state: stateLike(block, { ...properties, part: 'head' }) }
  }
  return null
}

/**
 * Join a chest with a single chest next to it.
 * @param {Server} serv @param {BlockKind} block @param {number} state @param {Vec3} target
 */
function joinChest(serv, block, state, target) {
  if (!/^(chest|trapped_chest)$/.test(block.name)) return
  const { facing } = propertiesOf(state)
  const right = FACES[DIRECTIONS.indexOf(facing)] // turned by 90°: (x, z) → (-z, x)
  const step = new Vec3(-right.z, 0, right.x)
  for (const { side, type, other } of [
    { side: step, type: 'left', other: 'right' },
    { side: step.scaled(-1), type: 'right', other: 'left' }
  ]) {
    const position = target.plus(side)
    const neighbour = stateAt(serv.overworld, position)
    const theirs = propertiesOf(neighbour)
    const isSingle = registry.blocksByStateId[neighbour] === block && theirs.type === 'single'
    if (!isSingle || theirs.facing !== facing) continue
    serv.setBlock(target, stateLike(block, { ...propertiesOf(state), type }))
    serv.setBlock(position, stateLike(block, { ...theirs, type: other }))
    return
  }
}

// Tools on blocks: hoes till, shovels make paths, axes strip.

/**
 * @param {Server} serv @param {Player} player @param {Item} tool in its hand @param {Vec3} position
 * @returns {boolean} true if it had an effect
 */
function useTool(serv, player, tool, position) {
  const { name: block } = blockAt(serv, position)
  const isOpen = !isSolid(serv, position.offset(0, 1, 0))
  const into = blockMadeBy(tool.name, block, isOpen)
  if (!into || block.startsWith('stripped_')) return false
  const { axis } = propertiesOf(stateAt(serv.overworld, position))
  const kind = registry.blocksByName[into]
  serv.setBlock(position, axis ? stateLike(kind, { axis }) : kind.defaultState)
  player.wearTool(1)
  return true
}

/**
 * Return what a tool turns a block into, or null.
 * @param {string} tool @param {string} block @param {boolean} isOpen true if the cell above is free
 */
function blockMadeBy(tool, block, isOpen) {
  if (tool.endsWith('_hoe')) {
    return isOpen && /^(dirt|grass_block|dirt_path)$/.test(block) ? 'farmland' : null
  }
  if (tool.endsWith('_shovel')) {
    return isOpen && /^(dirt|grass_block)$/.test(block) ? 'dirt_path' : null
  }
  const isAxe = tool.endsWith('_axe') && !tool.endsWith('pickaxe')
  return isAxe && /_(log|wood)$/.test(block) ? `stripped_${block}` : null
}
