/** Hunger: exhaustion, food, regeneration and starvation. */
import { FULL, isMortal } from './health.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

/** Saturation of a new player. */
export const FIRST_SATURATION = 5
const EXHAUSTION_PER_FOOD = 4
const EXHAUSTION = { sprintBlock: 0.1, heal: 6 }
const HEAL_TICKS = { saturated: 10, fed: 80 }
const STARVE_TICKS = 80
const FED = 18
const PEACEFUL_TICKS = 20

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  Object.assign(player, { food: FULL, foodSaturation: FIRST_SATURATION, exhaustion: 0 })
  let healTicks = 0

  player.tire = (amount) => {
    if (isMortal(player)) player.exhaustion += amount
  }

  /** @param {Vec3} before the player's previous position */
  player.tireOfSprint = (before) => {
    const across = Math.hypot(player.position.x - before.x, player.position.z - before.z)
    if (player.sprinting && across > 0) player.tire(EXHAUSTION.sprintBlock * across)
  }

  player.feed = (food, saturation) => {
    player.food = Math.min(FULL, player.food + food)
    player.foodSaturation = Math.min(player.food, player.foodSaturation + saturation)
    player.sendHealth()
  }

  /** Process one tick of hunger and healing. */
  player.digest = () => {
    if (!isMortal(player)) return
    const { health, food, foodSaturation } = player
    if (serv.difficulty === 0) feedPeacefully(player, serv)
    else spendExhaustion(player)
    recover()
    const isSame =
      player.health === health && player.food === food && player.foodSaturation === foodSaturation
    if (!isSame && !player.isDead) player.sendHealth()
  }

  function recover() {
    healTicks += 1
    if (player.food === 0) {
      if (healTicks < STARVE_TICKS) return
      healTicks = 0
      starve(player, serv)
      return
    }
    const isHurt = player.health < FULL && serv.gamerules.naturalRegeneration
    const isSaturated = player.food === FULL && player.foodSaturation > 0
    if (!isHurt || player.food < FED) {
      healTicks = 0
    } else if (healTicks >= (isSaturated ? HEAL_TICKS.saturated : HEAL_TICKS.fed)) {
      healTicks = 0
      const amount = isSaturated ? Math.min(player.foodSaturation, 6) / 6 : 1
      player.health = Math.min(FULL, player.health + amount)
      player.tire(isSaturated ? amount * EXHAUSTION.heal : EXHAUSTION.heal)
    }
  }
}

/** @param {Player} player @param {Server} serv */
function feedPeacefully(player, serv) {
  player.exhaustion = 0
  if (serv.tickCount % PEACEFUL_TICKS !== 0) return
  player.food = Math.min(FULL, player.food + 1)
  player.health = Math.min(FULL, player.health + 1)
}

/** @param {Player} player */
function spendExhaustion(player) {
  if (player.exhaustion < EXHAUSTION_PER_FOOD) return
  player.exhaustion -= EXHAUSTION_PER_FOOD
  if (player.foodSaturation > 0) player.foodSaturation = Math.max(0, player.foodSaturation - 1)
  else player.food = Math.max(0, player.food - 1)
}

/**
 * Apply starvation damage within the limits of the difficulty.
 * @param {Player} player @param {Server} serv
 */
function starve(player, serv) {
  const isBearable = player.health > 1 || serv.difficulty === 3
  if (isBearable && (player.health > 10 || serv.difficulty > 1)) player.hurt(1, 'starve')
}
