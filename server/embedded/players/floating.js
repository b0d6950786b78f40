/**
 * Floating: a player that is in the air and does not fall, as in vanilla (there 80 ticks, then a kick).
 *
 * What counts are a client's own steps, not the server's time: who is held up in the midst of a jump
 * sends none. All steps of a stay in the air count in which it does not fall, so that falling a bit
 * in between does not help. Who hangs there without a word counts by the answers that it gives.
 */
import { registry, Vec3 } from '../minecraft/index.js'
import { stateAt } from '../blocks/blocks.js'
import { CREATIVE, SPECTATOR } from './game-modes.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Steps without falling, and answers without a step. */
export const MOST = { steps: 80, answers: 10 }
/** Blocks a tick: who sinks faster falls. */
const FALLING = -0.03125
/** What is near a body bears it: any block but air, as in vanilla. */
const REACH = { side: 0.3625, below: 0.6125, above: 1.8625 }
const AIR = new Set(['air', 'cave_air', 'void_air'].map((name) => registry.blocksByName[name].id))
const LIFTING = new Set(['Levitation', 'JumpBoost'])

/** How long one player has floated. */
export class Floating {
  steps = 0
  answers = 0
  hasStepped = false

  /** It stands, or was put somewhere: what came before does not count. */
  land() {
    this.steps = 0
    this.answers = 0
    this.hasStepped = false
  }

  /** A step through the air. @param {number} rise in blocks */
  step(rise) {
    this.answers = 0
    this.hasStepped = true
    if (rise >= FALLING) this.steps += 1
  }

  /** A sign of life without a step. */
  answer() {
    if (this.hasStepped) this.answers += 1
  }

  /** Whether no body that falls could have done that. */
  get isTooLong() {
    return this.steps > MOST.steps || this.answers > MOST.answers
  }

  /** Whether the client may believe in a block that is not there: time to tell it. */
  get isHalfway() {
    return this.steps === MOST.steps / 2
  }
}

/** @param {Server} serv @param {Player} player whether it may be in the air as long as it likes */
export function mayFloat(serv, player) {
  if (serv.allowFlight || [CREATIVE, SPECTATOR].includes(player.gameMode)) return true
  if (player.isDead || player.isGliding || player.vehicle) return true
  for (const id of player.activeEffects.keys()) {
    if (LIFTING.has(registry.effects[id].name)) return true
  }
  return false
}

/** @param {Server} serv @param {Vec3} feet whether anything but air is near a body */
export function isBorne(serv, feet) {
  for (const position of cellsNear(feet)) {
    const state = stateAt(serv.overworld, position)
    if (state && !AIR.has(registry.blocksByStateId[state].id)) return true
  }
  return false
}

/** The cells around a body, the lowest first. @param {Vec3} feet */
export function* cellsNear({ x, y, z }) {
  const { side, below, above } = REACH
  for (let cy = Math.floor(y - below); cy <= y + above; cy++) {
    for (let cx = Math.floor(x - side); cx <= x + side; cx++) {
      for (let cz = Math.floor(z - side); cz <= z + side; cz++) yield new Vec3(cx, cy, cz)
    }
  }
}
