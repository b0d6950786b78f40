import { CommandError } from './reader.js'
import { copyOf } from '../windows/store.js'

/** @import { ItemKind, Player } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['clear'],
  usage: 'clear [targets] [item] [maxCount]',
  run: ({ source, args }) => {
    const players = args.done && source.player ? [source.player] : args.players()
    const kind = args.done || args.text.endsWith(' *') ? null : args.item()
    const most = args.done ? Infinity : args.integer({ min: 0 })
    args.end()
    if (most === 0) return found(players, kind)
    const removed = players.reduce((sum, player) => sum + clear(player, kind, most), 0)
    const one = players.length === 1
    if (!removed) {
      const whom = one ? `player ${players[0].username}` : `${players.length} players`
      throw new CommandError(`No items were found on ${whom}`)
    }
    const whom = one ? `player ${players[0].username}` : `${players.length} players`
    return `Removed ${removed} item(s) from ${whom}`
  }
}

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

/** What a count of 0 asks for. @param {Player[]} players @param {ItemKind | null} kind null for all */
function found(players, kind) {
  const slots = players.flatMap((player) => player.inventory.slots)
  const items = slots.filter((item) => item !== null)
  const matching = items.filter((item) => !kind || item.type === kind.id)
  const count = matching.reduce((sum, item) => sum + item.count, 0)
  const whom = players.length === 1 ? `player ${players[0].username}` : `${players.length} players`
  if (!count) throw new CommandError(`No items were found on ${whom}`)
  return `Found ${count} matching item(s) on ${whom}`
}
