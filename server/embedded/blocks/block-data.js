/**
 * Block data that is not part of the block state: items, text, command. Commands and items write
 * it; the `data` command reads it.
 */
import { partOf, plainOf } from '../minecraft/snbt.js'
import { itemOf, tagOfItem } from '../minecraft/items.js'
import { registry, nbt } from '../minecraft/index.js'
import { plain } from '../minecraft/texts.js'
import { progressIn, setProgress, progressParts } from './block-progress.js'
import { blockAt, key } from './blocks.js'
import { kindOf } from './block-entities.js'
import { shown } from '../world/dimensions.js'
import { itemsTag } from '../entities/entity-data.js'

/** @import { Server, Tag, Vec3 } from '../types/index.d.ts' */
/** @import { Container } from '../types/additions.d.ts' */

const LINES = 4
const LONGEST_LINE = 384

/** @param {Server} serv */
export function server(serv) {
  serv.blockData = new Map()

  serv.setBlockData = (position, data) => {
    const { name } = blockAt(serv, position)
    if (/_sign$/.test(name)) writeSign(serv, position, data)
    else if (/command_block$/.test(name)) serv.setCommand(position, commandIn(data))
    else if (!fillContainer(serv, position, data)) serv.blockData.set(key(position), data)
    serv.sendBlockEntity(position)
  }

  serv.on('blockChanged', (position, before, after) => {
    if (!serv.blockData.size) return
    const isSame = registry.blocksByStateId[before] === registry.blocksByStateId[after]
    if (!isSame) serv.blockData.delete(key(position))
  })
  tellBlocks(serv)
}

/** @param {Tag} data */
const commandIn = (data) => ({
  command: String(plainOf(data, 'Command') ?? ''),
  isAlways: Boolean(plainOf(data, 'auto')),
  tracks: Boolean(plainOf(data, 'TrackOutput') ?? 1)
})

/** @param {Server} serv @param {Vec3} position @param {Tag} data */
function writeSign(serv, position, data) {
  const side = (/** @type {string} */ name) => {
    /** @type {string[]} */
    const messages = plainOf(partOf(data, name), 'messages') ?? []
    return Array.from({ length: LINES }, (_, line) => wordsOf(messages[line] ?? ''))
  }
  const isOld = !partOf(data, 'front_text') && partOf(data, 'Text1')
  if (isOld) {
    const lines = ['Text1', 'Text2', 'Text3', 'Text4'].map((name) => plainOf(data, name) ?? '')
    serv.signs.set(key(position), { front: lines.map(wordsOf), back: side('back_text') })
    return
  }
  serv.signs.set(key(position), { front: side('front_text'), back: side('back_text') })
}

/** @param {unknown} message JSON, or words @returns {string} */
function wordsOf(message) {
  try {
    return plain(component(JSON.parse(String(message)))).slice(0, LONGEST_LINE)
  } catch {
    return String(message).slice(0, LONGEST_LINE)
  }
}

/**
 * Return a text from any of its JSON forms.
 * @param {any} value @returns {import('../types/index.d.ts').Component}
 */
function component(value) {
  if (Array.isArray(value)) return { text: '', extra: value.map(component) }
  if (typeof value !== 'object' || !value) return { text: String(value ?? '') }
  const { text = '', translate, with: values = [], extra = [] } = value
  const parts = { with: values.map(component), extra: extra.map(component) }
  return translate === undefined
    ? { text: String(text), ...parts }
    : { translate: String(translate), ...parts }
}

/**
 * @param {Server} serv @param {Vec3} position @param {Tag} data
 * @returns {boolean} true if there is a container
 */
function fillContainer(serv, position, data) {
  const container = serv.containerAt(position)
  const list = /** @type {{value: Record<string, Tag>[]} | undefined} */ (
    partOf(data, 'Items')?.value
  )
  if (!container) return false
  const book = partOf(data, 'Book')
  if (container.name === 'lectern' && book) container.store.set(0, itemOf(book))
  for (const value of list?.value ?? []) {
    const tag = { type: 'compound', value }
    const item = itemOf(tag)
    const slot = plainOf(tag, 'Slot') ?? 0
    if (item && Number.isInteger(slot) && slot >= 0 && slot < container.store.slots.length)
      container.store.set(slot, item)
  }
  setProgress(container, progressIn(container, data))
  return true
}

// Block data in Minecraft's format: the `data` command returns it, and commands write it. Source:
// https://minecraft.wiki/w/Block_entity_format

/** @typedef {Record<string, Tag>} Parts of a compound */

/** A block's position and id, which commands cannot change. */
const FIXED = ['x', 'y', 'z', 'id']

/** @param {Server} serv */
function tellBlocks(serv) {
  serv.blockTag = (position) => {
    const { name } = blockAt(serv, position)
    const kind = kindOf(name)
    if (!kind) return null
    const { x, y, z } = shown(position)
    const place = { x: nbt.int(x), y: nbt.int(y), z: nbt.int(z) }
    const parts = partsAt(serv, position, name)
    return nbt.comp({ ...place, ...parts, id: nbt.string(`minecraft:${kind}`) })
  }

  serv.writeBlock = (position, data) => {
    const value = /** @type {Parts} */ (data.value)
    const rest = Object.entries(value).filter(([name]) => !FIXED.includes(name))
    const container = serv.containerAt(position)
    container?.store.slots.forEach((item, slot) => item && container.store.set(slot, null))
    serv.setBlockData(position, { type: 'compound', value: Object.fromEntries(rest) })
    if (!container) return
    const known = Object.keys(containerParts(container))
    const others = rest.filter(([name]) => !['Items', 'Book', ...known].includes(name))
    if (others.length)
      serv.blockData.set(key(position), { type: 'compound', value: Object.fromEntries(others) })
    else serv.blockData.delete(key(position))
  }
}

/** @param {Server} serv @param {Vec3} position @param {string} name of the block @returns {Parts} */
function partsAt(serv, position, name) {
  const partsOf = (/** @type {unknown} */ tag) =>
    /** @type {Parts} */ (/** @type {Tag | undefined} */ (tag)?.value ?? {})
  if (name.endsWith('_sign')) return partsOf(serv.signData(position))
  if (name.endsWith('command_block')) return partsOf(serv.commandData(position))
  const container = serv.containerAt(position)
  const rest = partsOf(serv.blockData.get(key(position)))
  return container ? { ...rest, ...containerParts(container) } : rest
}

/** @param {Container} container @returns {Parts} */
function containerParts(container) {
  const { name, store } = container
  const [book] = store.slots
  const progress = progressParts(name, container)
  if (name === 'lectern') return book ? { Book: tagOfItem(book), ...progress } : {}
  return { Items: itemsTag(store.slots), ...progress }
}
