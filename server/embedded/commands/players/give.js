import { inBrackets } from '../../minecraft/item-names.js'
import { registry } from '../../minecraft/index.js'
import { oneOrMany } from '../../minecraft/texts.js'
import { copyOf, stacksOf } from '../../windows/store.js'
import { CommandError, Reply } from '../replies.js'

/** @import { Item } from '../../types/index.d.ts' */

const MOST_STACKS = 100

/** @type {import('../index.js').Command} */
export const command = {
  names: ['give'],
  run: ({ args }) => {
    const players = args.players()
    const stack = args.stack()
    const kind = registry.items[stack.type]
    const count = args.done ? 1 : args.integer({ min: 1 })
    args.end()
    const most = kind.stackSize * MOST_STACKS
    if (count > most)
      throw new CommandError('commands.give.failed.toomanyitems', most, inBrackets(stack))
    for (const player of players) {
      const left = player.giveItem(/** @type {Item} */ (copyOf(stack, count)))
      for (const one of left ? stacksOf(left) : []) player.throwItem(one)
    }
    const values = { before: [count, inBrackets(stack)] }
    return new Reply(oneOrMany('commands.give.success', players, values)).worth(players.length)
  }
}
