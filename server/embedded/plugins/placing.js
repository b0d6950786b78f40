/**
 * Using items on blocks: opening what can be opened, and placing what is in the hand.
 *
 * The check and the change are one step: an item is used up exactly when its block is placed.
 */
import { registry, Vec3 } from '../minecraft.js'
import { blockAt, FACES, isSolid, propertiesOf, stateAt, stateLike } from './blocks.js'

const REACH_BLOCKS = 6
const BUILDING_MODES = [0, 1]
const DIRECTIONS = ['down', 'up', 'north', 'south', 'west', 'east']
const HORIZONTAL = ['south', 'west', 'north', 'east'] // by yaw / 90°
const OPPOSITE = {
  north: 'south',
  south: 'north',
  east: 'west',
  west: 'east',
  up: 'down',
  down: 'up'
}

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

/** Blocks that are placed on a wall as another block. */
const ON_WALL = /^(.*?)_?(torch|sign|banner)$/

/** Blocks that a placed one may take the place of. */
const REPLACEABLE =
  /^(air|cave_air|void_air|water|lava|grass|short_grass|tall_grass|fern|large_fern|dead_bush|seagrass|tall_seagrass|vine|fire|snow|light|glow_lichen)$/

/** Faces the builder when placed. */
const FACES_BUILDER =
  /furnace$|^smoker$|chest$|^(carved_pumpkin|jack_o_lantern|loom|stonecutter|lectern|bee_nest|beehive|end_portal_frame|chiseled_bookshelf|repeater|comparator|campfire|soul_campfire|.*glazed_terracotta)$/
/** Looks where the builder looks. */
const FACES_AWAY =
  /_(stairs|door|fence_gate|bed|trapdoor)$|^(anvil|chipped_anvil|damaged_anvil|grindstone|bell)$/
/** Faces the builder in all six directions. */
const FACES_ALL = /^(dispenser|dropper|observer|piston|sticky_piston|barrel|command_block)$/

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<string, (player: any, position: any) => boolean>} */
  const handlers = new Map()

  /** @param {string[]} names of blocks @param {(player: any, position: any) => boolean} handler true when it was used */
  serv.onUseBlock = (names, handler) => {
    for (const name of names) handlers.set(name, handler)
  }
  serv.useBlock = (/** @type {any} */ player, /** @type {any} */ position) =>
    handlers.get(blockAt(serv, position)?.name)?.(player, position) ?? false
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player._client.on('block_place', (/** @type {any} */ packet) => {
    const position = new Vec3(packet.location.x, packet.location.y, packet.location.z)
    const face = FACES[packet.direction]
    if (face && !player.isDead && player.canReach(position)) useOn(position, packet)
    const neighbour = face ? position.plus(face) : position
    player._client.write('acknowledge_player_digging', { sequenceId: packet.sequence ?? 0 })
    serv.tellBlock(player, neighbour)
  })

  /** @param {any} position @returns {boolean} */
  player.canReach = (position) => {
    const eye = player.position.offset(0, 1.62, 0)
    return eye.distanceTo(position.offset(0.5, 0.5, 0.5)) <= REACH_BLOCKS
  }

  /** @param {any} position @param {any} packet */
  function useOn(position, packet) {
    const isSneaking = player.crouching && player.heldItem
    if (!isSneaking && player.gameMode !== 3 && serv.useBlock(player, position)) return
    if (!BUILDING_MODES.includes(player.gameMode) || packet.hand !== 0 || !player.heldItem) return
    if (useTool(position)) return
    const isFree = REPLACEABLE.test(blockAt(serv, position)?.name ?? 'air')
    const target = isFree ? position : position.plus(FACES[packet.direction])
    placeHeld(target, packet)
  }

  /** Hoes till, shovels make paths, axes strip. @param {any} position @returns {boolean} whether it did */
  function useTool(position) {
    const { name } = player.heldItem
    const { name: block } = blockAt(serv, position)
    const isOpen = !isSolid(serv, position.offset(0, 1, 0))
    const into =
      name.endsWith('_hoe') && isOpen && /^(dirt|grass_block|dirt_path)$/.test(block)
        ? 'farmland'
        : name.endsWith('_shovel') && isOpen && /^(dirt|grass_block)$/.test(block)
          ? 'dirt_path'
          : name.endsWith('_axe') && !name.endsWith('pickaxe') && /_(log|wood)$/.test(block)
            ? `stripped_${block}`
            : null
    if (!into || block.startsWith('stripped_')) return false
    const { axis } = propertiesOf(stateAt(serv.overworld, position))
    const kind = registry.blocksByName[into]
    serv.setBlock(position, axis ? stateLike(kind, { axis }) : kind.defaultState)
    player.wearTool(1)
    return true
  }

  /** @param {any} target @param {any} packet */
  function placeHeld(target, packet) {
    const block = blockFor(player.heldItem.name, DIRECTIONS[packet.direction])
    const column = serv.columnAt(target.x >> 4, target.z >> 4)
    const isInside = target.y >= column.minY && target.y < column.minY + column.worldHeight
    const before = blockAt(serv, target)
    if (!block || !isInside || !REPLACEABLE.test(before?.name ?? 'air')) return
    if (block.boundingBox === 'block' && isOccupied(target)) return
    const state = stateFor(block, target, packet, before)
    if (!serv.hasSupport(target, state)) return
    const second = secondHalf(block, state, target)
    if (second && !REPLACEABLE.test(blockAt(serv, second.position)?.name ?? 'air')) return
    const used = player.heldItem
    const isBucket = used.name.endsWith('_bucket')
    player.useUpHeld()
    serv.emit('itemUsed', player, used)
    if (isBucket) player.giveOrThrow('bucket')
    serv.setBlock(target, state)
    if (second) serv.setBlock(second.position, second.state)
    joinChest(block, state, target)
  }

  /** @param {string} item @param {string} face @returns {any} minecraft-data's block */
  function blockFor(item, face) {
    const name = BLOCK_OF_ITEM[item] ?? item
    const match = name.match(ON_WALL)
    const isSide = face !== 'up' && face !== 'down'
    const onWall = match && isSide ? `${match[1] ? `${match[1]}_` : ''}wall_${match[2]}` : null
    return registry.blocksByName[onWall ?? name] ?? registry.blocksByName[name]
  }

  /** @param {any} target whether a body is in the way */
  function isOccupied(target) {
    return Object.values(serv.entities).some(
      (/** @type {any} */ entity) =>
        entity.type !== 'object' &&
        entity.gameMode !== 3 &&
        Math.abs(entity.position.x - target.x - 0.5) < 0.5 + entity.width / 2 - 1e-3 &&
        Math.abs(entity.position.z - target.z - 0.5) < 0.5 + entity.width / 2 - 1e-3 &&
        entity.position.y < target.y + 1 - 1e-3 &&
        entity.position.y + entity.height > target.y + 1e-3
    )
  }

  /** @param {any} block @param {any} target @param {any} packet @param {any} before */
  function stateFor(block, target, packet, before) {
    const face = DIRECTIONS[packet.direction]
    const isSide = face !== 'up' && face !== 'down'
    const looking = HORIZONTAL[Math.floor((((player.yaw % 360) + 360) % 360) / 90 + 0.5) & 3]
    const isTop = face === 'down' || (isSide && packet.cursorY > 0.5)
    /** @type {Record<string, string>} */
    const wanted = {
      axis:
        face === 'up' || face === 'down' ? 'y' : face === 'north' || face === 'south' ? 'z' : 'x',
      half:
        isTop && /_(stairs|trapdoor)$/.test(block.name)
          ? 'top'
          : /_door$/.test(block.name)
            ? 'lower'
            : 'bottom',
      type: block.name.endsWith('_slab') ? (isTop ? 'top' : 'bottom') : 'single',
      face: isSide ? 'wall' : face === 'up' ? 'floor' : 'ceiling',
      rotation: String(Math.floor(((player.yaw + 180) * 16) / 360 + 0.5) & 15),
      part: 'foot',
      waterlogged: String(before?.name === 'water')
    }
    wanted.facing = facingOf(block.name, face, looking)
    return stateLike(block, wanted)
  }

  /** @param {string} name @param {string} face that was clicked @param {string} looking where the builder looks */
  function facingOf(name, face, looking) {
    const opposite = /** @type {Record<string, string>} */ (OPPOSITE)
    if (FACES_ALL.test(name)) {
      if (player.pitch > 45) return 'up'
      if (player.pitch < -45) return 'down'
      return opposite[looking]
    }
    if (FACES_BUILDER.test(name)) return opposite[looking]
    if (FACES_AWAY.test(name)) return looking
    if (name === 'hopper') return face === 'up' || face === 'down' ? 'down' : opposite[face]
    const isSide = face !== 'up' && face !== 'down'
    if (/_button$|^lever$/.test(name)) return isSide ? face : looking
    return face
  }

  /** The other half of a door or bed. @param {any} block @param {number} state @param {any} target */
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

  /** Makes a chest and a single one beside it into a double chest. @param {any} block @param {number} state @param {any} target */
  function joinChest(block, state, target) {
    if (!/^(chest|trapped_chest)$/.test(block.name) || player.crouching) return
    const { facing } = propertiesOf(state)
    const right = FACES[DIRECTIONS.indexOf(facing)] // turned by 90°: (x, z) → (-z, x)
    const step = new Vec3(-right.z, 0, right.x)
    for (const [side, type, other] of /** @type {[any, string, string][]} */ ([
      [step, 'left', 'right'],
      [step.scaled(-1), 'right', 'left']
    ])) {
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
}
