/**
 * Mobs in a Minecraft world (`entities/r.X.Z.mca`): animals, monsters and villagers are read and
 * written back; other entities (item frames, armour stands, boats, dropped items) stay unchanged.
 * Source: https://minecraft.wiki/w/Entity_format
 */
import { randomBytes } from 'node:crypto'
import { partOf, plainOf } from '../../minecraft/snbt.js'
import { compounds } from '../../minecraft/items.js'
import { BOUNDS, nbt } from '../../minecraft/index.js'
import { MOBS } from '../../mobs/animals.js'
import { filledIn } from '../world-state.js'
import { DATA_VERSION, listIn } from './columns.js'

/** @import { Tag, WorldState } from '../../types/index.d.ts' */
/** @typedef {WorldState['animals'][number]} Living */
/** @typedef {Record<string, Tag>} Parts of a compound */

/** The first version with separate entity files (1.17). */
const OLDEST = 2724
const UUID_BYTES = 16
const isNumber = (/** @type {unknown} */ value) => Number.isFinite(value)
const isText = (/** @type {unknown} */ value) => typeof value === 'string'
/**
 * Tags that are read, with a test of their type.
 * @type {Record<string, (value: any) => boolean>}
 */
const FORMS = {
  Age: isNumber,
  Color: isNumber,
  CustomName: isText,
  Health: isNumber,
  NoAI: isNumber,
  PersistenceRequired: isNumber,
  Rotation: (value) => Array.isArray(value) && value.length === 2 && value.every(isNumber),
  Sheared: isNumber,
  Tags: (value) => Array.isArray(value) && value.every(isText)
}

/** @param {Tag | undefined} tag @returns {Parts} */
const partsOf = (tag) => /** @type {Parts} */ (tag?.value ?? {})

/** @param {Tag} tag of an entity @returns {string} its kind */
export const kindOf = (tag) => String(plainOf(tag, 'id') ?? '').replace('minecraft:', '')

/** @param {Tag} tag of an entity @returns {[number, number, number] | null} its position */
export function placeOf(tag) {
  const place = plainOf(tag, 'Pos')
  if (!Array.isArray(place) || place.length !== 3 || !place.every(isNumber)) return null
  return place.every((way) => Math.abs(way) < BOUNDS.edge) ? /** @type {any} */ (place) : null
}

/**
 * Return true if this server reads an entity in a column.
 * @param {Tag} tag @param {number} chunkX @param {number} chunkZ
 */
export function isTaken(tag, chunkX, chunkZ) {
  const place = placeOf(tag)
  if (!place || !MOBS.includes(kindOf(tag)) || partOf(tag, 'Passengers')) return false
  return Math.floor(place[0]) >> 4 === chunkX && Math.floor(place[2]) >> 4 === chunkZ
}

/** Return a copy without tags of a wrong type. @param {Tag} tag @returns {Tag} */
export function sound(tag) {
  const parts = Object.keys(partsOf(tag)).filter((name) => {
    return !Object.hasOwn(FORMS, name) || FORMS[name](plainOf(tag, name))
  })
  return { type: 'compound', value: Object.fromEntries(parts.map((name) => [name, partsOf(tag)[name]])) } // prettier-ignore
}

/**
 * @param {Tag | null} tag of a column's entities
 * @returns {Tag[]} @throws {Error} its version is not supported
 */
export function entitiesIn(tag) {
  if (!tag) return []
  const version = Number(plainOf(tag, 'DataVersion'))
  if (!(version >= OLDEST && version <= DATA_VERSION)) {
    throw new Error(`its data version is ${version}, not ${OLDEST} to ${DATA_VERSION}`)
  }
  return listIn(tag, 'Entities')
}

/** @param {Living[]} animals @returns {Map<string, Living[]>} by column */
export function livingIn(animals) {
  /** @type {Map<string, Living[]>} */
  const found = new Map()
  for (const animal of animals) {
    const [x, , z] = animal.position.map(Math.floor)
    const id = `${x >> 4},${z >> 4}`
    found.set(id, [...(found.get(id) ?? []), animal])
  }
  return found
}

/**
 * Return a column's current entities.
 * @param {object} column @param {number} column.chunkX @param {number} column.chunkZ
 * @param {Tag | null} column.before original content
 * @param {boolean} column.isRead true if this server has read its mobs
 * @param {Living[]} column.living mobs now in it
 * @param {number} column.ticks age of the server's world
 * @returns {Tag | null} null if unchanged or unreadable
 */
export function entitiesTag({ chunkX, chunkZ, before, isRead, living, ticks }) {
  const old = entitiesIn(before)
  const rest = old.filter((tag) => !isRead || !isTaken(tag, chunkX, chunkZ))
  const now = [...rest, ...living.map((animal) => mobTag(animal, ticks))]
  if (isSameSet(now, old)) return null
  return nbt.comp({
    ...partsOf(before ?? undefined),
    DataVersion: nbt.int(DATA_VERSION),
    Position: { type: 'intArray', value: [chunkX, chunkZ] },
    Entities: compounds(now)
  })
}

/** @param {Tag[]} some @param {Tag[]} others */
function isSameSet(some, others) {
  const [one, other] = [some, others].map((tags) => tags.map((tag) => JSON.stringify(tag.value)))
  return String(one.sort()) === String(other.sort())
}

/**
 * Return a mob with all original data that this server has not changed.
 * @param {Living} animal @param {number} ticks @returns {Tag}
 */
function mobTag(animal, ticks) {
  const {
    name,
    position,
    health,
    adultTick,
    isShorn,
    colour,
    yaw,
    tags = [],
    data
  } = filledIn(animal)
  /** @type {Parts} */
  const parts = { ...partsOf(data) }
  delete parts.Passengers
  const tag = { type: 'compound', value: parts }
  const set = (
    /** @type {string} */ part,
    /** @type {unknown} */ value,
    /** @type {any} */ told
  ) => {
    if (JSON.stringify(plainOf(tag, part)) !== JSON.stringify(value)) parts[part] = told
  }
  parts.id ??= nbt.string(`minecraft:${name}`)
  parts.UUID ??= { type: 'intArray', value: uuid() }
  set('Pos', position, nbt.list(nbt.double(position)))
  const [oldYaw, pitch] = plainOf(data, 'Rotation') ?? [0, 0]
  const turn = yaw ?? oldYaw
  set('Rotation', [turn, pitch], nbt.list(nbt.float([turn, pitch])))
  if (tags.length || parts.Tags) set('Tags', tags, nbt.list(nbt.string(tags)))
  set('Health', health, nbt.float(health))
  if (adultTick) parts.Age = nbt.int(ticks - adultTick)
  else if (Number(plainOf(tag, 'Age')) < 0) parts.Age = nbt.int(0)
  if (name !== 'sheep') return tag
  set('Color', colour, nbt.byte(colour))
  set('Sheared', Number(isShorn), nbt.byte(Number(isShorn)))
  return tag
}

/** @returns {number[]} a new UUID in NBT's form */
function uuid() {
  const bytes = randomBytes(UUID_BYTES)
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return [0, 4, 8, 12].map((at) => bytes.readInt32BE(at))
}
