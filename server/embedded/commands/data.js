import { CommandError, nameOf } from './reader.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['data'],
  usage: 'data get entity <target> [path] | data get block <pos> [path]',
  run: ({ serv, args }) => {
    args.oneOf(['get'])
    if (args.oneOf(['entity', 'block']) === 'entity') return entityData(args)
    return blockData(serv, args)
  }
}

/** @param {import('./reader.js').Reader} args */
function entityData(args) {
  const [entity, ...more] = args.entities()
  if (more.length) throw new CommandError('Only one entity is allowed')
  /** @type {Record<string, () => string>} */
  const data = entity.item
    ? {
        Item: () => snbtItem(entity.item),
        Age: () => `${entity.ageTicks}s`,
        Pos: () => place(entity)
      }
    : livingData(entity)
  return `${nameOf(entity)} has the following entity data: ${pick(data, args)}`
}

/** @param {any} entity */
function livingData(entity) {
  return {
    Inventory: () => snbtItems(inventorySlots(entity)),
    Pos: () => place(entity),
    Health: () => `${(entity.health ?? 0).toFixed(1)}f`,
    foodLevel: () => String(entity.food ?? 20),
    SelectedItemSlot: () => String(entity.heldItemSlot ?? 0)
  }
}

/** @param {any} entity */
const place = ({ position }) => snbtDoubles(['x', 'y', 'z'].map((axis) => position[axis]))

/** @param {any} item */
const snbtItem = (item) => `{id: "minecraft:${item.name}", Count: ${item.count}b}`

/** @param {any} serv @param {import('./reader.js').Reader} args */
function blockData(serv, args) {
  const position = args.blockPosition()
  const container = serv.containerAt(position)
  if (!container) throw new CommandError('The target block is not a block entity')
  const slots = container.store.slots.map(
    (/** @type {any} */ item, /** @type {number} */ slot) => ({
      slot,
      item
    })
  )
  const data = { Items: () => snbtItems(slots), id: () => `"minecraft:${container.name}"` }
  const { x, y, z } = position
  return `${x}, ${y}, ${z} has the following block data: ${pick(data, args)}`
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
  if (!(path in data)) throw new CommandError(`Found no elements matching ${path}`)
  return data[path]()
}

/** Window slots in vanilla's inventory numbers: hotbar 0–8, main 9–35, armor 100–103, off hand -106. @param {any} player */
function inventorySlots(player) {
  const armor = { 5: 103, 6: 102, 7: 101, 8: 100, 45: -106 }
  return (player.inventory?.slots ?? [])
    .map((/** @type {any} */ item, /** @type {number} */ slot) => ({
      item,
      slot: slot >= 36 && slot <= 44 ? slot - 36 : (/** @type {any} */ (armor)[slot] ?? slot),
      crafting: slot < 5
    }))
    .filter((/** @type {any} */ entry) => !entry.crafting)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => a.slot - b.slot)
}

/** @param {{slot: number, item: any}[]} entries */
function snbtItems(entries) {
  const items = entries
    .filter(({ item }) => item)
    .map(
      ({ slot, item }) => `{Slot: ${slot}b, id: "minecraft:${item.name}", Count: ${item.count}b}`
    )
  return `[${items.join(', ')}]`
}

/** @param {number[]} values */
const snbtDoubles = (values) =>
  `[${values.map((value) => `${Number.isInteger(value) ? `${value}.0` : value}d`).join(', ')}]`
