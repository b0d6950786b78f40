/**
 * What weapons do besides their blow: sharpness and its like, fire, and the sweep of swords
 * (minecraft.wiki: Sharpness, Smite, Bane of Arthropods, Fire Aspect, Sweeping Edge).
 */
import { registry } from '../minecraft.js'

/** @import { Animal, Item, Player, Server, Thing } from '../types.d.ts' */

const UNDEAD =
  /^(zombie|zombie_villager|zombie_horse|zombified_piglin|zoglin|husk|drowned|skeleton|skeleton_horse|stray|wither|wither_skeleton|phantom)$/
const ARTHROPODS = /^(spider|cave_spider|bee|silverfish|endermite)$/
const SHARPNESS = { first: 1, more: 0.5 }
/** Of what is against one kind of bodies only, a level. */
const AGAINST = 2.5
const FIRE_TICKS = 80
const SWEEP = { across: 1, up: 0.25, reach: 3, damage: 1 }

/** @param {Item | null} item @param {string} name of an enchantment @returns {number} its level, 0 where there is none */
export const levelOf = (item, name) =>
  item?.enchants.find((enchant) => enchant.name === name)?.lvl ?? 0

/** What enchantments add to a blow with all its strength, in half hearts. @param {Item | null} item @param {Player | Animal | Thing} victim */
export function extraDamage(item, { type, name }) {
  if (type === 'thing') return 0
  const sharpness = levelOf(item, 'sharpness')
  const smite = UNDEAD.test(name) ? levelOf(item, 'smite') : 0
  const bane = ARTHROPODS.test(name) ? levelOf(item, 'bane_of_arthropods') : 0
  const sharp = sharpness ? SHARPNESS.first + SHARPNESS.more * (sharpness - 1) : 0
  return sharp + AGAINST * (smite + bane)
}

/** @param {Player | Animal} victim @param {number} level of fire aspect */
export function setOnFire(victim, level) {
  if (!level || (victim.type === 'mob' && victim.health <= 0)) return
  victim.burnTicks = Math.max(victim.burnTicks, level * FIRE_TICKS)
  const looks = victim.type === 'player' ? victim.poses() : (victim.appearance?.() ?? [])
  for (const [name, fields] of looks) victim._writeNearby(name, fields)
}

/**
 * Who stands close around the one that is struck with a sword is hurt a little, too. Vanilla asks, too,
 * that the striker walks no faster than on foot; here, that it does not sprint.
 * @param {Server} serv @param {Player} player @param {Item | null} sword @param {Player | Animal} victim @param {number} blow in half hearts
 */
export function sweep(serv, player, sword, victim, blow) {
  if (!sword?.name.endsWith('_sword') || !player.onGround || player.sprinting) return
  const edge = levelOf(sword, 'sweeping')
  const damage = SWEEP.damage + (edge / (edge + 1)) * blow
  for (const other of Object.values(serv.entities)) {
    if (other === player || other === victim || !isBeside(player, victim, other)) continue
    if (!serv.mayHurt(player, other)) continue
    other.hurt(damage, 'player_attack', player)
    if (other.type === 'mob' ? other.health > 0 : !other.isDead)
      serv.pushAway(other, player.position)
  }
  serv.playSound('entity.player.attack.sweep', player.position)
  const turn = (player.yaw * Math.PI) / 180
  const { x, y, z } = player.position.offset(-Math.sin(turn), player.height / 2, Math.cos(turn))
  player._writeNearby('world_particles', {
    particleId: registry.particlesByName.sweep_attack.id,
    longDistance: false,
    ...{ x, y, z },
    ...{ offsetX: 0, offsetY: 0, offsetZ: 0 },
    particleData: 0,
    particles: 1
  })
}

/** @param {Player} player @param {Player | Animal} victim @param {import('../types.d.ts').Entity} other @returns {other is Player | Animal} */
function isBeside(player, victim, other) {
  if (other.type !== 'mob' && other.type !== 'player') return false
  if (other.position.distanceTo(player.position) >= SWEEP.reach) return false
  const { x, y, z } = other.position.minus(victim.position)
  const across = SWEEP.across + (victim.width + other.width) / 2
  const isLevel = y < victim.height + SWEEP.up && -y < other.height + SWEEP.up
  return Math.abs(x) < across && Math.abs(z) < across && isLevel
}
