/**
 * Combat: blows by hand and weapon, their charge, and knockback.
 *
 * Numbers are vanilla's (minecraft.wiki: Melee attack, Damage, Knockback).
 */
import { Vec3 } from '../minecraft/index.js'
import { levelOfEffect } from '../health/effects.js'
import { SPECTATOR } from '../players/game-modes.js'
import { isImmune } from '../health/immunity.js'
import { extraDamage, levelOf, setOnFire, sweep } from './weapon-enchantments.js'

/** @import { Animal, Player, Server, Thing } from '../types/index.d.ts' */

const ATTACK_EXHAUSTION = 0.1
const REACH_BLOCKS = 6
const LEFT_BUTTON = 1
const PUSH = { across: 0.4, up: 0.36 }
/** Additional knockback of a sprinting attacker. */
const SPRINT_PUSH = { across: 0.5, up: 0.4 }
const VELOCITY_UNIT = 8000 // units per block per tick
const TICKS_PER_SECOND = 20
/** Charge of a blow: its minimum effect, and the charge that counts as full. */
const STRENGTH = { least: 0.2, whole: 0.9 }
const CRITICAL = 1.5
const ANIMATION = { critical: 4, enchanted: 5 }
/**
 * How much each level of an effect changes a blow's damage, in half hearts, and its speed
 * (minecraft.wiki: Effect).
 */
const EFFECTS = { strength: 3, weakness: -4, haste: 0.1, miningFatigue: -0.1 }
const HAND = { damage: 1, speed: 4, wear: 0 }
const TIERS = ['wooden', 'golden', 'stone', 'iron', 'diamond', 'netherite']

/**
 * @param {string} kind @param {number[]} damage in half hearts
 * @param {number[]} speed in blows a second @param {number} wear
 */
const weapons = (kind, damage, speed, wear) =>
  TIERS.map((tier, at) => [
    `${tier}_${kind}`,
    { damage: damage[at], speed: speed[at] ?? speed[0], wear }
  ])

/**
 * Weapons by item, tier by tier (minecraft.wiki: Melee attack).
 * @type {Record<string, typeof HAND>}
 */
const WEAPONS = Object.fromEntries([
  ...weapons('sword', [4, 4, 5, 6, 7, 8], [1.6], 1),
  ...weapons('axe', [7, 7, 9, 9, 9, 10], [0.8, 1, 0.8, 0.9, 1, 1], 2),
  ...weapons('pickaxe', [2, 2, 3, 4, 5, 6], [1.2], 2),
  ...weapons('shovel', [2.5, 2.5, 3.5, 4.5, 5.5, 6.5], [1], 2),
  ...weapons('hoe', [1, 1, 1, 1, 1, 1], [1, 1, 2, 3, 4, 4], 2),
  ['trident', { damage: 9, speed: 1.1, wear: 1 }]
])

/** Return the weapon in hand, modified by effects. @param {Player} player */
function weaponOf(player) {
  const { damage, speed, wear } = WEAPONS[player.heldItem?.name ?? ''] ?? HAND
  const { strength, weakness, haste, miningFatigue } = EFFECTS
  const more =
    strength * levelOfEffect(player, 'Strength') + weakness * levelOfEffect(player, 'Weakness')
  const pace =
    (1 + haste * levelOfEffect(player, 'Haste')) *
    Math.max(0, 1 + miningFatigue * levelOfEffect(player, 'MiningFatigue'))
  return { damage: Math.max(0, damage + more), speed: speed * pace, wear }
}

/** @param {Server} serv */
export function server(serv) {
  // A team may forbid its members to hurt each other.
  serv.mayHurt = (player, victim) => {
    if (victim.type !== 'player' || victim === player) return true
    const team = serv.teamOf(player.username)
    const isImmune = team && !team.friendlyFire && team.members.has(victim.username)
    return Boolean(serv.gamerules.pvp) && !isImmune
  }

  /** Knock back. */
  serv.pushAway = (victim, from) => push(victim, ...awayFrom(victim.position, from))

  // Changing the held item resets the charge.
  serv.on('tick', () => {
    for (const player of serv.players) {
      const type = player.heldItem?.type
      if (type === player.armedWith) continue
      player.armedWith = type
      player.strengthSince = serv.tickCount
    }
  })
}

/** @param {Vec3} position @param {Vec3} from @returns {[across: Vec3, up: number]} */
function awayFrom(position, from) {
  const { x, z } = position.minus(from)
  const scale = PUSH.across / (Math.hypot(x, z) || 1)
  return [new Vec3(x * scale, 0, z * scale), PUSH.up]
}

/** @param {Player | Animal} victim @param {Vec3} across @param {number} up */
function push(victim, { x, z }, up) {
  const velocity = new Vec3(x, up, z)
  if (victim.type !== 'player') victim.velocity = velocity
  else {
    const fields = { entityId: victim.id, velocity: velocity.scaled(VELOCITY_UNIT).floored() }
    victim._client.write('entity_velocity', fields)
  }
}

/**
 * Add the knockback of sprinting and of the enchantment, in the attacker's direction.
 * @param {Player} player @param {Player | Animal} victim @param {number} levels
 */
function pushFarther(player, victim, levels) {
  const turn = (player.yaw * Math.PI) / 180
  const [away] = awayFrom(victim.position, player.position)
  const ahead = new Vec3(-Math.sin(turn), 0, Math.cos(turn)).scaled(SPRINT_PUSH.across * levels)
  push(victim, away.scaled(0.5).plus(ahead), SPRINT_PUSH.up)
  player.sprinting = false
  for (const [name, fields] of player.poses()) player._writeOthersNearby(name, fields)
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  Object.assign(player, { strengthSince: 0, armedWith: undefined })
  player._client.on('arm_animation', () => (player.strengthSince = serv.tickCount))

  /** Return the current charge of a blow, from 0 to 1. */
  const strength = () => {
    const ticks = TICKS_PER_SECOND / weaponOf(player).speed
    return Math.min(1, (serv.tickCount - player.strengthSince + 0.5) / ticks)
  }

  player._client.on('use_entity', ({ mouse, target }) => {
    const victim = serv.entities[target]
    if (mouse !== LEFT_BUTTON || !victim || victim === player) return
    if (player.isDead || player.gameMode === SPECTATOR) return
    if (player.position.distanceTo(victim.position) > REACH_BLOCKS) return
    if (victim.type === 'object' || !victim.hurt || !serv.mayHurt(player, victim)) return
    strike(serv, player, victim, strength())
    player.strengthSince = serv.tickCount
  })
}

/**
 * Strike by hand or weapon.
 * @param {Server} serv @param {Player} player @param {Player | Animal | Thing} victim
 * @param {number} strength from 0 to 1
 */
function strike(serv, player, victim, strength) {
  const { damage, wear } = weaponOf(player)
  const isWhole = strength > STRENGTH.whole
  const isSprint = isWhole && player.sprinting
  const isFalling = player.fallBlocks > 0 && !player.onGround && !player.vehicle
  const isCritical = isWhole && isFalling && !isSprint && victim.type !== 'thing'
  const share = STRENGTH.least + (1 - STRENGTH.least) * strength ** 2
  const extra = extraDamage(player.heldItem, victim) * strength
  const whole = damage * share * (isCritical ? CRITICAL : 1) + extra
  if (whole <= 0 || (victim.type !== 'thing' && isImmune(serv, victim, whole))) return
  const levels = levelOf(player.heldItem, 'knockback') + Number(isSprint)
  const held = player.heldItem
  // Send this before the blow, because clients remove a body that the blow kills.
  if (isCritical) show(player, victim, ANIMATION.critical)
  if (extra > 0) show(player, victim, ANIMATION.enchanted)
  const wound = victim.hurt?.(whole, 'player_attack', player)
  if (victim.type !== 'thing' && !wound) return
  player.tire(ATTACK_EXHAUSTION)
  if (wear) player.wearTool(wear)
  if (victim.type === 'thing') return
  if (levels && (wound === 'new' || victim.type === 'mob')) pushFarther(player, victim, levels)
  else if (wound === 'new') serv.pushAway(victim, player.position)
  setOnFire(victim, levelOf(held, 'fire_aspect'))
  if (!isWhole || isCritical || isSprint) return
  const blow = (/** @type {Player | Animal} */ other, /** @type {number} */ swept) =>
    other.hurt(swept, 'player_attack', player)
  sweep(serv, player, held, victim, whole, blow)
}

/**
 * Show nearby players how a body was struck.
 * @param {Player} player @param {Player | Animal | Thing} victim @param {number} animation
 */
const show = (player, victim, animation) =>
  player._writeNearby('animation', { entityId: victim.id, animation })
