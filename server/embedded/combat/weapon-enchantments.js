/**
 * Weapon effects in addition to the blow: sharpness and similar enchantments, fire, and sword
 * sweeps (minecraft.wiki: Sharpness, Smite, Bane of Arthropods, Fire Aspect, Sweeping Edge).
 */
import { registry } from '../minecraft/index.js'

/** @import { Animal, Item, Player, Server, Thing } from '../types/index.d.ts' */
/** @import { Wound } from '../types/additions.d.ts' */

const UNDEAD =
  /^(zombie|zombie_villager|zombie_horse|zombified_piglin|zoglin|husk|drowned|skeleton|skeleton_horse|stray|wither|wither_skeleton|phantom)$/
const ARTHROPODS = /^(spider|cave_spider|bee|silverfish|endermite)$/
const SHARPNESS = { first: 1, more: 0.5 }
/** Extra damage per enchantment level against one kind of mob. */
const AGAINST = 2.5
const FIRE_TICKS = 80
const SWEEP = { across: 1, up: 0.25, reach: 3, damage: 1 }
/**
 * Maximum speed, in blocks per tick, at which an attacker can sweep: walking, not sprinting. Each
 * level of speed or slowness changes this limit.
 */
const FASTEST_SWEEP = { blocks: 0.25, speed: 0.2, slowness: -0.15 }

/**
 * @param {Item | null} item @param {string} name of an enchantment
 * @returns {number} its level, or 0
 */
export const levelOf = (item, name) =>
  item?.enchants.find((enchant) => enchant.name === name)?.lvl ?? 0

/**
 * Return the extra damage from enchantments at full charge, in half hearts.
 * @param {Item | null} item @param {Player | Animal | Thing} victim
 */
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
 * Last step of each player along the ground.
 * @type {WeakMap<Player, {tick: number, blocks: number}>}
 */
const steps = new WeakMap()

/** Track how fast players walk. @param {Server} serv */
export function server(serv) {
  serv.on('playerMoved', (player, before) => {
    const { x, z } = player.position.minus(before)
    steps.set(player, { tick: serv.tickCount, blocks: Math.hypot(x, z) })
  })
}

/** @param {Server} serv @param {Player} player */
function isFast(serv, player) {
  const last = steps.get(player)
  if (!last || serv.tickCount - last.tick > 1) return false
  const { blocks, speed, slowness } = FASTEST_SWEEP
  const levels = (/** @type {string} */ name) => {
    const id = Object.keys(player.effects).find(
      (one) => registry.effects[Number(one)].name === name
    )
    return id ? player.effects[Number(id)].amplifier + 1 : 0
  }
  const most = blocks * (1 + speed * levels('Speed')) * (1 + slowness * levels('Slowness'))
  return last.blocks >= most
}

/**
 * Slightly hurt bodies close to a sword's victim, if the attacker stands or walks on the ground.
 * @param {Server} serv @param {Player} player @param {Item | null} sword
 * @param {Player | Animal} victim @param {number} blow in half hearts
 * @param {(other: Player | Animal, damage: number) => Wound} hurt
 */
export function sweep(serv, player, sword, victim, blow, hurt) {
  if (!sword?.name.endsWith('_sword') || !player.onGround || player.sprinting) return
  if (isFast(serv, player)) return
  const edge = levelOf(sword, 'sweeping')
  const damage = SWEEP.damage + (edge / (edge + 1)) * blow
  for (const other of Object.values(serv.entities)) {
    if (other === player || other === victim || !isBeside(player, victim, other)) continue
    if (!serv.mayHurt(player, other) || isMate(serv, player, other)) continue
    if (hurt(other, damage) === 'new') serv.pushAway(other, player.position)
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

/**
 * Return true for members of the same team; a sweep never hurts them, whatever the team's rules.
 * @param {Server} serv @param {Player} player @param {Player | Animal} other
 */
function isMate(serv, player, other) {
  if (other.type !== 'player') return false
  const team = serv.teamOf(player.username)
  return Boolean(team?.members.has(other.username))
}

/**
 * @param {Player} player @param {Player | Animal} victim
 * @param {import('../types/index.d.ts').Entity} other @returns {other is Player | Animal}
 */
function isBeside(player, victim, other) {
  if (other.type !== 'mob' && other.type !== 'player') return false
  if (other.position.distanceTo(player.position) >= SWEEP.reach) return false
  const { x, y, z } = other.position.minus(victim.position)
  const across = SWEEP.across + (victim.width + other.width) / 2
  const isLevel = y < victim.height + SWEEP.up && -y < other.height + SWEEP.up
  return Math.abs(x) < across && Math.abs(z) < across && isLevel
}
