import { createRequire } from 'node:module'
import { goals } from '../pathfinder.js'
import { readPosition } from './arguments.js'
import { at, walk } from './walk.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Tolerance for a body that slides on after it has arrived. */
const DRIFT_BLOCKS = 1.5

/**
 * goTo(bot, position, distance = 1): walk until at most `distance` blocks from `position`.
 * @param {import('./index.js').Context} context @param {unknown} position
 * @param {number} [distance]
 */
export async function goTo(context, position, distance = 1) {
  const { x, y, z } = readPosition('goTo', position)
  if (!(Number(distance) >= 0))
    throw new Error(`goTo needs a distance of 0 or more, not ${distance}`)
  const goal = new goals.GoalNear(x, y, z, distance)
  await walk(context, goal, { x, y, z })
  // Upstream also reports arrival if it found no path at all.
  const body = context.bot.entity.position
  const away = body.distanceTo(new Vec3(x, y, z).floored().offset(0.5, 0, 0.5))
  if (!goal.isEnd(/** @type {any} */ (body.floored())) && away > Number(distance) + DRIFT_BLOCKS)
    throw new Error(`cannot reach ${at({ x, y, z })}: there is no way`)
}
