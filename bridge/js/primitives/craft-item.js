import { goals } from '../pathfinder.js'
import { readCount } from './arguments.js'
import { readName } from './names.js'
import { pause, untilStopped } from './until.js'
import { walk } from './walk.js'

/** @import { Block, Bot, Recipe } from '../types.d.ts' */

const TABLE_RADIUS = 32
const REACH_BLOCKS = 2
const TRIES = 3
/** Time limit for crafted items to appear in the inventory. */
const ARRIVES_MS = 2_000
const LOOK_MS = 50

/**
 * craftItem(bot, name, count = 1): craft that many times, at a crafting table if one is needed.
 * @param {import('./index.js').Context} context @param {string} name item name
 * @param {number} [count] number of times the recipe is used
 */
export async function craftItem(context, name, count = 1) {
  readCount('craftItem', count)
  const { bot } = context
  const kind = readName('item', bot.registry.itemsByName, name)
  const recipes = bot.recipesAll(kind.id, null, true)
  if (!recipes.length) throw new Error(`${name} cannot be crafted`)
  const table = bot.findBlock({
    matching: bot.registry.blocksByName.crafting_table.id,
    maxDistance: TABLE_RADIUS
  })
  const each = recipes[0].result.count
  const possible = (/** @type {number} */ times) =>
    bot.recipesFor(kind.id, null, times * each, true)[0]
  const times = context.takesLess ? mostTimes(count, possible) : count
  const recipe = possible(times)
  if (!recipe)
    throw new Error(`you cannot craft ${count} × ${name}: ${missing(bot, recipes, count)}`)
  if (!recipe.requiresTable) return craft(context, recipe, times)
  if (!table) {
    throw new Error(`${name} needs a crafting table; there is none within ${TABLE_RADIUS} blocks`)
  }
  const { x, y, z } = table.position
  await walk(context, new goals.GoalNear(x, y, z, REACH_BLOCKS), table.position)
  await craft(context, recipe, times, table)
}

/**
 * Return how often the item can be crafted, up to `count` times but at least once.
 * @param {number} count @param {(times: number) => Recipe | undefined} possible
 */
function mostTimes(count, possible) {
  let [can, cannot] = [1, count + 1]
  while (cannot - can > 1) {
    const times = Math.floor((can + cannot) / 2)
    if (possible(times)) can = times
    else cannot = times
  }
  return can
}

/**
 * Craft, and verify the result: on a busy server, Mineflayer may click before the server has
 * answered, and then some crafts fail.
 * @param {import('./index.js').Context} context @param {Recipe} recipe @param {number} count
 * @param {Block} [table]
 */
async function craft({ bot, signal }, recipe, count, table) {
  const { id } = recipe.result
  const each = recipe.delta.find((part) => part.id === id)?.count ?? 1
  const before = bot.inventory.count(id, null)
  const made = () => Math.floor((bot.inventory.count(id, null) - before) / each)
  for (let tries = 0; made() < count && tries < TRIES; tries++) {
    await untilStopped(signal, bot.craft(recipe, count - made(), table))
    const until = Date.now() + ARRIVES_MS
    while (made() < count && Date.now() < until) await pause(signal, LOOK_MS)
  }
  if (made() < count) throw new Error(`only ${made()} of ${count} crafts worked`)
}

/**
 * Describe what the cheapest recipe lacks.
 * @param {Bot} bot @param {Recipe[]} recipes @param {number} count
 */
function missing(bot, recipes, count) {
  const lacks = recipes.map((recipe) =>
    recipe.delta
      .filter((part) => part.count < 0)
      .map((part) => ({
        name: bot.registry.items[part.id].name,
        lacking: -part.count * count - bot.inventory.count(part.id, null)
      }))
      .filter((part) => part.lacking > 0)
  )
  const total = (/** @type {{lacking: number}[]} */ parts) =>
    parts.reduce((sum, part) => sum + part.lacking, 0)
  const [least] = lacks.sort((a, b) => total(a) - total(b))
  return `you lack ${least.map((part) => `${part.lacking} ${part.name}`).join(' and ')}`
}
