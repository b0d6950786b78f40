import { itemClass } from '../plugins/items.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['give'],
  usage: 'give <targets> <item> [count]',
  run: ({ serv, args }) => {
    const players = args.players()
    const kind = args.item()
    const count = args.done ? 1 : args.integer({ min: 1, max: kind.stackSize * 100 })
    args.end()
    const Item = itemClass(serv)
    for (const player of players) {
      const item = new Item(kind.id, count)
      if (!player.giveItem(item)) player.throwItem(item)
    }
    const whom = players.length === 1 ? players[0].username : `${players.length} players`
    return `Gave ${count} [${kind.displayName}] to ${whom}`
  }
}
