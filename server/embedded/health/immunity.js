/**
 * Immunity: a hurt body is immune to all damage for half a second (minecraft.wiki: Damage,
 * Immunity). During that time, the same or lower damage has no effect; of higher damage, only the
 * difference counts.
 */

/** @import { Animal, Player, Server } from '../types/index.d.ts' */
/** @import { Wound } from '../types/additions.d.ts' */

const SPARED_TICKS = 10
/** Damage types that ignore immunity and game modes. */
const ABSOLUTE = /^(generic_kill|out_of_world)$/

/** Last damage of each body. @type {WeakMap<Player | Animal, {tick: number, damage: number}>} */
const blows = new WeakMap()

/** Return true for damage that no immunity prevents. @param {string} cause */
export const isAbsolute = (cause) => ABSOLUTE.test(cause)

/**
 * Return the damage to which a body is still immune; -1 for none.
 * @param {Server} serv @param {Player | Animal} body
 */
function immuneDamage(serv, body) {
  const last = blows.get(body)
  return last && serv.tickCount - last.tick < SPARED_TICKS ? last.damage : -1
}

/**
 * Return true if this damage would have no effect now.
 * @param {Server} serv @param {Player | Animal} body @param {number} damage
 */
export const isImmune = (serv, body, damage) => damage <= immuneDamage(serv, body)

/**
 * Record damage to a body.
 * @param {Server} serv @param {Player | Animal} body
 * @param {number} damage in half hearts, before armour @param {string} cause
 * @returns {{wound: Wound, counts: number}} the kind of wound, and the damage that counts
 */
export function recordBlow(serv, body, damage, cause) {
  const spared = isAbsolute(cause) ? -1 : immuneDamage(serv, body)
  if (spared < 0) {
    blows.set(body, { tick: serv.tickCount, damage })
    return { wound: 'new', counts: damage }
  }
  if (damage <= spared) return { wound: null, counts: 0 }
  const { tick = serv.tickCount } = blows.get(body) ?? {}
  blows.set(body, { tick, damage })
  return { wound: 'more', counts: damage - spared }
}

/** Reset the immunity of a body that respawns. @param {Player | Animal} body */
export const resetImmunity = (body) => void blows.delete(body)
