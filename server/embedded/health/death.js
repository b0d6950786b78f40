/** Death and respawning. */
import { registry } from '../minecraft/index.js'
import { inBrackets } from '../minecraft/item-names.js'
import { nameOfEntity, nameOfPlayer, packed, translated } from '../minecraft/texts.js'
import { messageOf } from './damage-types.js'
import { SPECTATOR } from '../players/game-modes.js'
import { FULL } from './health.js'
import { FIRST_SATURATION } from './hunger.js'
import { resetImmunity } from './immunity.js'

/** @import { Animal, Player, Server } from '../types/index.d.ts' */

const DEATH_STATUS = 3
/** Up to this fall distance, in blocks, the message is "hit the ground too hard". */
const SHORT_FALL = 5
/** Experience points that dead players drop (minecraft.wiki: Experience). */
const LEFT = { perLevel: 7, most: 100 }

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.isDead = false

  player.die = (cause, by) => {
    player.isDead = true
    player.stopUsing()
    const message = deathOf(player, cause, by)
    player.shutWindow()
    player.closeWindow()
    if (!serv.gamerules.keepInventory) leaveAll(player, serv)
    player._client.write('death_combat_event', { playerId: player.id, message: packed(message) })
    serv.send([...player.watchers], 'entity_status', {
      entityId: player.id,
      entityStatus: DEATH_STATUS
    })
    if (serv.gamerules.showDeathMessages) serv.broadcast(message)
    serv.emit('playerDied', player, cause, by ?? null)
  }

  player._client.on('client_command', ({ actionId }) => {
    if (actionId === 'perform_respawn' && player.isDead) comeBack(player, serv)
  })
}

/** Drop items and some of the experience. @param {Player} player @param {Server} serv */
function leaveAll(player, serv) {
  for (const item of player.emptyPockets()) player.spillItem(item)
  const left = Math.min(LEFT.most, player.level * LEFT.perLevel)
  if (player.gameMode !== SPECTATOR) serv.spillExperience(left, player.position)
  Object.assign(player, { level: 0, points: 0, totalPoints: 0 })
}

/**
 * Return the death message for all players.
 * @param {Player} player @param {string} cause @param {Player | Animal} [by]
 */
function deathOf(player, cause, by) {
  const name = nameOfPlayer(player)
  if (cause === 'fall' && player.fallBlocks > SHORT_FALL) {
    return translated('death.fell.accident.generic', name)
  }
  const key = `death.attack.${messageOf(cause)}`
  if (!by) return translated(key in registry.language ? key : 'death.attack.generic', name)
  const weapon = by.type === 'player' ? by.heldItem : null
  if (weapon && weapon.customName !== null)
    return translated(`${key}.item`, name, nameOfEntity(by), inBrackets(weapon))
  return translated(key, name, nameOfEntity(by))
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
  for (const id of [...player.activeEffects.keys()]) player.endEffect(id)
  resetImmunity(player)
  serv.checkBed(player)
  const yaw = player.spawnPoint ? player.spawnAngle : serv.spawnAngle
  Object.assign(player, { yaw, pitch: 0 })
  serv.moveEntity(player, serv.spawnPlaceOf(player), false)
  player.appear(false)
}
