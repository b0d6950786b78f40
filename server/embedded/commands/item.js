import { inBrackets } from '../item-names.js'
import { oneOrMany } from '../texts.js'
import { copyOf } from '../windows/store.js'
import { CommandError, Reply, said } from './replies.js'

/** @import { Player } from '../types.d.ts' */

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

/** @type {import('./index.js').Command} */
export const command = {
  names: ['item'],
  branches: ['replace'],
  run: ({ serv, args }) => {
    args.oneOf(['replace'])
    const isBlock = args.oneOf(['block', 'entity']) === 'block'
    const position = isBlock ? args.blockPosition() : null
    const players = isBlock ? [] : args.players({ mayBeOthers: true })
    const slot = args.word()
    args.oneOf(['with'])
    const kind = args.stack()
    const count = args.done ? 1 : args.integer({ min: 1, max: kind.stackSize })
    args.end()
    const make = () => (kind.name === 'air' ? null : copyOf(kind, count))
    if (!position) {
      for (const player of players) {
        player.inventory.set(inventorySlot(slot, player, args), make())
      }
      const after = [inBrackets(kind)]
      return new Reply(oneOrMany('commands.item.entity.set.success', players, { after }))
    }
    const container = serv.containerAt(position)
    const { x, y, z } = position
    if (!container) throw new CommandError('commands.item.target.not_a_container', x, y, z)
    const index = Number(slot.match(/^container\.(\d+)$/)?.[1] ?? NaN)
    if (!(index < container.store.slots.length)) {
      throw new CommandError('commands.item.target.no_such_slot', slot)
    }
    container.store.set(index, make())
    return said('commands.item.block.set.success', x, y, z, inBrackets(kind))
  }
}

/** @param {string} name such as hotbar.0 @param {Player} player @param {import('./reader.js').Reader} args */
function inventorySlot(name, player, args) {
  if (name === 'weapon.mainhand') return 36 + player.heldItemSlot
  const named = NAMED_SLOTS[name]
  if (named !== undefined) return named
  const match = name.match(/^(hotbar|inventory|container)\.(\d+)$/)
  const range = match && SLOT_RANGES[match[1]]
  if (!range || Number(match[2]) >= range.size) throw args.error('slot.unknown', name)
  const number = Number(match[2])
  const isHotbar = match[1] !== 'inventory' && number < 9
  return isHotbar ? 36 + number : range.start + number
}
