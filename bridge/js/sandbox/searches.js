/** Searches for blocks and paths on behalf of agents' code, in bounded time. */
import { findStates } from '../block-search.js'
import { number, vector, whole } from './incoming.js'
import { triple } from './outgoing.js'

/** @import { Bot, Goal } from '../types.d.ts' */

const MAX_DISTANCE = 160
const MAX_COUNT = 1000
const MAX_KINDS = 30_000
const DEFAULT_DISTANCE = 16
const SECTION = 16
const SECTION_BLOCKS = 4096
const THINK_MS = 2_000

/** @param {Bot} bot @param {any} options */
function whereOf(bot, options) {
  const { point, maxDistance } = options ?? {}
  const centre = point === undefined || point === null ? bot.entity.position : vector(point)
  const distance =
    typeof maxDistance === 'number' ? number(maxDistance, 'maxDistance') : DEFAULT_DISTANCE
  return { point: centre, maxDistance: Math.min(Math.max(distance, 1), MAX_DISTANCE) }
}

/** @param {unknown} value @returns {Set<number>} */
function idsOf(value) {
  const list = Array.isArray(value) ? value : [value]
  if (list.length > MAX_KINDS) throw new TypeError(`more than ${MAX_KINDS} kinds of block`)
  return new Set(list.map((id) => whole(id, 'matching')))
}

/**
 * Return the nearest blocks of some types or states.
 * @param {Bot} bot @param {any} options types or states, point, maxDistance, count
 */
export function findPlaces(bot, options) {
  const { types, states, count } = options ?? {}
  const where = whereOf(bot, options)
  const most = Math.min(whole(count ?? 1, 'count'), MAX_COUNT)
  if (most <= 0) return []
  if (states !== undefined) {
    const wanted = idsOf(states)
    if (!wanted.size) return []
    return findStates(bot, wanted, { ...where, count: most })
  }
  if (types === undefined || types === null) {
    throw new TypeError('findBlock needs a criterion: an id, a list of ids or a function')
  }
  return bot.findBlocks({ ...where, count: most, matching: [...idsOf(types)] })
}

/**
 * Return the states of nearby blocks, from the palettes of the loaded sections.
 * @param {Bot} bot @param {any} options @returns {number[]}
 */
export function statesNear(bot, options) {
  const { point, maxDistance } = whereOf(bot, options)
  const from = point.offset(-maxDistance - SECTION, 0, -maxDistance - SECTION)
  const to = point.offset(maxDistance + SECTION, 0, maxDistance + SECTION)
  const { minY = 0 } = /** @type {any} */ (bot.game)
  /** @type {Set<number>} */
  const found = new Set()
  for (let x = Math.floor(from.x / SECTION); x <= Math.floor(to.x / SECTION); x++) {
    for (let z = Math.floor(from.z / SECTION); z <= Math.floor(to.z / SECTION); z++) {
      const { sections = [] } = /** @type {any} */ (bot.world.getColumn(x, z) ?? {})
      sections.forEach((/** @type {any} */ section, /** @type {number} */ index) => {
        const middle = minY + index * SECTION + SECTION / 2
        if (Math.abs(middle - point.y) <= maxDistance + SECTION) addStates(section, found)
      })
    }
  }
  return [...found]
}

/** @param {any} section @param {Set<number>} found */
function addStates(section, found) {
  const data = section?.data
  if (!data) return
  if (data.palette) for (const state of data.palette) found.add(state)
  else if (data.value !== undefined) found.add(data.value)
  else for (let index = 0; index < SECTION_BLOCKS; index++) found.add(data.get(index))
}

/**
 * Find a path to a goal in small steps, so that other bots are not stalled.
 * @param {Bot} bot @param {Goal | null} goal @param {AbortSignal} signal whose end ends the search
 */
export async function findPath(bot, goal, signal) {
  if (!goal) throw new TypeError('getPathTo needs a goal')
  const { movements } = bot.pathfinder
  const finding = bot.pathfinder.getPathFromTo(movements, bot.entity.position, goal, {
    timeout: THINK_MS
  })
  let found = null
  for (const { result } of finding) {
    found = result
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  if (!found) throw new Error('no path was found')
  const { status, cost, time, visitedNodes, path } = found
  return { status, cost, time, visitedNodes, path: path.map((move) => triple(move)) }
}
