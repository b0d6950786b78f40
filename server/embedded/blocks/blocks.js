/** Blocks: states and their properties, and synchronous access to blocks of loaded columns. */
import { registry, Vec3 } from '../minecraft/index.js'

/** @import { BlockKind, BlockProperty, Position, Server, World } from '../types/index.d.ts' */

/** @param {Position} position */
export const key = ({ x, y, z }) => `${x},${y},${z}`

/** @param {string} text of `key` */
export const positionOf = (text) => {
  const [x, y, z] = text.split(',').map(Number)
  return new Vec3(x, y, z)
}

/** Faces in the protocol's order: below, above, north, south, west, east. */
export const FACES = [
  new Vec3(0, -1, 0),
  new Vec3(0, 1, 0),
  new Vec3(0, 0, -1),
  new Vec3(0, 0, 1),
  new Vec3(-1, 0, 0),
  new Vec3(1, 0, 0)
]

/**
 * @param {World} world @param {Position} position
 * @returns {number} state id; 0 (air) if nothing is loaded
 */
export function stateAt(world, { x, y, z }) {
  const column = world.getLoadedColumn(x >> 4, z >> 4)
  if (!column) return 0
  return column.getBlockStateId({ x: x & 15, y, z: z & 15 }) ?? 0
}

/** @param {Server} serv @param {Position} position @returns {BlockKind} */
export function blockAt(serv, position) {
  return registry.blocksByStateId[stateAt(serv.overworld, position)]
}

/** @param {Server} serv @param {Position} position */
export const isSolid = (serv, position) => blockAt(serv, position)?.boundingBox === 'block'

/** @param {BlockProperty} property @returns {string[]} its values in the order of block states */
function valuesOf(property) {
  if (property.type === 'bool') return ['true', 'false']
  if (property.values) return property.values.map(String)
  return Array.from({ length: property.num_values }, (_, index) => String(index))
}

/** @param {number} state @returns {Record<string, string>} such as {facing: 'north'} */
export function propertiesOf(state) {
  const block = registry.blocksByStateId[state]
  let offset = state - block.minStateId
  /** @type {Record<string, string>} */
  const found = {}
  for (const property of [...block.states].reverse()) {
    found[property.name] = valuesOf(property)[offset % property.num_values]
    offset = Math.floor(offset / property.num_values)
  }
  return found
}

/**
 * @param {BlockKind} block minecraft-data's block
 * @param {Record<string, string>} wanted properties; others as in the default state
 * @returns {number} state id @throws {RangeError} for a property or value that the block does not have
 */
export function stateOf(block, wanted) {
  const properties = { ...propertiesOf(block.defaultState), ...wanted }
  const [unknown] = Object.keys(wanted).filter(
    (name) => !block.states.some((property) => property.name === name)
  )
  if (unknown) {
    throw new RangeError(`Block minecraft:${block.name} does not have property '${unknown}'`)
  }
  return block.states.reduce((state, property, at) => {
    const index = valuesOf(property).indexOf(properties[property.name])
    if (index < 0) {
      throw new RangeError(
        `Block minecraft:${block.name} does not accept '${properties[property.name]}' for property '${property.name}'`
      )
    }
    const scale = block.states.slice(at + 1).reduce((product, p) => product * p.num_values, 1)
    return state + index * scale
  }, block.minStateId)
}

/**
 * Return the block's state with the wanted properties; ignore those that the block does not have.
 * @param {BlockKind} block @param {Record<string, string>} wanted
 */
export function stateLike(block, wanted) {
  const known = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) =>
      block.states.some((property) => property.name === name && valuesOf(property).includes(value))
    )
  )
  return stateOf(block, known)
}
