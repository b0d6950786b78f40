/** Orientation of placed blocks: direction, half, and slab position. */
import { stateLike } from './blocks.js'

/** @import { BlockKind, BlockPlace, Rotation } from '../types/index.d.ts' */

/** Faces in the protocol's order. */
export const DIRECTIONS = ['down', 'up', 'north', 'south', 'west', 'east']
export const HORIZONTAL = ['south', 'west', 'north', 'east'] // by yaw / 90°
/** @type {Record<string, string>} */
export const OPPOSITE = {
  north: 'south',
  south: 'north',
  east: 'west',
  west: 'east',
  up: 'down',
  down: 'up'
}

/** Blocks that face the builder when placed. */
const FACES_BUILDER =
  /furnace$|^smoker$|chest$|^(carved_pumpkin|jack_o_lantern|loom|stonecutter|lectern|bee_nest|beehive|end_portal_frame|chiseled_bookshelf|repeater|comparator|campfire|soul_campfire|.*glazed_terracotta)$/
/** Blocks that face away from the builder. */
const FACES_AWAY =
  /_(stairs|door|fence_gate|bed|trapdoor)$|^(anvil|chipped_anvil|damaged_anvil|grindstone|bell)$/
/** Blocks that face the builder in any of six directions. */
const FACES_ALL = /^(dispenser|dropper|observer|piston|sticky_piston|barrel|command_block)$/

/**
 * @param {Rotation} builder @param {BlockKind} block @param {BlockPlace} packet the click
 * @param {string | undefined} before name of the replaced block @returns {number} state id
 */
export function stateFor(builder, block, packet, before) {
  const face = DIRECTIONS[packet.direction]
  const isSide = face !== 'up' && face !== 'down'
  const looking = HORIZONTAL[Math.floor((((builder.yaw % 360) + 360) % 360) / 90 + 0.5) & 3]
  const isTop = face === 'down' || (isSide && packet.cursorY > 0.5)
  const opened = isTop && /_(stairs|trapdoor)$/.test(block.name) ? 'top' : 'bottom'
  const sideways = face === 'north' || face === 'south' ? 'z' : 'x'
  return stateLike(block, {
    axis: isSide ? sideways : 'y',
    half: /_door$/.test(block.name) ? 'lower' : opened,
    type: block.name.endsWith('_slab') ? (isTop ? 'top' : 'bottom') : 'single',
    face: isSide ? 'wall' : face === 'up' ? 'floor' : 'ceiling',
    rotation: String(Math.floor(((builder.yaw + 180) * 16) / 360 + 0.5) & 15),
    part: 'foot',
    waterlogged: String(before === 'water'),
    facing: facingOf(builder, block.name, face, looking)
  })
}

/**
 * @param {Rotation} builder @param {string} name @param {string} face that was clicked
 * @param {string} looking direction of the builder's gaze
 */
function facingOf(builder, name, face, looking) {
  if (FACES_ALL.test(name)) {
    if (builder.pitch > 45) return 'up'
    if (builder.pitch < -45) return 'down'
    return OPPOSITE[looking]
  }
  if (FACES_BUILDER.test(name)) return OPPOSITE[looking]
  if (FACES_AWAY.test(name)) return looking
  const isSide = face !== 'up' && face !== 'down'
  if (name === 'hopper') return isSide ? OPPOSITE[face] : 'down'
  if (/_button$|^lever$/.test(name)) return isSide ? face : looking
  return face
}
