/** Combat: blows by hand and weapon, and how far they push. */
import { Vec3 } from '../minecraft.js'
import { SPECTATOR } from './game-modes.js'

/** @import { Player, Server } from '../types.d.ts' */

const ATTACK_EXHAUSTION = 0.1
const BLOW_COOLDOWN_TICKS = 10
const REACH_BLOCKS = 6
const LEFT_BUTTON = 1
const PUSH = { across: 0.4, up: 0.36 }
const VELOCITY_UNIT = 8000 // a block a tick
/** Damage in half hearts. @type {Record<string, number>} */
const WEAPONS = {
  wooden_sword: 4,
  golden_sword: 4,
  stone_sword: 5,
  iron_sword: 6,
  diamond_sword: 7,
  netherite_sword: 8,
  wooden_axe: 7,
  golden_axe: 7,
  stone_axe: 9,
  iron_axe: 9,
  diamond_axe: 9,
  netherite_axe: 10,
  wooden_pickaxe: 2,
  stone_pickaxe: 3,
  iron_pickaxe: 4,
  diamond_pickaxe: 5
}

/** @param {Server} serv */
export function server(serv) {
  // Teams may spare their own.
  serv.mayHurt = (player, victim) => {
    if (victim.type !== 'player' || victim === player) return true
    const team = serv.teamOf(player.username)
    const isSpared = team && !team.friendlyFire && team.members.has(victim.username)
    return Boolean(serv.gamerules.pvp) && !isSpared
  }

  /** Knocks back. */
  serv.pushAway = (victim, from) => {
    const away = victim.position.minus(from)
    const scale = PUSH.across / (Math.hypot(away.x, away.z) || 1)
    const push = new Vec3(away.x * scale, PUSH.up, away.z * scale)
    if (victim.type !== 'player') victim.velocity = push
    else {
      const velocity = push.scaled(VELOCITY_UNIT).floored()
      victim._client.write('entity_velocity', { entityId: victim.id, velocity })
    }
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  let lastBlow = -BLOW_COOLDOWN_TICKS

  player._client.on('use_entity', ({ mouse, target }) => {
    const victim = serv.entities[target]
    if (mouse !== LEFT_BUTTON || !victim || victim === player) return
    if (player.isDead || player.gameMode === SPECTATOR) return
    if (player.position.distanceTo(victim.position) > REACH_BLOCKS) return
    const isReady = serv.tickCount - lastBlow >= BLOW_COOLDOWN_TICKS
    if (!isReady || victim.type === 'object' || !victim.hurt) return
    if (!serv.mayHurt(player, victim)) return
    lastBlow = serv.tickCount
    player.tire(ATTACK_EXHAUSTION)
    const weapon = player.heldItem?.name ?? ''
    const damage = WEAPONS[weapon] ?? 1
    if (weapon in WEAPONS) player.wearTool(weapon.endsWith('_sword') ? 1 : 2)
    victim.hurt(damage, 'player_attack', player)
    if (victim.type !== 'thing') serv.pushAway(victim, player.position)
  })
}
