import { oneOrMany } from '../../minecraft/texts.js'
import { copyOf } from '../../windows/store.js'
import { CommandError, Reply } from '../replies.js'

/** @import { Item, Player } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['clear'],
  run: ({ args }) => {
    const players = args.playersOrSelf()
    const isMeant = args.done ? () => true : args.items()
    const most = args.done ? Infinity : args.integer({ min: 0 })
    args.end()
    const count = players.reduce((sum, player) => {
      return sum + (most === 0 ? found(player, isMeant) : clear(player, isMeant, most))
    }, 0)
    if (!count) throw none(players)
    const key = most === 0 ? 'commands.clear.test' : 'commands.clear.success'
    return new Reply(oneOrMany(key, players, { before: [count] })).worth(count)
  }
}

/** @param {Player[]} players */
const none = (players) =>
  players.length === 1
    ? new CommandError('clear.failed.single', players[0].username)
    : new CommandError('clear.failed.multiple', players.length)

/** @param {Player} player @param {(item: Item) => boolean} isMeant @param {number} most */
function clear(player, isMeant, most) {
  let removed = 0
  player.closeWindow()
  player.inventory.slots.forEach((item, /** @type {number} */ slot) => {
    if (!item || !isMeant(item)) return
    const taken = Math.min(item.count, most - removed)
    removed += taken
    player.inventory.set(slot, copyOf(item, item.count - taken))
  })
  return removed
}

/**
 * Count matching items; used when the maximum is 0.
 * @param {Player} player @param {(item: Item) => boolean} isMeant
 */
function found(player, isMeant) {
  return player.inventory.slots.reduce(
    (sum, item) => sum + (item && isMeant(item) ? item.count : 0),
    0
  )
}
