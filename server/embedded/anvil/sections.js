/** A column as others keep it, with the blocks that changed in it. */
import { partOf, plainOf } from '../commands/snbt.js'
import { compounds } from '../items.js'
import { nbt, registry } from '../minecraft.js'
import {
  DATA_VERSION,
  FEWEST_BITS,
  indices,
  listIn,
  namedTag,
  paletted,
  sectionTag
} from './columns.js'

/** @import { Column as ColumnType, Tag } from '../types.d.ts' */
/** @import { Longs } from './columns.js' */

const BLOCKS_A_SECTION = 4096
/** What the game works out anew. */
const LIGHT = ['BlockLight', 'SkyLight']

/**
 * @param {Tag} before a column that can be read
 * @param {ColumnType} was what is read from it
 * @param {ColumnType} now what it became
 * @param {Tag[]} blockEntities what is told of single blocks
 * @returns {Tag} as it was, but for that; blocks that there are not here stay where nothing was built
 */
export function mergedColumn(before, was, now, blockEntities) {
  const value = /** @type {Record<string, Tag>} */ (before.value)
  const isCurrent = Number(plainOf(before, 'DataVersion')) === DATA_VERSION
  const told = { ...value, block_entities: compounds(blockEntities) }
  const lowest = now.minY >> 4
  const changed = now.sections.map((_, index) => lowest + index).filter((y) => !isSame(was, now, y))
  if (isCurrent && !changed.length) return nbt.comp(told)
  const sections = listIn(before, 'sections').map((section) => {
    const y = Number(plainOf(section, 'Y'))
    const isHere = y >= lowest && y < lowest + now.sections.length
    if (!isHere || !(changed.includes(y) || partOf(section, 'block_states'))) return section
    return isCurrent && !changed.includes(y) ? section : mergedSection(section, was, now, y)
  })
  const there = new Set(sections.map((section) => Number(plainOf(section, 'Y'))))
  const added = changed.filter((y) => !there.has(y)).map((y) => sectionTag(now, y))
  return nbt.comp({
    ...told,
    DataVersion: nbt.int(DATA_VERSION),
    isLightOn: nbt.byte(0),
    Heightmaps: nbt.comp({}),
    sections: compounds([...sections, ...added])
  })
}

/** @param {ColumnType} column @param {number} y of the section @param {number} at @returns {number} */
const stateIn = (column, y, at) =>
  column.getBlockStateId({ x: at & 15, y: (at >> 8) + 16 * y, z: (at >> 4) & 15 })

/** @param {ColumnType} was @param {ColumnType} now @param {number} y of the section */
function isSame(was, now, y) {
  if (was === now) return true
  for (let at = 0; at < BLOCKS_A_SECTION; at++) {
    if (stateIn(was, y, at) !== stateIn(now, y, at)) return false
  }
  return true
}

/** @param {Tag} section @param {ColumnType} was @param {ColumnType} now @param {number} y @returns {Tag} */
function mergedSection(section, was, now, y) {
  const made = /** @type {Record<string, Tag>} */ (sectionTag(now, y).value)
  const value = { ...made, .../** @type {Record<string, Tag>} */ (section.value) }
  for (const name of LIGHT) delete value[name]
  value.block_states = mergedStates(partOf(section, 'block_states'), was, now, y)
  return nbt.comp(value)
}

/** @param {Tag | undefined} states @param {ColumnType} was @param {ColumnType} now @param {number} y @returns {Tag} */
function mergedStates(states, was, now, y) {
  const palette = states ? listIn(states, 'palette') : []
  const isUnknown = palette.map((tag) => {
    const name = String(plainOf(tag, 'Name')).replace('minecraft:', '')
    return !Object.hasOwn(registry.blocksByName, name)
  })
  const numbers = numbersIn(states, palette)
  const values = Array.from({ length: BLOCKS_A_SECTION }, (_, at) => {
    const state = stateIn(now, y, at)
    // What there is not here was read as air.
    const isKept = state === 0 && stateIn(was, y, at) === 0 && isUnknown[numbers[at]]
    return isKept ? -1 - numbers[at] : state
  })
  return paletted(values, FEWEST_BITS, (found) =>
    compounds(found.map((one) => (one < 0 ? palette[-1 - one] : namedTag(one))))
  )
}

/** @param {Tag | undefined} states @param {Tag[]} palette @returns {ArrayLike<number>} of each block, which of the palette it is */
function numbersIn(states, palette) {
  if (palette.length < 2) return new Uint16Array(BLOCKS_A_SECTION)
  const data = /** @type {Longs | undefined} */ (plainOf(states, 'data'))
  return indices({ palette, data }, BLOCKS_A_SECTION, FEWEST_BITS)
}
