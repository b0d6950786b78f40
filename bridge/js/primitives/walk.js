/** Walking to a goal: retried while that makes sense, and always stopped when the run ends. */
import { untilStopped, within } from './until.js'

/** @import { Goal, Position, Vec3 } from '../types.d.ts' */

const BASE_MS = 10_000
const PER_BLOCK_MS = 1_500
const ATTEMPTS = 3

/**
 * @param {import('./index.js').Context} context @param {Goal} goal
 * @param {Position} place position of the goal, for limits and errors
 */
export async function walk({ bot, signal }, goal, place) {
  const limit = BASE_MS + PER_BLOCK_MS * bot.entity.position.distanceTo(/** @type {Vec3} */ (place))
  const halt = () => bot.pathfinder.setGoal(null)
  let reason = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await untilStopped(signal, within(bot.pathfinder.goto(goal), limit, 'walking'), halt)
    } catch (error) {
      if (signal.aborted) throw error
      reason = /** @type {Error} */ (error).message
    } finally {
      halt()
    }
  }
  throw new Error(`cannot reach ${at(place)}: ${reason}`)
}

/** @param {Position} place */
export const at = ({ x, y, z }) => `(${Math.floor(x)}, ${Math.floor(y)}, ${Math.floor(z)})`
