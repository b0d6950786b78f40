import { goals } from '../pathfinder.js'
import { untilStopped, pause } from './until.js'

/** @import { Position, Vec3 } from '../types.d.ts' */

const MAX_SECONDS = 1200
const LOOK_MS = 500
/** Length of a leg in blocks: minimum, and maximum random addition. */
const LEG = { least: 16, more: 16 }
const LOWEST_Y = -58
const HIGHEST_Y = 300

/**
 * exploreUntil(bot, direction, maxTime = 60, callback = undefined): walk in a direction until the
 * callback returns something, which the agent's engine keeps, or until the time is up.
 * @param {import('./index.js').Context} context
 * @param {unknown} direction a Vec3 whose parts are -1, 0 or 1
 * @param {number} [maxTime] seconds, at most 1200
 * @param {unknown} callback the agent's function that checks the surroundings
 * @returns {Promise<boolean>} true if something was found
 */
export async function exploreUntil(context, direction, maxTime = 60, callback = undefined) {
  const heading = readDirection(direction)
  if (!(maxTime > 0 && maxTime <= MAX_SECONDS)) {
    throw new Error(`exploreUntil takes a time of up to ${MAX_SECONDS} seconds, not ${maxTime}`)
  }
  const until = Date.now() + maxTime * 1000
  const look = () => untilStopped(context.signal, context.look(callback))
  for (let leg = 0; Date.now() < until; leg++) {
    const found = await walkWhileLooking(context, heading, leg, until, look)
    if (found) return true
  }
  return false
}

/** @param {unknown} direction @returns {Position} */
function readDirection(direction) {
  const { x, y, z } = /** @type {Position} */ (direction ?? {})
  const parts = [x, y, z]
  if (!parts.every((part) => [-1, 0, 1].includes(part)) || parts.every((part) => part === 0)) {
    throw new Error('exploreUntil needs a direction such as new Vec3(1, 0, 1)')
  }
  return { x, y, z }
}

/**
 * @param {import('./index.js').Context} context @param {Position} heading @param {number} leg
 * @param {number} until @param {() => Promise<boolean>} look
 * @returns {Promise<boolean>} true if something was found before the end of the leg
 */
async function walkWhileLooking({ bot, signal }, heading, leg, until, look) {
  let walking = true
  bot.pathfinder
    .goto(goalOf(bot.entity.position, heading, leg))
    .catch(() => {})
    .finally(() => (walking = false))
  try {
    while (Date.now() < until) {
      if (await look()) return true
      if (!walking) return false
      await pause(signal, LOOK_MS)
    }
    return false
  } finally {
    bot.pathfinder.setGoal(null)
  }
}

/**
 * Return the goal of a leg. The length of legs varies, so that an unreachable goal is not tried
 * again.
 * @param {Vec3} from @param {Position} heading @param {number} leg
 */
function goalOf(from, heading, leg) {
  const length = LEG.least + ((leg * 7) % LEG.more)
  const x = Math.floor(from.x + heading.x * length)
  const z = Math.floor(from.z + heading.z * length)
  if (!heading.y) return new goals.GoalNearXZ(x, z, 2)
  const y = Math.min(Math.max(Math.floor(from.y + heading.y * length), LOWEST_Y), HIGHEST_Y)
  return heading.x || heading.z ? new goals.GoalNear(x, y, z, 2) : new goals.GoalY(y)
}
