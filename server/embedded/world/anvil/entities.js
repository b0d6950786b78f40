/** Block entities of a Minecraft world: the original data with our changes. */
import { EventEmitter } from 'node:events'
import { plainOf } from '../../minecraft/snbt.js'
import { compounds, itemFrom, tagOfItem } from '../../minecraft/items.js'
import { nbt, registry, Vec3 } from '../../minecraft/index.js'
import * as blockData from '../../blocks/block-data.js'
import { kindOf } from '../../blocks/block-entities.js'
import { progressParts } from '../../blocks/block-progress.js'
import { key, positionOf } from '../../blocks/blocks.js'
import * as containers from '../../windows/containers.js'
import * as brewing from '../../workshops/brewing-stands.js'
import * as campfires from '../../workshops/campfires.js'
import * as lecterns from '../../windows/lecterns.js'
import * as furnaces from '../../workshops/furnaces.js'
import { blocksIn } from '../../blocks/scan.js'
import * as signs from '../../blocks/signs.js'
import { listIn } from './columns.js'

/** @import { Column as ColumnType, PacketItem, Server, Tag, WorldState } from '../../types/index.d.ts' */
/** @import { SignText } from '../../blocks/signs.js' */
/** @typedef {{command: string, isAlways: boolean, tracks: boolean}} Command */
/** @typedef {{items?: (PacketItem | null)[], progress?: Record<string, any>, name?: string, sign?: SignText, command?: Command, data?: Tag}} Told of a block */
/** @typedef {Map<string, Told>} ToldOf by position */
/** @typedef {Record<string, Tag>} Parts of a compound */
/** @typedef {Pick<WorldState, 'containers' | 'signs' | 'blockData' | 'commandBlocks'>} State */

const LOOT = ['LootTable', 'LootTableSeed']
const LECTERN = 'minecraft:lectern'
const SIDES = ['front_text', 'back_text']

/** @param {unknown} a @param {unknown} b */
const isEqual = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** @param {Tag | null | undefined} tag @returns {Parts} */
const partsOf = (tag) => /** @type {Parts} */ (tag?.value ?? {})

/**
 * Return the block data from a world's saved state.
 * @param {State} state @returns {Map<string, ToldOf>} by column
 */
export function toldIn({ containers, signs = [], blockData = [], commandBlocks = [] }) {
  /** @type {Map<string, ToldOf>} */
  const found = new Map()
  /** @param {string} id @param {Told} told */
  const tell = (id, told) => {
    const { x, z } = positionOf(id)
    const column = `${x >> 4},${z >> 4}`
    const others = found.get(column) ?? new Map()
    found.set(column, others.set(id, { ...others.get(id), ...told }))
  }
  for (const [id, data] of blockData) tell(id, { data })
  for (const [id, name, items, progress] of containers)
    tell(id, progress ? { items, name, progress } : { items })
  for (const [id, sign] of signs) tell(id, { sign })
  for (const { position, command, isAlways, tracks } of commandBlocks) {
    tell(position.join(), { command: { command, isAlways, tracks } })
  }
  return found
}

/**
 * Return the data that the server takes over when it first reads a column that another program has
 * written.
 * @param {ColumnType} column @param {number} chunkX @param {number} chunkZ
 * @param {Tag[]} tags its block entities @returns {ToldOf}
 */
export function toldBy(column, chunkX, chunkZ, tags) {
  const reader = readerOf(column)
  for (const tag of tags) {
    const { x, y, z } = placeOf(tag)
    if (x >> 4 !== chunkX || z >> 4 !== chunkZ) continue
    try {
      reader.setBlockData(new Vec3(x, y, z), tag)
    } catch {
      // The server could not read the block entity either, so it has not changed anything in it.
    }
  }
  const state = {
    containers: reader.containersData(),
    signs: [...reader.signs],
    blockData: [...reader.blockData],
    commandBlocks: [...reader.commandBlocks.values()].map((block) => ({
      ...block,
      position: block.position.toArray()
    }))
  }
  const told = toldIn(JSON.parse(JSON.stringify(state))) // as it would be after saving
  return told.get(`${chunkX},${chunkZ}`) ?? new Map()
}

/**
 * Return a minimal server that can read block entities, with one column.
 * @param {ColumnType} column
 */
function readerOf(column) {
  const nothing = () => {}
  const parts = {
    overworld: { getLoadedColumn: () => column },
    players: [],
    commandBlocks: new Map(),
    onUseBlock: nothing,
    sendBlockEntity: nothing
  }
  const reader = /** @type {Server} */ (
    /** @type {unknown} */ (Object.assign(new EventEmitter(), parts))
  )
  for (const plugin of [containers, furnaces, brewing, campfires, lecterns, signs, blockData])
    plugin.server(reader)
  // Record the command without running it.
  reader.setCommand = (position, told) =>
    reader.commandBlocks.set(key(position), /** @type {any} */ ({ position, ...told }))
  return reader
}

/** @param {ToldOf} one @param {ToldOf} other */
export const isSameReport = (one, other) =>
  one.size === other.size && [...one].every(([id, told]) => isEqual(told, other.get(id)))

/** @param {Tag} tag */
function placeOf(tag) {
  const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(plainOf(tag, name)))
  return { x, y, z }
}

/**
 * Return the block entities to write for a column: one for each block that needs one, and the
 * original ones of blocks that this server does not know.
 * @param {object} column @param {ColumnType} column.now
 * @param {ColumnType | null} column.was original content @param {number} column.chunkX
 * @param {number} column.chunkZ @param {Tag[]} column.tags original block entities
 * @param {ToldOf | null} column.read what the server took over from these; null if it never read them
 * @param {ToldOf} column.told its current block data
 * @param {boolean} column.isChanged true if blocks changed in it @returns {Tag[]}
 */
export function entitiesOf({ now, was, chunkX, chunkZ, tags, read, told, isChanged }) {
  const others = new Map(tags.map((tag) => [key(placeOf(tag)), tag]))
  const scanned = /** @type {Server} */ (/** @type {unknown} */ ({ columnAt: () => now }))
  /** @type {Map<string, Tag>} */
  const found = new Map()
  for (const { position, name } of blocksIn(
    scanned,
    chunkX,
    chunkZ,
    (one) => kindOf(one) !== null
  )) {
    const id = key(position)
    const kind = `minecraft:${kindOf(name)}`
    const other = others.get(id)
    const old = other && plainOf(other, 'id') === kind ? other : null
    const written = entity(old, read, told.get(id), id, isChanged)
    const parts = kind === LECTERN ? lecternParts(written) : written
    const { x, y, z } = position
    const place = { x: nbt.int(x), y: nbt.int(y), z: nbt.int(z), keepPacked: nbt.byte(0) }
    found.set(id, nbt.comp({ ...parts, ...place, id: nbt.string(kind) }))
  }
  const rest = [...others].filter(([id, tag]) => !found.has(id) && isAsItWas(was, now, tag))
  return [...found.values(), ...rest.map(([, tag]) => tag)]
}

/**
 * Return true if a block that has no block entity on this server is still the original block.
 * @param {ColumnType | null} was @param {ColumnType} now @param {Tag} tag
 */
function isAsItWas(was, now, tag) {
  const { x, y, z } = placeOf(tag)
  if (!was || ![x, y, z].every(Number.isInteger)) return false
  if (y < now.minY || y >= now.minY + now.worldHeight) return true
  const place = { x: x & 15, y, z: z & 15 }
  const state = now.getBlockStateId(place)
  return state === was.getBlockStateId(place) && !kindOf(registry.blocksByStateId[state].name)
}

/**
 * @param {Tag | null} old @param {ToldOf | null} read @param {Told | undefined} now
 * @param {string} id @param {boolean} isChanged true if blocks of the column changed
 * @returns {Parts} of a block entity
 */
function entity(old, read, now, id, isChanged) {
  const before = partsOf(old)
  if (!read && !now) return before
  const was = read?.get(id)
  if (isEqual(was, now) && !now?.sign) return isChanged && !now ? without(before, LOOT) : before
  if (now?.sign) return { ...before, ...signParts(before, was?.sign, now.sign) }
  if (now?.data && !now.items) return partsOf(now.data)
  if (now?.command) return { ...before, ...commandParts(now.command) }
  const isContainer = now?.items ?? was?.items
  if (!isContainer) return {} // the original block and its data are gone
  const named = { ...before, ...partsOf(now?.data) }
  const block = now?.name ?? was?.name
  const progress = block ? progressParts(block, now?.progress ?? {}) : {}
  return { ...without(named, LOOT), ...progress, Items: itemsTag(old, was?.items, now?.items) }
}

/** Store a lectern's item as its book. @param {Parts} parts @returns {Parts} */
function lecternParts(parts) {
  if (!parts.Items) return parts
  const [item] = listIn(nbt.comp(parts), 'Items')
  const rest = without(parts, ['Items', 'Book', 'Page'])
  const page = parts.Page ?? nbt.int(0)
  const book = without(partsOf(item), ['Slot'])
  return item ? { ...rest, Book: nbt.comp(book), Page: page } : rest
}

/** @param {Parts} parts @param {string[]} names @returns {Parts} */
const without = (parts, names) =>
  Object.fromEntries(Object.entries(parts).filter(([name]) => !names.includes(name)))

/** @param {Command} command @returns {Parts} */
const commandParts = ({ command, isAlways, tracks }) => ({
  Command: nbt.string(command),
  auto: nbt.byte(Number(isAlways)),
  TrackOutput: nbt.byte(Number(tracks))
})

/**
 * Return a sign's sides; a side with unchanged words keeps its colours.
 * @param {Parts} before @param {SignText | undefined} was @param {SignText} now @returns {Parts}
 */
function signParts(before, was, now) {
  const made = partsOf(/** @type {any} */ (signs.signTag(now)))
  const read = was ? partsOf(/** @type {any} */ (signs.signTag(was))) : {}
  const sides = SIDES.map((side) => {
    const old = before[side] ?? (side === 'front_text' ? earlierSide(before) : undefined)
    if (!old) return [side, made[side]]
    if (isEqual(read[side], made[side])) return [side, old]
    const { messages } = partsOf(made[side])
    const parts = { ...without(partsOf(old), ['filtered_messages']), messages }
    return [side, nbt.comp(parts)]
  })
  return { ...without(made, Object.keys(before)), ...Object.fromEntries(sides) }
}

/**
 * Convert the single side of a sign from before 1.20.
 * @param {Parts} before @returns {Tag | undefined}
 */
function earlierSide({ Text1, Text2, Text3, Text4, Color, GlowingText }) {
  if (!Text1) return undefined
  const lines = [Text1, Text2, Text3, Text4].map((line) => String(line?.value ?? '""'))
  return nbt.comp({
    messages: nbt.list(nbt.string(lines)),
    color: Color ?? nbt.string('black'),
    has_glowing_text: GlowingText ?? nbt.byte(0)
  })
}

/**
 * Return a container's items. Unchanged slots keep their original data, including items that this
 * server does not know.
 * @param {Tag | null} old @param {(PacketItem | null)[]} was @param {(PacketItem | null)[]} now
 * @returns {Tag}
 */
function itemsTag(old, was = [], now = []) {
  const before = new Map(
    (old ? listIn(old, 'Items') : []).map((tag) => [Number(plainOf(tag, 'Slot') ?? 0), tag])
  )
  const kept = [...before].filter(([slot]) => isEqual(was[slot], now[slot]))
  const slots = new Set(kept.map(([slot]) => slot))
  const made = now.flatMap((told, slot) => {
    const item = told && !slots.has(slot) && itemFrom(told)
    return item ? [tagOfItem(item, slot)] : []
  })
  return compounds([...kept.map(([, tag]) => tag), ...made])
}
