/**
 * Skip physics for a body at rest. If nothing acts on a bot and a tick of physics has changed
 * nothing, the next tick would change nothing either. The rest of the tick still runs: its events,
 * and the position reports to the server.
 */

/** @import { MineflayerBot, Position } from './types.d.ts' */

/**
 * Fields of a prismarine-physics PlayerState that a tick reads and writes while no key is pressed,
 * except the gaze.
 */
const FIELDS = ['onGround', 'isInWater', 'isInLava', 'isInWeb', 'isCollidedHorizontally']
FIELDS.push('isCollidedVertically', 'jumpTicks', 'jumpQueued', 'fireworkRocketDuration')
FIELDS.push('jumpBoost', 'speed', 'slowness', 'dolphinsGrace', 'slowFalling', 'levitation')
FIELDS.push('depthStrider', 'elytraFlying', 'elytraEquipped')
const AXES = /** @type {const} */ (['x', 'y', 'z'])
/** How far physics looks in blocks on each axis, with a margin. */
const REACH = 4

/**
 * @typedef {Record<string, any> & {pos: Position, vel: Position, control: Record<string, boolean>}} PlayerState
 * @typedef {(state: PlayerState, world: object) => PlayerState} Simulate
 */

/** @param {Pick<MineflayerBot, 'physics' | 'on' | 'entity'>} bot */
export function restWhereNothingActs(bot) {
  const physics = /** @type {{simulatePlayer: Simulate}} */ (/** @type {unknown} */ (bot.physics))
  const simulate = physics.simulatePlayer
  /**
   * State after a tick without changes, by caller: the pathfinder simulates paths with the same
   * physics.
   * @type {WeakMap<object, unknown[]>}
   */
  let rests = new WeakMap()
  const forget = () => void (rests = new WeakMap())

  physics.simulatePlayer = (state, world) => {
    if (isSteered(state)) return simulate(state, world)
    const before = valuesOf(state)
    const rest = rests.get(world)
    if (rest && isSame(rest, before)) return state
    const after = simulate(state, world)
    if (isSame(valuesOf(after), before)) rests.set(world, before)
    else rests.delete(world)
    return after
  }

  bot.on('blockUpdate', (before, after) => {
    const changed = (after ?? before)?.position
    if (!changed || isNear(changed, bot.entity.position)) forget()
  })
  bot.on('chunkColumnLoad', forget)
  bot.on('chunkColumnUnload', forget)
}

/** @param {PlayerState} state */
function isSteered({ control, elytraFlying }) {
  for (const key in control) if (control[key]) return true
  return Boolean(elytraFlying)
}

/** @param {PlayerState} state */
function valuesOf(state) {
  const { pos, vel } = state
  const values = [pos.x, pos.y, pos.z, vel.x, vel.y, vel.z]
  for (const name of FIELDS) values.push(state[name])
  return values
}

/** @param {unknown[]} some @param {unknown[]} others */
const isSame = (some, others) => some.every((value, index) => Object.is(value, others[index]))

/** @param {Position} block @param {Position} body */
const isNear = (block, body) => AXES.every((axis) => Math.abs(block[axis] - body[axis]) <= REACH)
