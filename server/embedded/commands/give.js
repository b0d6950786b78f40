import { itemNamed } from '../minecraft.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['give'],
  usage: 'give <targets> <item> [count]',
  run: ({ args }) => {
    const players = args.players()
    const kind = args.item()
    const count = args.done ? 1 : args.integer({ min: 1, max: kind.stackSize * 100 })
    args.end()
    for (const player of players) {
      const left = player.giveItem(itemNamed(kind.name, count))
      if (left) player.throwItem(left)
    }
    const whom = players.length === 1 ? players[0].username : `${players.length} players`
    return `Gave ${count} [${kind.displayName}] to ${whom}`
  }
}
