import { itemNamed } from '../minecraft.js'
import { inBrackets, oneOrMany } from '../texts.js'
import { CommandError, Reply } from './replies.js'

const MOST_STACKS = 100

/** @type {import('./index.js').Command} */
export const command = {
  names: ['give'],
  run: ({ args }) => {
    const players = args.players()
    const kind = args.item()
    const count = args.done ? 1 : args.integer({ min: 1 })
    args.end()
    const most = kind.stackSize * MOST_STACKS
    if (count > most)
      throw new CommandError('commands.give.failed.toomanyitems', most, inBrackets(kind))
    for (const player of players) {
      const left = player.giveItem(itemNamed(kind.name, count))
      if (left) player.throwItem(left)
    }
    const values = { before: [count, inBrackets(kind)] }
    return new Reply(oneOrMany('commands.give.success', players, values)).worth(players.length)
  }
}
