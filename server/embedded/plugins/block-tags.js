/**
 * What `data` tells of blocks, in Minecraft's form, and what commands write into them.
 * Source: https://minecraft.wiki/w/Block_entity_format
 */
import { tagOfItem } from '../items.js'
import { nbt } from '../minecraft.js'
import { kindOf } from './block-entities.js'
import { progressParts } from './block-progress.js'
import { blockAt, key } from './blocks.js'
import { shown } from './dimensions.js'
import { itemsTag } from './entity-data.js'

/** @import { Server, Tag, Vec3 } from '../types.d.ts' */
/** @import { Container } from './additions.d.ts' */
/** @typedef {Record<string, Tag>} Parts of a compound */

/** What says where and what a block is, which nothing changes. */
const FIXED = ['x', 'y', 'z', 'id']

/** @param {Server} serv */
export function server(serv) {
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
