/**
 * Statistics: how often each player mined, used and picked up what, counted by the server alone.
 *
 * A client that asks is told what changed since it asked last, and at first all that there is, as in
 * vanilla. Other kinds of statistics (distances, times, kills) are not counted here.
 */
import { registry } from '../minecraft.js'

/** @import { Player, Server } from '../types.d.ts' */

/** Their numbers in the protocol. @type {Record<Counted, number>} */
const CATEGORIES = { mined: 0, used: 2, picked_up: 4 }

/** @typedef {'mined' | 'used' | 'picked_up'} Counted */

/** @param {Server} serv */
export function server(serv) {
  /** By the player's name, which outlasts its connection. @type {Map<string, Map<string, number>>} */
  const counts = new Map()

  serv.statisticsOf = (player) => {
    const own = counts.get(player.username) ?? new Map()
    counts.set(player.username, own)
    return own
  }

  /** @param {Player} player @param {Counted} kind @param {{name: string}} what @param {number} [count] */
  const add = (player, kind, { name }, count = 1) => {
    const known = kind === 'mined' ? registry.blocksByName : registry.itemsByName
    const key = `${CATEGORIES[kind]},${known[name].id}`
    const own = serv.statisticsOf(player)
    own.set(key, (own.get(key) ?? 0) + count)
    player.untold.add(key)
    serv.emit('counted', player, kind, name, count)
  }
  serv.on('blockDug', (player, _, block) => add(player, 'mined', block))
  serv.on('itemPickedUp', (player, item, count) => add(player, 'picked_up', item, count))
  serv.on('itemUsed', (player, item) => add(player, 'used', item))
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const own = serv.statisticsOf(player)
  player.untold = new Set(own.keys())
  player._client.on('client_command', ({ actionId }) => {
    if (actionId !== 'request_stats') return
    const entries = [...player.untold].map((key) => {
      const [categoryId, statisticId] = key.split(',').map(Number)
      return { categoryId, statisticId, value: own.get(key) }
    })
    player.untold.clear()
    player._client.write('statistics', { entries })
  })
}
