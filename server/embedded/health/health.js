/**
 * Health: damage and healing. Causes of damage are in falls.js, hunger.js, eating.js and combat.js;
 * death.js handles deaths.
 *
 * Numbers are vanilla's on normal difficulty (minecraft.wiki: Hunger, Damage).
 */
import { damageType } from './damage-types.js'
import { ADVENTURE, SURVIVAL } from '../players/game-modes.js'
import { isAbsolute, recordBlow } from './immunity.js'

/** @import { Animal, Player, Server } from '../types/index.d.ts' */
/** @import { Wound } from '../types/additions.d.ts' */

/** Full health, and full food. */
export const FULL = 20
const VOID_Y = -128

/** Return true if a player can be hurt and gets hungry. @param {Player} player */
export const isMortal = ({ gameMode }) => gameMode === SURVIVAL || gameMode === ADVENTURE

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const player of serv.players) {
      if (!player.spawned || player.isDead) continue
      if (player.position.y < VOID_Y) player.hurt(FULL, 'out_of_world')
      player.eat()
      player.digest()
    }
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.health = FULL

  player.sendHealth = () => {
    player._client.write('update_health', {
      health: player.health,
      food: player.food,
      foodSaturation: player.foodSaturation
    })
    player.showHealthToOthers()
  }

  /** Heal by half hearts. */
  player.heal = (amount) => {
    if (player.isDead) return
    player.health = Math.min(FULL, player.health + amount)
    player.sendHealth()
  }

  /**
   * @param {number} damage in half hearts @param {string} cause damage type, such as fall
   * @param {Player | Animal} [by] the attacker @returns {Wound}
   */
  player.hurt = (damage, cause, by) => {
    if (player.isDead || (!isMortal(player) && !isAbsolute(cause)) || damage === 0) return null
    if (player.blocks(damage, cause, by)) {
      recordBlow(serv, player, 0, cause)
      return null
    }
    const { wound, counts } = recordBlow(serv, player, damage, cause)
    if (!wound) return null
    const through = player.absorb(counts, cause)
    const left = Math.max(0, through - player.absorption)
    player.setAbsorption(Math.max(0, player.absorption - through))
    player.health = Math.max(0, player.health - left)
    const isKilled = player.health === 0 && !player.isSavedByTotem(cause)
    if (wound === 'new') showBlow(serv, player, cause, by)
    player.sendHealth()
    serv.emit('playerHurt', player, left, cause)
    if (isKilled) player.die(cause, by)
    return wound
  }
}

/**
 * Show damage to nearby players and to the victim.
 * @param {Server} serv @param {Player} player @param {string} cause @param {Player | Animal} [by]
 */
function showBlow(serv, player, cause, by) {
  serv.send([...player.watchers, player], 'damage_event', {
    entityId: player.id,
    sourceTypeId: damageType(cause),
    sourceCauseId: by ? by.id + 1 : 0,
    sourceDirectId: by ? by.id + 1 : 0,
    sourcePosition: undefined
  })
  if (by) player._client.write('hurt_animation', { entityId: player.id, yaw: turnTo(player, by) })
}

/**
 * Return the direction of the damage relative to the player's look, in degrees, for that player's
 * client.
 * @param {Player} player @param {Player | Animal} by
 */
function turnTo({ position, yaw }, by) {
  const { x, z } = by.position.minus(position)
  return (Math.atan2(z, x) * 180) / Math.PI - yaw
}
