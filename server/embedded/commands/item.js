import { CommandError } from './reader.js'
import { itemClass } from '../plugins/items.js'

const INVENTORY_SLOTS = { container: 9, hotbar: 36, inventory: 9 }

/** @type {import('./index.js').Command} */
export const command = {
  names: ['item'],
  usage: 'item replace block <pos>|entity <targets> <slot> with <item> [count]',
  run: ({ serv, args }) => {
    args.oneOf(['replace'])
    const isBlock = args.oneOf(['block', 'entity']) === 'block'
    const position = isBlock ? args.blockPosition() : null
    const players = isBlock ? [] : args.players()
    const slot = args.word()
    args.oneOf(['with'])
    const kind = args.item()
    const count = args.done ? 1 : args.integer({ min: 1, max: kind.stackSize })
    args.end()
    const make = () => (kind.name === 'air' ? null : new (itemClass(serv))(kind.id, count))
    if (!position) {
      for (const player of players) player.inventory.updateSlot(inventorySlot(slot, args), make())
      return `Replaced a slot on ${players.map((p) => p.username).join(', ')} with [${kind.displayName}]`
    }
    const container = serv.containerAt(position)
    const at = `${position.x}, ${position.y}, ${position.z}`
    if (!container) throw new CommandError(`Target position ${at} is not a container`)
    const index = Number(slot.match(/^container\.(\d+)$/)?.[1] ?? NaN)
    if (!(index < container.slots.length)) {
      throw new CommandError(`The target does not have slot ${slot}`)
    }
    container.set(index, make())
    return `Replaced a slot at ${at} with [${kind.displayName}]`
  }
}

/** @param {string} name such as hotbar.0 @param {import('./reader.js').Reader} args */
function inventorySlot(name, args) {
  if (name === 'weapon.mainhand') return 36
  const match = name.match(/^(hotbar|inventory)\.(\d+)$/)
  if (!match) throw args.error(`Unknown slot '${name}'`)
  return INVENTORY_SLOTS[/** @type {'hotbar' | 'inventory'} */ (match[1])] + Number(match[2])
}
