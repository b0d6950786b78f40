/**
 * Columns in Minecraft's format (NBT of 1.18 to 1.20.4), read and written.
 *
 * A section of 16 by 16 by 16 blocks has a palette of block states by name, and an index into it
 * for each block. An index has as few bits as the palette needs (at least four), and is never split
 * between two longs. Source: https://minecraft.wiki/w/Chunk_format
 */
import { plainOf, partOf } from '../../minecraft/snbt.js'
import { compounds } from '../../minecraft/items.js'
import { Column, nbt, registry } from '../../minecraft/index.js'
import { propertiesOf, stateLike } from '../../blocks/blocks.js'

/** @import { Column as ColumnType, Tag } from '../../types/index.d.ts' */

/** @typedef {{Name: string, Properties?: Record<string, string>}} NamedState */
/** @typedef {[high: number, low: number][]} Longs */
/**
 * @template T
 * @typedef {{palette: T[], data?: Longs}} Palette values in a section, and an index for each cell
 */

const AIR = 0
const BLOCKS_A_SECTION = 4096
const BIOMES_A_SECTION = 64
/** Minimum number of bits of a block's index. */
const FEWEST_BITS = 4
/** A section with more states than eight bits can index has no palette. */
const MOST_IN_PALETTE = 256
/** The first version whose columns have this format (1.18), and the supported version (1.20.4). */
const OLDEST = 2860
export const DATA_VERSION = 3700
/** Current names of blocks that were renamed. @type {Record<string, string>} */
const NAMES_SINCE = { grass: 'short_grass' }

/** @param {number} size of a palette @param {number} least @returns {number} */
const bitsFor = (size, least) => (size < 2 ? 0 : Math.max(least, 32 - Math.clz32(size - 1)))

/**
 * @param {Tag} tag of a column
 * @param {(name: string) => void} onUnknown called with each unknown block or biome
 * @returns {ColumnType | null} null if it is not fully generated @throws {Error} its version is not supported, or it is damaged
 */
export function columnFrom(tag, onUnknown) {
  const version = Number(plainOf(tag, 'DataVersion'))
  if (!(version >= OLDEST && version <= DATA_VERSION)) {
    throw new Error(`its data version is ${version}, not ${OLDEST} to ${DATA_VERSION}`)
  }
  if (String(plainOf(tag, 'Status')).replace('minecraft:', '') !== 'full') return null
  const column = new Column()
  for (const section of listIn(tag, 'sections')) {
    const y = Number(plainOf(section, 'Y'))
    const index = y - (column.minY >> 4)
    if (!partOf(section, 'block_states') || index < 0 || index >= column.sections.length) continue
    loadSection(column, y, section, onUnknown)
  }
  return column
}

/**
 * @param {ColumnType} column @param {number} y @param {Tag} tag
 * @param {(name: string) => void} onUnknown
 */
function loadSection(column, y, tag, onUnknown) {
  const states = /** @type {Palette<NamedState>} */ (plainOf(tag, 'block_states'))
  const biomes = /** @type {Palette<string>} */ (
    plainOf(tag, 'biomes') ?? { palette: ['minecraft:plains'] }
  )
  const numbers = indices(states, BLOCKS_A_SECTION, FEWEST_BITS)
  indices(biomes, BIOMES_A_SECTION, 1)
  const ids = states.palette.map((named) => stateOfNamed(named, onUnknown))
  const isLong = ids.length > MOST_IN_PALETTE
  column.loadSection(
    y,
    {
      palette: ids.slice(0, isLong ? 1 : ids.length).map(named),
      data: isLong ? [] : (states.data ?? []),
      bitsPerBlock: Math.max(FEWEST_BITS, bitsFor(ids.length, FEWEST_BITS))
    },
    {
      palette: biomes.palette.map((name) => knownBiome(name, onUnknown)),
      data: biomes.data ?? [],
      bitsPerBiome: Math.max(1, bitsFor(biomes.palette.length, 1))
    }
  )
  if (!isLong) return
  const { maxBitsPerBlock } = column // missing in the new column
  column.sections[y - (column.minY >> 4)] = new Column.section({ singleValue: 0, maxBitsPerBlock })
  for (const [at, number] of numbers.entries()) {
    const place = { x: at & 15, y: (at >> 8) + 16 * y, z: (at >> 4) & 15 }
    column.setBlockStateId(place, ids[number])
  }
}

/**
 * @param {NamedState} told @param {(name: string) => void} onUnknown
 * @returns {number} its state id here
 */
function stateOfNamed({ Name, Properties }, onUnknown) {
  const name = String(Name).replace('minecraft:', '')
  const block = registry.blocksByName[NAMES_SINCE[name] ?? name]
  if (block) return stateLike(block, Properties ?? {})
  onUnknown(name)
  return AIR
}

/** @param {number} state @returns {NamedState} */
const named = (state) => ({
  Name: registry.blocksByStateId[state].name,
  Properties: propertiesOf(state)
})

/** @param {string} name @param {(name: string) => void} onUnknown @returns {string} */
function knownBiome(name, onUnknown) {
  const here = String(name).replace('minecraft:', '')
  if (Object.hasOwn(registry.biomesByName, here)) return here
  onUnknown(here)
  return 'plains'
}

/**
 * @param {Palette<unknown>} section @param {number} count expected number of indices
 * @param {number} least minimum bits of each
 * @returns {Uint16Array} palette index of each cell @throws {Error} it is incomplete
 */
export function indices({ palette, data = [] }, count, least) {
  if (!Array.isArray(palette) || !palette.length) throw new Error('a section has no palette')
  const bits = bitsFor(palette.length, least)
  const found = new Uint16Array(count)
  if (!bits) return found
  const each = Math.floor(64 / bits)
  if (data.length !== Math.ceil(count / each)) throw new Error('a section is cut off')
  const mask = 2 ** bits - 1
  for (let at = 0; at < count; at++) {
    const [high, low] = data[Math.floor(at / each)]
    const shift = bits * (at % each)
    const from =
      shift < 32 ? (low >>> shift) | (shift ? high << (32 - shift) : 0) : high >>> (shift - 32)
    found[at] = from & mask
    if (found[at] >= palette.length) throw new Error('a section has a block beyond its palette')
  }
  return found
}

/** @param {number[]} numbers @param {number} bits @returns {Longs} */
function longsOf(numbers, bits) {
  const each = Math.floor(64 / bits)
  /** @type {Longs} */
  const longs = []
  for (let start = 0; start < numbers.length; start += each) {
    const part = numbers.slice(start, start + each).reverse()
    const long = part.reduce((sum, number) => (sum << BigInt(bits)) | BigInt(number), 0n)
    longs.push([Number(BigInt.asIntN(32, long >> 32n)), Number(BigInt.asIntN(32, long))])
  }
  return longs
}

/** @param {Tag} tag @param {string} name @returns {Tag[]} a list of compounds */
export function listIn(tag, name) {
  const list = /** @type {{type: string, value: Record<string, Tag>[]} | undefined} */ (
    partOf(tag, name)?.value
  )
  return list?.type === 'compound' ? list.value.map((value) => ({ type: 'compound', value })) : []
}

/**
 * @param {ColumnType} column @param {number} chunkX @param {number} chunkZ
 * @param {Tag[]} blockEntities of the column
 * @returns {Tag} in Minecraft's form; Minecraft computes light and heights when it loads it
 */
export function tagOf(column, chunkX, chunkZ, blockEntities) {
  const lowest = column.minY >> 4
  const sections = column.sections.map((_, index) => sectionTag(column, lowest + index))
  return nbt.comp({
    DataVersion: nbt.int(DATA_VERSION),
    xPos: nbt.int(chunkX),
    yPos: nbt.int(lowest),
    zPos: nbt.int(chunkZ),
    Status: nbt.string('minecraft:full'),
    LastUpdate: nbt.long([0, 0]),
    InhabitedTime: nbt.long([0, 0]),
    isLightOn: nbt.byte(0),
    Heightmaps: nbt.comp({}),
    structures: nbt.comp({ starts: nbt.comp({}), References: nbt.comp({}) }),
    sections: compounds(sections),
    block_entities: compounds(blockEntities),
    block_ticks: compounds([]),
    fluid_ticks: compounds([])
  })
}

/** @param {ColumnType} column @param {number} y of the section @returns {Tag} */
function sectionTag(column, y) {
  const states = Array.from({ length: BLOCKS_A_SECTION }, (_, at) =>
    column.getBlockStateId({ x: at & 15, y: (at >> 8) + 16 * y, z: (at >> 4) & 15 })
  )
  const biomes = Array.from({ length: BIOMES_A_SECTION }, (_, at) =>
    column.getBiome({ x: 4 * (at & 3), y: 4 * (at >> 4) + 16 * y, z: 4 * ((at >> 2) & 3) })
  )
  const named = (/** @type {number} */ state) => namedTag(state)
  const biome = (/** @type {number} */ id) => registry.biomes[id]?.name ?? 'plains'
  return nbt.comp({
    Y: nbt.byte(y),
    block_states: paletted(states, FEWEST_BITS, (ids) => compounds(ids.map(named))),
    biomes: paletted(biomes, 1, (ids) =>
      nbt.list(nbt.string(ids.map((id) => `minecraft:${biome(id)}`)))
    )
  })
}

/**
 * @param {number[]} values @param {number} least bits @param {(palette: number[]) => Tag} written
 * @returns {Tag}
 */
function paletted(values, least, written) {
  const palette = [...new Set(values)]
  const bits = bitsFor(palette.length, least)
  if (!bits) return nbt.comp({ palette: written(palette) })
  const numbers = new Map(palette.map((value, number) => [value, number]))
  const found = values.map((value) => numbers.get(value) ?? 0)
  return nbt.comp({
    palette: written(palette),
    data: nbt.longArray(/** @type {any} */ (longsOf(found, bits)))
  })
}

/** @param {number} state @returns {Tag} */
function namedTag(state) {
  const { name } = registry.blocksByStateId[state]
  const properties = Object.entries(propertiesOf(state))
  const parts = properties.map(([key, value]) => [key, nbt.string(String(value))])
  return nbt.comp({
    Name: nbt.string(`minecraft:${name}`),
    ...(parts.length ? { Properties: nbt.comp(Object.fromEntries(parts)) } : {})
  })
}

// Merging of changed blocks into a column that another program has written.

/** Tags that the game computes again. */
const LIGHT = ['BlockLight', 'SkyLight']

/**
 * @param {Tag} before a readable column @param {ColumnType} was its content when it was read
 * @param {ColumnType} now its current content @param {Tag[]} blockEntities of the column
 * @returns {Tag} the original with all changes; unknown blocks stay where nothing was built
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

/**
 * @param {Tag} section @param {ColumnType} was @param {ColumnType} now @param {number} y
 * @returns {Tag}
 */
function mergedSection(section, was, now, y) {
  const made = /** @type {Record<string, Tag>} */ (sectionTag(now, y).value)
  const value = { ...made, .../** @type {Record<string, Tag>} */ (section.value) }
  for (const name of LIGHT) delete value[name]
  value.block_states = mergedStates(partOf(section, 'block_states'), was, now, y)
  return nbt.comp(value)
}

/**
 * @param {Tag | undefined} states @param {ColumnType} was @param {ColumnType} now @param {number} y
 * @returns {Tag}
 */
function mergedStates(states, was, now, y) {
  const palette = states ? listIn(states, 'palette') : []
  const isUnknown = palette.map((tag) => {
    const name = String(plainOf(tag, 'Name')).replace('minecraft:', '')
    return !Object.hasOwn(registry.blocksByName, name)
  })
  const numbers = numbersIn(states, palette)
  const values = Array.from({ length: BLOCKS_A_SECTION }, (_, at) => {
    const state = stateIn(now, y, at)
    // Blocks that this server does not know were read as air.
    const isKept = state === 0 && stateIn(was, y, at) === 0 && isUnknown[numbers[at]]
    return isKept ? -1 - numbers[at] : state
  })
  return paletted(values, FEWEST_BITS, (found) =>
    compounds(found.map((one) => (one < 0 ? palette[-1 - one] : namedTag(one))))
  )
}

/**
 * @param {Tag | undefined} states @param {Tag[]} palette
 * @returns {ArrayLike<number>} palette index of each block
 */
function numbersIn(states, palette) {
  if (palette.length < 2) return new Uint16Array(BLOCKS_A_SECTION)
  const data = /** @type {Longs | undefined} */ (plainOf(states, 'data'))
  return indices({ palette, data }, BLOCKS_A_SECTION, FEWEST_BITS)
}
