/** Death, and coming back. */
import { component } from './chat.js'
import { FULL } from './health.js'
import { FIRST_SATURATION } from './hunger.js'

/** @import { Player, Server } from '../types.d.ts' */

const DEATH_STATUS = 3
/** @type {Record<string, string>} */
const DEATHS = {
  fall: 'hit the ground too hard',
  starve: 'starved to death',
  out_of_world: 'fell out of the world',
  generic_kill: 'was killed'
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.isDead = false

  player.die = (cause, by) => {
    player.isDead = true
    player.stopUsing()
    const how = by ? `was slain by ${by.username}` : (DEATHS[cause] ?? 'died')
    const message = `${player.username} ${how}`
    player.shutWindow()
    player.closeWindow()
    if (!serv.gamerules.keepInventory)
      for (const item of player.emptyPockets()) player.spillItem(item)
    player._client.write('death_combat_event', { playerId: player.id, message: component(message) })
    serv.send([...player.watchers], 'entity_status', {
      entityId: player.id,
      entityStatus: DEATH_STATUS
    })
    if (serv.gamerules.showDeathMessages) serv.broadcast(message)
    serv.emit('playerDied', player, cause)
  }

  player._client.on('client_command', ({ actionId }) => {
    if (actionId === 'perform_respawn' && player.isDead) comeBack(player, serv)
  })
}

/** @param {Player} player @param {Server} serv */
function comeBack(player, serv) {
  Object.assign(player, {
    isDead: false,
    health: FULL,
    food: FULL,
    foodSaturation: FIRST_SATURATION,
    exhaustion: 0,
    fallBlocks: 0
  })
  const watchers = [...player.watchers]
  serv.send(watchers, 'entity_destroy', { entityIds: [player.id] })
  for (const watcher of watchers) watcher.seen.delete(player)
  player.watchers.clear()
  serv.moveEntity(player, serv.spawnPlaceOf(player), false)
  player.reenter()
  serv.enterEntity(player)
  player.sendHealth()
}
