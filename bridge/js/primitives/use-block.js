import { goals } from '../pathfinder.js'
import { readPosition } from './arguments.js'
import { readName } from './names.js'
import { findNear } from './search.js'
import { untilStopped } from './until.js'
import { walk } from './walk.js'

/** @import { Bot } from '../types.d.ts' */

const SEARCH_RADIUS = 64
const REACH_BLOCKS = 2
const HAS_WINDOW = /chest|barrel|furnace|smoker|shulker|hopper|crafting_table|anvil/

/**
 * useBlock(bot, block): walk to a block and use it (a right click). If the scenario gives the block
 * a meaning (a pile, a station), return the scenario's answer.
 * @param {import('./index.js').Context} context
 * @param {unknown} block a name, for the nearest one, or a position
 * @returns {Promise<string>} the result
 */
export async function useBlock(context, block) {
  const { bot, signal } = context
  const target = typeof block === 'string' ? await nearest(context, block) : blockAt(bot, block)
  if (HAS_WINDOW.test(target.name)) {
    throw new Error(`useBlock does not open a ${target.name}; there are primitives for that`)
  }
  const { x, y, z } = target.position
  await walk(context, new goals.GoalNear(x, y, z, REACH_BLOCKS), target.position)
  await untilStopped(signal, bot.activateBlock(target))
  return untilStopped(signal, context.use(target.name, target.position))
}

/** @param {import('./index.js').Context} context @param {string} name */
async function nearest(context, name) {
  const { bot } = context
  const kind = readName('block', bot.registry.blocksByName, name)
  const [position] = await findNear(context, kind, SEARCH_RADIUS, 1)
  const block = position && bot.blockAt(position)
  if (!block) throw new Error(`no ${name} within ${SEARCH_RADIUS} blocks`)
  return block
}

/** @param {Bot} bot @param {unknown} position */
function blockAt(bot, position) {
  const block = bot.blockAt(readPosition('useBlock', position).floored())
  if (!block) throw new Error('that place is too far away to be seen')
  return block
}
