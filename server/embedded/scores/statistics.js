/**
 * Statistics of each player, counted by the server: items and blocks mined, used, crafted, broken,
 * picked up and dropped, mobs killed, killers, distances and play time.
 *
 * As in vanilla, a client that asks receives what has changed since it last asked. Custom
 * statistics (distances, times, number of deaths) are not sent; only scoreboards count them.
 */
import { registry } from '../minecraft/index.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Category numbers in the protocol. @type {Record<Counted, number>} */
const CATEGORIES = {
  ...{ mined: 0, crafted: 1, used: 2, broken: 3, picked_up: 4, dropped: 5 },
  ...{ killed: 6, killed_by: 7, custom: 8 }
}
/**
 * Registries for categories that do not count items.
 * @type {Partial<Record<Counted, Record<string, {id: number}>>>}
 */
const KINDS = {
  mined: registry.blocksByName,
  killed: registry.entitiesByName,
  killed_by: registry.entitiesByName
}

/** @typedef {'mined' | 'crafted' | 'used' | 'broken' | 'picked_up' | 'dropped' | 'killed' | 'killed_by' | 'custom'} Counted */

/** @param {Server} serv */
export function server(serv) {
  serv.statistics = new Map()

  serv.statisticsOf = (player) => {
    const own = serv.statistics.get(player.username) ?? new Map()
    serv.statistics.set(player.username, own)
    return own
  }

  /**
   * @param {Player} player @param {Counted} kind @param {{name: string}} what
   * @param {number} [count]
   */
  const add = (player, kind, { name }, count = 1) => {
    const known = KINDS[kind] ?? registry.itemsByName
    const key = `${CATEGORIES[kind]},${known[name].id}`
    const own = serv.statisticsOf(player)
    own.set(key, (own.get(key) ?? 0) + count)
    player.untold.add(key)
    serv.emit('counted', player, kind, name, count)
  }
  serv.on('blockDug', (player, _, block) => add(player, 'mined', block))
  serv.on('itemPickedUp', (player, item, count) => add(player, 'picked_up', item, count))
  serv.on('itemUsed', (player, item) => add(player, 'used', item))
  serv.on('itemCrafted', (player, item) => add(player, 'crafted', item, item.count))
  serv.on('itemBroken', (player, item) => add(player, 'broken', item))
  serv.on('itemDropped', (player, item) => {
    add(player, 'dropped', item, item.count)
    serv.emit('counted', player, 'custom', 'drop', 1)
  })
  serv.on('animalKilled', (by, animal) => {
    if (!by) return
    add(by, 'killed', animal)
    serv.emit('counted', by, 'custom', 'mob_kills', 1)
  })
  serv.on('playerDied', (player, _cause, by) => {
    serv.emit('counted', player, 'custom', 'deaths', 1)
    if (!by || by === player) return
    add(player, 'killed_by', by)
    if (by.type !== 'player') return
    add(by, 'killed', player)
    serv.emit('counted', by, 'custom', 'player_kills', 1)
  })
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
