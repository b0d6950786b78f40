import { shown } from '../plugins/dimensions.js'
import { key } from '../plugins/blocks.js'
import { nameOfEntity } from '../texts.js'
import { CommandError, told } from './replies.js'

/** @import { Animal, Drop, Entity, Item, Player, Server } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['data'],
  branches: ['get'],
  run: ({ serv, args }) => {
    args.oneOf(['get'])
    if (args.oneOf(['entity', 'block']) === 'entity') return entityData(args)
    return blockData(serv, args)
  }
}

/** @param {import('./reader.js').Reader} args */
function entityData(args) {
  const entity = args.entity()
  const data = dataOf(entity)
  return told('commands.data.entity.query', nameOfEntity(entity), pick(data, args))
}

/** @param {Entity} entity @returns {Record<string, () => string>} */
function dataOf(entity) {
  if (entity.type === 'object') return dropData(entity)
  if (entity.type === 'thing') return { Pos: () => place(entity) }
  return livingData(entity)
}

/** @param {Drop} drop */
function dropData(drop) {
  return {
    Item: () => snbtItem(drop.item),
    Age: () => `${drop.ageTicks}s`,
    Pos: () => place(drop)
  }
}

/** Vanilla's, in ticks: the air of who breathes, and what stands for no fire. */
const MOST_AIR = 300
const NOT_BURNING = -20

/** @param {Player | Animal} entity */
function livingData(entity) {
  const player = entity.type === 'player' ? entity : null
  return {
    Inventory: () => snbtItems(player ? inventorySlots(player) : []),
    Pos: () => place(entity),
    Health: () => `${entity.health.toFixed(1)}f`,
    Air: () => `${player?.air ?? MOST_AIR}s`,
    Fire: () => `${player?.burnTicks || NOT_BURNING}s`,
    foodLevel: () => String(player?.food ?? 20),
    SelectedItemSlot: () => String(player?.heldItemSlot ?? 0)
  }
}

/** @param {Entity} entity */
const place = ({ position }) => snbtDoubles(shown(position).toArray())

/** @param {Item} item */
const snbtItem = (item) => `{id: "minecraft:${item.name}", Count: ${item.count}b}`

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function blockData(serv, args) {
  const position = args.blockPosition()
  const { x, y, z } = position
  const container = serv.containerAt(position)
  const sign = serv.signs.get(key(position))
  if (sign) return told('commands.data.block.query', x, y, z, pick(signTexts(sign), args))
  if (!container) throw new CommandError('commands.data.block.invalid')
  const slots = container.store.slots.map((item, slot) => ({ slot, item }))
  const data = { Items: () => snbtItems(slots), id: () => `"minecraft:${container.name}"` }
  return told('commands.data.block.query', x, y, z, pick(data, args))
}

/** @param {import('../plugins/signs.js').SignText} sign */
function signTexts({ front, back }) {
  const side = (/** @type {string[]} */ lines) =>
    `{has_glowing_text: 0b, color: "black", messages: [${lines
      .map((line) => `'${JSON.stringify({ text: line }).replaceAll("'", "\\'")}'`)
      .join(', ')}]}`
  return { front_text: () => side(front), back_text: () => side(back), is_waxed: () => '0b' }
}

/** @param {Record<string, () => string>} data @param {import('./reader.js').Reader} args */
function pick(data, args) {
  if (args.done) {
    return `{${Object.entries(data)
      .map(([key, read]) => `${key}: ${read()}`)
      .join(', ')}}`
  }
  const path = args.word()
  args.end()
  if (!(path in data)) throw new CommandError('arguments.nbtpath.nothing_found', path)
  return data[path]()
}

/** @type {Record<number, number>} window slot → vanilla's */
const ARMOUR_AND_OFF_HAND = { 5: 103, 6: 102, 7: 101, 8: 100, 45: -106 }

/** Window slots in vanilla's inventory numbers: hotbar 0–8, main 9–35, armor 100–103, off hand -106. @param {Player} player */
function inventorySlots(player) {
  return player.inventory.slots
    .map((item, slot) => ({
      item,
      slot: slot >= 36 && slot <= 44 ? slot - 36 : (ARMOUR_AND_OFF_HAND[slot] ?? slot),
      crafting: slot < 5
    }))
    .filter((entry) => !entry.crafting)
    .sort((a, b) => a.slot - b.slot)
}

/** @param {{slot: number, item: Item | null}[]} entries */
function snbtItems(entries) {
  const items = entries.flatMap(({ slot, item }) =>
    item ? [`{Slot: ${slot}b, id: "minecraft:${item.name}", Count: ${item.count}b}`] : []
  )
  return `[${items.join(', ')}]`
}

/** @param {number[]} values */
const snbtDoubles = (values) =>
  `[${values.map((value) => `${Number.isInteger(value) ? `${value}.0` : value}d`).join(', ')}]`
