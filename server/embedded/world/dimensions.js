/**
 * Dimensions: columns of the Nether are stored with those of the overworld, so far to the east that
 * no player can walk there. Therefore no rule needs to know about dimensions. Only at the interface
 * to clients and commands are coordinates converted between the store and the dimension.
 */
import { BOUNDS } from '../minecraft/index.js'

/** @import { Fields, Player, Position, Server } from '../types/index.d.ts' */

/** x of the Nether's centre in the store. All land east of `BORDER_X` belongs to the Nether. */
export const NETHER_X = 2 ** 24
const BORDER_X = 2 ** 23
const CHUNK = 16
/** Blocks of the overworld per block of the Nether. */
const SCALE = 8
/** The Nether's layers that clients receive: first section of a column, and number of sections. */
export const NETHER_LAYERS = { bottom: 0, height: 256, first: 4, sections: 16 }

export const OVERWORLD = 'minecraft:overworld'
export const NETHER = 'minecraft:the_nether'

/** @param {number} x */
export const isNether = (x) => x >= BORDER_X
/** @param {number} chunkX */
export const isNetherColumn = (chunkX) => chunkX >= BORDER_X / CHUNK
/** @param {Position} position @returns {string} its dimension */
export const dimensionAt = ({ x }) => (isNether(x) ? NETHER : OVERWORLD)
/** Return the offset that the store adds to x in a dimension. @param {number} x in the store */
export const shiftAt = (x) => (isNether(x) ? NETHER_X : 0)

/** @param {Position} place */
export function mayHoldBlocks({ x, y, z }) {
  const { bottom, height } = NETHER_LAYERS
  const [lowest, highest] = isNether(x)
    ? [bottom, bottom + height - 1]
    : [BOUNDS.lowest, BOUNDS.highest]
  return Math.abs(z) < BOUNDS.edge && y >= lowest && y <= highest
}

/**
 * Return true if a position is in the same dimension as another one, and within its borders.
 * @param {Position} place @param {Position} other
 */
export const isInDimension = (place, other) =>
  Math.abs(place.x - shiftAt(other.x)) < BORDER_X && isNether(place.x) === isNether(other.x)

/**
 * Convert a position in the store to its dimension's coordinates.
 * @template {Position} Place @param {Place} place @returns {Place}
 */
export const shown = (place) => {
  if (!isNether(place.x)) return place
  const { x, y, z } = place
  return /** @type {any} */ (
    'offset' in place
      ? /** @type {any} */ (place).offset(-NETHER_X, 0, 0)
      : { x: x - NETHER_X, y, z }
  )
}

/**
 * Return the corresponding position in another dimension.
 * @param {import('vec3').Vec3} place @param {string} dimension
 */
export function across(place, dimension) {
  if (dimensionAt(place) === dimension) return place.clone()
  const { x, y, z } = place
  const moved = place.clone()
  if (dimension === NETHER) return moved.set(x / SCALE + NETHER_X, y, z / SCALE)
  return moved.set((x - NETHER_X) * SCALE, y, z * SCALE)
}

/**
 * Fields with a position in packets to clients, and the unit of each in blocks.
 * @type {Record<string, [field: string, unit: number]>}
 */
export const PLACES = {
  ...of('x', 1, ['spawn_entity', 'spawn_entity_experience_orb', 'explosion', 'world_particles']),
  ...of('x', 1, ['vehicle_move', 'position', 'entity_teleport', 'face_player']),
  ...of('x', 1 / 8, ['sound_effect']),
  ...of('x', CHUNK, ['map_chunk']),
  ...of('chunkX', CHUNK, ['unload_chunk', 'update_light', 'update_view_position']),
  ...of('chunkCoordinates', CHUNK, ['multi_block_change']),
  ...of('location', 1, [
    'block_break_animation',
    'tile_entity_data',
    'block_action',
    'block_change'
  ]),
  ...of('location', 1, ['world_event', 'open_sign_entity', 'spawn_position'])
}

/**
 * @param {string} field @param {number} unit @param {string[]} packets
 * @returns {Record<string, [string, number]>}
 */
function of(field, unit, packets) {
  return Object.fromEntries(packets.map((packet) => [packet, [field, unit]]))
}

/**
 * Convert a packet's coordinates for a client in a dimension.
 * @param {string} name @param {Fields} fields @returns {Fields}
 */
export function sentFrom(name, fields) {
  const place = PLACES[name]
  if (!place) return fields
  const [field, unit] = place
  const value = /** @type {any} */ (fields[field])
  const x = typeof value === 'object' && value !== null ? value.x : value
  if (typeof x !== 'number' || !isNether(x * unit)) return fields
  const moved = x - NETHER_X / unit
  const known = typeof value === 'object' ? { x: moved, y: value.y, z: value.z } : moved
  return { ...fields, [field]: known }
}

const SAID = ['position', 'position_look', 'vehicle_move']
const POINTED = [
  'block_dig',
  'block_place',
  'update_sign',
  'update_command_block',
  'query_block_nbt'
]

/** @param {Player} player */
export function player(player) {
  const client = /** @type {any} */ (player._client)
  for (const name of SAID) {
    client.on(name, (/** @type {Position} */ said) => void (said.x += shiftAt(player.position.x)))
  }
  for (const name of POINTED) {
    client.on(name, (/** @type {{location: Position}} */ { location }) => {
      location.x += shiftAt(player.position.x)
    })
  }
}
