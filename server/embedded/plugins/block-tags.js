/**
 * What `data` tells of blocks, in Minecraft's form, and what commands write into them.
 * Source: https://minecraft.wiki/w/Block_entity_format
 */
import { plainOf } from '../commands/snbt.js'
import { tagOfItem } from '../items.js'
import { nbt } from '../minecraft.js'
import { kindOf } from './block-entities.js'
import { blockAt, key } from './blocks.js'
import { BrewingStand } from './brewing.js'
import { Campfire } from './campfires.js'
import { shown } from './dimensions.js'
import { itemsTag } from './entity-data.js'
import { Furnace } from './furnaces.js'

/** @import { Server, Tag, Vec3 } from '../types.d.ts' */
/** @import { Container } from './additions.d.ts' */
/** @typedef {Record<string, Tag>} Parts of a compound */

/** What says where and what a block is, which nothing changes. */
const FIXED = ['x', 'y', 'z', 'id']
/** Of 16 bits. */
const LARGEST = 32_767

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
    setProgress(container, data)
    const known = Object.keys(containerParts(container))
    const others = rest.filter(([name]) => !['Items', 'Book', ...known].includes(name))
    if (others.length)
      serv.blockData.set(key(position), { type: 'compound', value: Object.fromEntries(others) })
    else serv.blockData.delete(key(position))
  }
}

/** What goes on in one. @param {Container | Furnace} container @param {Tag} data */
function setProgress(container, data) {
  const number = (/** @type {string} */ name) =>
    Math.max(0, Math.min(LARGEST, Number(plainOf(data, name) ?? 0) || 0))
  if (container instanceof Furnace) {
    const burning = number('BurnTime')
    const burnTotal = Math.max(burning, container.burnTotal)
    const total = number('CookTimeTotal') || container.total
    Object.assign(container, { burning, burnTotal, cooked: number('CookTime'), total })
  } else if (container instanceof BrewingStand) {
    const [ingredient] = container.store.slots.slice(3)
    const left = number('BrewTime')
    Object.assign(container, { fuel: number('Fuel'), left, with: ingredient?.type ?? -1 })
  } else return
  container.store.emit('change', 1) // it looks whether there is anything to do
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

/** @param {Container | Furnace} container @returns {Parts} */
function containerParts(container) {
  const { name, store } = container
  const [book] = store.slots
  if (name === 'lectern') return book ? { Book: tagOfItem(book), Page: nbt.int(0) } : {}
  const items = { Items: itemsTag(store.slots) }
  if (container instanceof Furnace) {
    return {
      ...items,
      BurnTime: nbt.short(container.burning),
      CookTime: nbt.short(container.cooked),
      CookTimeTotal: nbt.short(container.total),
      RecipesUsed: nbt.comp({})
    }
  }
  if (container instanceof BrewingStand) {
    return { ...items, BrewTime: nbt.short(container.left), Fuel: nbt.byte(container.fuel) }
  }
  if (container instanceof Campfire) {
    return { ...items, CookingTimes: { type: 'intArray', value: [...container.cooked] } }
  }
  return items
}
