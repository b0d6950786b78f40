import { oneOrMany } from '../texts.js'
import { copyOf } from '../windows/store.js'
import { CommandError, Reply } from './replies.js'

/** @import { ItemKind, Player } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['clear'],
  run: ({ args }) => {
    const isAll = args.done
    const players = args.playersOrSelf()
    const kind = args.done || args.peek() === '*' ? null : args.item()
    if (args.peek() === '*') args.word()
    const most = args.done ? Infinity : args.integer({ min: 0 })
    args.end()
    const count = players.reduce((sum, player) => {
      return sum + (most === 0 ? found(player, kind) : clear(player, isAll ? null : kind, most))
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

/** @param {Player} player @param {ItemKind | null} kind null for all @param {number} most */
function clear(player, kind, most) {
  let removed = 0
  player.closeWindow()
  player.inventory.slots.forEach((item, /** @type {number} */ slot) => {
    if (!item || (kind && item.type !== kind.id)) return
    const taken = Math.min(item.count, most - removed)
    removed += taken
    player.inventory.set(slot, copyOf(item, item.count - taken))
  })
  return removed
}

/** What a count of 0 asks for. @param {Player} player @param {ItemKind | null} kind null for all */
function found(player, kind) {
  return player.inventory.slots.reduce(
    (sum, item) => sum + (item && (!kind || item.type === kind.id) ? item.count : 0),
    0
  )
}
