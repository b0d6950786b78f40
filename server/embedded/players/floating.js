/**
 * Floating: a player who is in the air and does not fall is kicked, as in vanilla (after 80 ticks).
 *
 * The count uses a client's own steps, not the server's time: a client that is stalled during a
 * jump sends none. All steps without falling during one stay in the air count, so that falling a
 * bit in between does not help. If a client sends no steps, its answers to pings count instead.
 */
import { registry, Vec3 } from '../minecraft/index.js'
import { stateAt } from '../blocks/blocks.js'
import { CREATIVE, SPECTATOR } from './game-modes.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Maximum number of steps without falling, and of ping answers without a step. */
export const MOST = { steps: 80, answers: 10 }
/** Blocks per tick: a player who sinks faster than this is falling. */
const FALLING = -0.03125
/** Any block but air within this distance supports a body, as in vanilla. */
const REACH = { side: 0.3625, below: 0.6125, above: 1.8625 }
const AIR = new Set(['air', 'cave_air', 'void_air'].map((name) => registry.blocksByName[name].id))
const LIFTING = new Set(['Levitation', 'JumpBoost'])

/** Counter of one player's floating. */
export class Floating {
  steps = 0
  answers = 0
  hasStepped = false

  /** Reset the counter: the player stands, or was teleported. */
  land() {
    this.steps = 0
    this.answers = 0
    this.hasStepped = false
  }

  /** Count a step through the air. @param {number} rise in blocks */
  step(rise) {
    this.answers = 0
    this.hasStepped = true
    if (rise >= FALLING) this.steps += 1
  }

  /** Count a ping answer without a step. */
  answer() {
    if (this.hasStepped) this.answers += 1
  }

  /** True if the player has taken more steps without falling than any jump has. */
  get isTooLong() {
    return this.steps > MOST.steps || this.answers > MOST.answers
  }

  /** True when it is time to resend blocks that the client may wrongly believe to exist. */
  get isHalfway() {
    return this.steps === MOST.steps / 2
  }
}

/**
 * @param {Server} serv @param {Player} player
 * @returns {boolean} true if the player may stay in the air
 */
export function mayFloat(serv, player) {
  if (serv.allowFlight || [CREATIVE, SPECTATOR].includes(player.gameMode)) return true
  if (player.isDead || player.isGliding || player.vehicle) return true
  for (const id of player.activeEffects.keys()) {
    if (LIFTING.has(registry.effects[id].name)) return true
  }
  return false
}

/**
 * @param {Server} serv @param {Vec3} feet
 * @returns {boolean} true if anything but air is near the body
 */
export function isSupported(serv, feet) {
  for (const position of cellsNear(feet)) {
    const state = stateAt(serv.overworld, position)
    if (state && !AIR.has(registry.blocksByStateId[state].id)) return true
  }
  return false
}

/** Yield the cells around a body, lowest first. @param {Vec3} feet */
export function* cellsNear({ x, y, z }) {
  const { side, below, above } = REACH
  for (let cy = Math.floor(y - below); cy <= y + above; cy++) {
    for (let cx = Math.floor(x - side); cx <= x + side; cx++) {
      for (let cz = Math.floor(z - side); cz <= z + side; cz++) yield new Vec3(cx, cy, cz)
    }
  }
}
