import { inBrackets } from '../../minecraft/item-names.js'
import { itemNamed } from '../../minecraft/index.js'
import { shown } from '../../world/dimensions.js'
import { nameOfItem, oneOrMany } from '../../minecraft/texts.js'
import { copyOf } from '../../windows/store.js'
import { CommandError, Reply, said } from '../replies.js'

/** @import { Item, Player, Vec3 } from '../../types/index.d.ts' */
/** @import { Store } from '../../windows/store.js' */
/** @import { Reader } from '../arguments/reader.js' */

/** @type {Record<string, {start: number, size: number}>} */
const SLOT_RANGES = {
  container: { start: 0, size: 36 },
  hotbar: { start: 36, size: 9 },
  inventory: { start: 9, size: 27 }
}
/** @type {Record<string, number>} */
const NAMED_SLOTS = {
  'armor.head': 5,
  'armor.chest': 6,
  'armor.legs': 7,
  'armor.feet': 8,
  'weapon.offhand': 45
}

/** @type {import('../index.js').Command} */
export const command = {
  names: ['item'],
  branches: ['replace'],
  run: ({ args }) => {
    args.oneOf(['replace'])
    const target = readSlots(args)
    const isNew = args.oneOf(['with', 'from']) === 'with'
    const make = isNew ? readStack(args) : readSlot(args)
    args.end()
    const item = make()
    for (const { store, index } of target.slots()) store.set(index, item && copyOf(item))
    const title = inBrackets(item ?? NOTHING)
    if (target.position) {
      const { x, y, z } = target.position
      return said('commands.item.block.set.success', x, y, z, title)
    }
    const key = 'commands.item.entity.set.success'
    return new Reply(oneOrMany(key, target.players, { after: [title] })).worth(
      target.players.length
    )
  }
}

/** How replies describe an empty slot. */
const NOTHING = itemNamed('air')

/** @param {Reader} args @returns {() => Item | null} */
function readStack(args) {
  const kind = args.stack()
  const count = args.done ? 1 : args.integer({ min: 1, max: 64 })
  if (count > kind.stackSize)
    throw args.error('arguments.item.overstacked', nameOfItem(kind.name), kind.stackSize)
  return () => (kind.name === 'air' ? null : copyOf(kind, count))
}

/** Read the slot from which an item is copied. @param {Reader} args @returns {() => Item | null} */
function readSlot(args) {
  const source = readSlots(args)
  return () => {
    const [first, ...more] = source.slots()
    if (more.length) throw new CommandError('argument.entity.toomany')
    return first.store.slots[first.index]
  }
}

/**
 * Read a slot in a block or in players' inventories.
 * @param {Reader} args
 * @returns {{slots: () => {store: Store, index: number}[], position?: Vec3, players: Player[]}} `position` in its dimension's coordinates
 */
function readSlots(args) {
  const { serv } = args
  if (args.oneOf(['block', 'entity']) === 'entity') {
    const players = args.players({ mayBeOthers: true })
    const name = args.word()
    const index = slotNumber(name)
    if (index === null) throw args.error('slot.unknown', name)
    const slots = () =>
      players.map(({ inventory, heldItemSlot }) => ({
        store: inventory,
        index: index === HAND ? 36 + heldItemSlot : index
      }))
    return { slots, players }
  }
  const position = args.blockPosition()
  const name = args.word()
  const slots = () => {
    serv.loadBox(position, position)
    const { x, y, z } = shown(position)
    const container = serv.containerAt(position)
    if (!container) throw new CommandError('commands.item.target.not_a_container', x, y, z)
    const index = Number(name.match(/^container\.(\d+)$/)?.[1] ?? NaN)
    if (!(index < container.store.slots.length)) {
      throw new CommandError('commands.item.target.no_such_slot', name)
    }
    return [{ store: container.store, index }]
  }
  return { slots, position: shown(position), players: [] }
}

/** Stands for the selected slot. */
const HAND = -1

/**
 * @param {string} name such as hotbar.0
 * @returns {number | null} index in a player's inventory, or null
 */
function slotNumber(name) {
  if (name === 'weapon.mainhand' || name === 'weapon') return HAND
  const named = NAMED_SLOTS[name]
  if (named !== undefined) return named
  const match = name.match(/^(hotbar|inventory|container)\.(\d+)$/)
  const range = match && SLOT_RANGES[match[1]]
  if (!range || Number(match[2]) >= range.size) return null
  const number = Number(match[2])
  const isHotbar = match[1] !== 'inventory' && number < 9
  return isHotbar ? 36 + number : range.start + number
}
