/**
 * Items from commands, clients and world folders.
 *
 * A tag may contain any NBT. Known fields with a wrong type are left out, as in vanilla, so that
 * callers can rely on their types.
 */
import { partOf, plainOf } from './snbt.js'
import { Item, nbt, registry } from './index.js'

/** @import { ItemTag, PacketItem, Tag } from '../types/index.d.ts' */
/** @typedef {(tag: Tag) => boolean} Shape */

/** @type {Shape} */
const isNumber = ({ type }) => ['byte', 'short', 'int'].includes(type)
/** @type {Shape} */
const isText = ({ type }) => type === 'string'
/** @type {Shape} */
const isCompound = ({ type, value }) => type === 'compound' && typeof value === 'object'

/** @param {Tag} tag @returns {Tag[] | null} a list's members */
function membersOf({ type, value }) {
  const list = /** @type {{type: string, value: unknown[]}} */ (value)
  if (type !== 'list' || !Array.isArray(list?.value)) return null
  return list.value.map((member) => ({ type: list.type, value: member }))
}

/** @param {Shape} isMember @returns {Shape} */
const listOf = (isMember) => (tag) => membersOf(tag)?.every(isMember) ?? false

/** @param {Record<string, Shape>} parts all of which are there @returns {Shape} */
const compoundOf = (parts) => (tag) =>
  isCompound(tag) &&
  Object.entries(parts).every(([name, isIt]) => {
    const part = partOf(tag, name)
    return part !== undefined && isIt(part)
  })

const enchantments = listOf(compoundOf({ id: isText, lvl: isNumber }))

/** @type {Record<string, Shape>} */
const DISPLAY = { Name: isText, Lore: listOf(isText), color: isNumber }

/** @type {Record<string, Shape>} */
const SHAPES = {
  BlockEntityTag: isCompound,
  Charged: isNumber,
  ChargedProjectiles: listOf(compoundOf({ id: isText })),
  CustomModelData: isNumber,
  Damage: isNumber,
  Enchantments: enchantments,
  EntityTag: isCompound,
  Potion: isText,
  RepairCost: isNumber,
  StoredEnchantments: enchantments,
  author: isText,
  display: isCompound,
  pages: listOf(isText),
  title: isText
}

/** @param {Record<string, Tag>} parts @param {Record<string, Shape>} shapes */
const sound = (parts, shapes) =>
  Object.fromEntries(
    Object.entries(parts).filter(([name, tag]) => !Object.hasOwn(shapes, name) || shapes[name](tag))
  )

/**
 * Return a tag without the fields that have a wrong type.
 * @param {Tag | null | undefined} tag @returns {ItemTag | null}
 */
export function soundTag(tag) {
  if (!tag || !isCompound(tag)) return null
  const value = sound(/** @type {Record<string, Tag>} */ (tag.value), SHAPES)
  const { display } = value
  if (display) {
    const parts = sound(/** @type {Record<string, Tag>} */ (display.value), DISPLAY)
    value.display = { type: 'compound', value: parts }
  }
  return /** @type {ItemTag} */ (/** @type {unknown} */ ({ type: 'compound', name: '', value }))
}

/** Create a stack. @param {number} id @param {number} count @param {Tag | null} [tag] */
export const stackOf = (id, count, tag) => new Item(id, count, 0, soundTag(tag))

/**
 * Return the item in a tag such as `{id: "minecraft:stick", Count: 3b, tag: {…}}`, or null.
 * @param {Tag | undefined} tag @returns {Item | null}
 */
export function itemOf(tag) {
  const kind = registry.itemsByName[String(plainOf(tag, 'id') ?? '').replace('minecraft:', '')]
  const count = (Number(plainOf(tag, 'Count') ?? 1) << 24) >> 24 // a byte, as in vanilla
  if (!kind || kind.name === 'air' || count < 1) return null
  return stackOf(kind.id, count, partOf(tag, 'tag'))
}

/**
 * Return a stack in the form that `itemOf` reads.
 * @param {Item} item @param {number} [slot] its slot @returns {Tag}
 */
export const tagOfItem = ({ name, count, nbt: tag }, slot) =>
  nbt.comp({
    ...(slot === undefined ? {} : { Slot: nbt.byte(slot) }),
    id: nbt.string(`minecraft:${name}`),
    Count: nbt.byte(count),
    ...(tag ? { tag: { type: 'compound', value: tag.value } } : {})
  })

/** Return a list of compounds, possibly empty. @param {Tag[]} tags @returns {Tag} */
export const compounds = (tags) =>
  tags.length
    ? nbt.list(nbt.comp(tags.map(({ value }) => value)))
    : { type: 'list', value: { type: 'end', value: [] } }

/**
 * Return the item in a packet or a world folder, in the form of the server's items: clients send
 * tags without a name.
 * @param {PacketItem} item @returns {Item | null}
 */
export function itemFrom(item) {
  const found = Item.fromNotch(item)
  const isKnown = found && found.name !== 'unknown'
  return isKnown ? stackOf(found.type, found.count, found.nbt) : null
}
