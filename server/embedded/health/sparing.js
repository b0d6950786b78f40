/**
 * Sparing: who was hurt is spared for half a second, whatever hurts it (minecraft.wiki: Damage, Immunity):
 * the same or less does nothing then, and of more only what is more than the last counts.
 */

/** @import { Animal, Player, Server } from '../types/index.d.ts' */
/** @import { Wound } from '../types/additions.d.ts' */

const SPARED_TICKS = 10
/** What spares nobody, in no game mode. */
const ABSOLUTE = /^(generic_kill|out_of_world)$/

/** What hurt each last. @type {WeakMap<Player | Animal, {tick: number, damage: number}>} */
const blows = new WeakMap()

/** Whether nothing keeps a damage type off. @param {string} cause */
export const isAbsolute = (cause) => ABSOLUTE.test(cause)

/** The damage that still spares a body; -1 where none does. @param {Server} serv @param {Player | Animal} body */
function sparingDamage(serv, body) {
  const last = blows.get(body)
  return last && serv.tickCount - last.tick < SPARED_TICKS ? last.damage : -1
}

/** Whether so much would do nothing now. @param {Server} serv @param {Player | Animal} body @param {number} damage */
export const isSpared = (serv, body, damage) => damage <= sparingDamage(serv, body)

/**
 * Notes that something hurts a body.
 * @param {Server} serv @param {Player | Animal} body @param {number} damage in half hearts, before armour @param {string} cause
 * @returns {{wound: Wound, counts: number}} what kind of wound it is, and how much of the damage counts
 */
export function noteBlow(serv, body, damage, cause) {
  const spared = isAbsolute(cause) ? -1 : sparingDamage(serv, body)
  if (spared < 0) {
    blows.set(body, { tick: serv.tickCount, damage })
    return { wound: 'new', counts: damage }
  }
  if (damage <= spared) return { wound: null, counts: 0 }
  const { tick = serv.tickCount } = blows.get(body) ?? {}
  blows.set(body, { tick, damage })
  return { wound: 'more', counts: damage - spared }
}

/** Begins anew: a body that comes back. @param {Player | Animal} body */
export const forgetBlows = (body) => void blows.delete(body)
