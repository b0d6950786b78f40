import { goals } from '../pathfinder.js'
import { readPosition } from './arguments.js'
import { walk } from './walk.js'

/**
 * goTo(bot, position, distance = 1): walks until at most `distance` blocks from `position`.
 * @param {import('./index.js').Context} context
 * @param {unknown} position
 * @param {number} [distance]
 */
export async function goTo(context, position, distance = 1) {
  const { x, y, z } = readPosition('goTo', position)
  if (!(Number(distance) >= 0))
    throw new Error(`goTo needs a distance of 0 or more, not ${distance}`)
  await walk(context, new goals.GoalNear(x, y, z, distance), { x, y, z })
}
