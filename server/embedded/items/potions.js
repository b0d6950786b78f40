/** Potions: their effects, drunk or thrown (minecraft.wiki: Potion). */
import { registry } from '../minecraft/index.js'
import { potionOf } from '../workshops/brewing.js'

/** @import { Item, Player, Server, Vec3 } from '../types/index.d.ts' */

const MINUTE = 1200
const SPLASH_BLOCKS = 4

/**
 * Effect, ticks and amplifier of each potion.
 * @type {Record<string, [name: string, ticks: number, amplifier?: number][]>}
 */
const BREWS = {
  night_vision: [['NightVision', 3 * MINUTE]],
  long_night_vision: [['NightVision', 8 * MINUTE]],
  invisibility: [['Invisibility', 3 * MINUTE]],
  long_invisibility: [['Invisibility', 8 * MINUTE]],
  leaping: [['JumpBoost', 3 * MINUTE]],
  long_leaping: [['JumpBoost', 8 * MINUTE]],
  strong_leaping: [['JumpBoost', 1.5 * MINUTE, 1]],
  fire_resistance: [['FireResistance', 3 * MINUTE]],
  long_fire_resistance: [['FireResistance', 8 * MINUTE]],
  swiftness: [['Speed', 3 * MINUTE]],
  long_swiftness: [['Speed', 8 * MINUTE]],
  strong_swiftness: [['Speed', 1.5 * MINUTE, 1]],
  slowness: [['Slowness', 1.5 * MINUTE]],
  long_slowness: [['Slowness', 4 * MINUTE]],
  strong_slowness: [['Slowness', MINUTE / 3, 3]],
  water_breathing: [['WaterBreathing', 3 * MINUTE]],
  long_water_breathing: [['WaterBreathing', 8 * MINUTE]],
  healing: [['InstantHealth', 1]],
  strong_healing: [['InstantHealth', 1, 1]],
  harming: [['InstantDamage', 1]],
  strong_harming: [['InstantDamage', 1, 1]],
  poison: [['Poison', 0.75 * MINUTE]],
  long_poison: [['Poison', 1.5 * MINUTE]],
  strong_poison: [['Poison', 432, 1]],
  regeneration: [['Regeneration', 0.75 * MINUTE]],
  long_regeneration: [['Regeneration', 1.5 * MINUTE]],
  strong_regeneration: [['Regeneration', 450, 1]],
  strength: [['Strength', 3 * MINUTE]],
  long_strength: [['Strength', 8 * MINUTE]],
  strong_strength: [['Strength', 1.5 * MINUTE, 1]],
  weakness: [['Weakness', 1.5 * MINUTE]],
  long_weakness: [['Weakness', 4 * MINUTE]],
  luck: [['Luck', 5 * MINUTE]],
  slow_falling: [['SlowFalling', 1.5 * MINUTE]],
  long_slow_falling: [['SlowFalling', 4 * MINUTE]],
  turtle_master: [
    ['Slowness', MINUTE / 3, 3],
    ['Resistance', MINUTE / 3, 2]
  ],
  long_turtle_master: [
    ['Slowness', (2 * MINUTE) / 3, 3],
    ['Resistance', (2 * MINUTE) / 3, 2]
  ],
  strong_turtle_master: [
    ['Slowness', MINUTE / 3, 5],
    ['Resistance', MINUTE / 3, 3]
  ]
}
const IDS = new Map(Object.values(registry.effects).map(({ id, name }) => [name, id]))

/** @param {Item} item */
const brewOf = (item) => BREWS[potionOf(item)] ?? []

/**
 * @param {Player} player @param {[name: string, ticks: number, amplifier?: number][]} effects
 * @param {number} [share] of their duration
 */
export function giveEffects(player, effects, share = 1) {
  for (const [name, ticks, amplifier = 0] of effects) {
    const id = IDS.get(name)
    if (id !== undefined) player.giveEffect(id, Math.max(1, Math.floor(ticks * share)), amplifier)
  }
}

/** @param {Player} player @param {Item} item */
export const drink = (player, item) => giveEffects(player, brewOf(item))

/**
 * Apply a thrown potion to nearby players.
 * @param {Server} serv @param {Item} item @param {Vec3} place
 */
export function splash(serv, item, place) {
  const SPLASHED_EVENT = 2002
  serv.send(serv.getNearby({ position: place }), 'world_event', {
    effectId: SPLASHED_EVENT,
    location: place.floored(),
    data: 0,
    global: false
  })
  for (const player of serv.players) {
    const away = player.position.distanceTo(place)
    if (!player.isDead && away < SPLASH_BLOCKS)
      giveEffects(player, brewOf(item), 1 - away / SPLASH_BLOCKS)
  }
}
