/** Search for blocks around a bot, nearest first, without stalling its connection. */
import { createRequire } from 'node:module'
import { workedMs } from '../sandbox/cpu-time.js'

/** @import { Bot } from '../types.d.ts' */

/**
 * The fields of a chunk section that a search reads: block states and the palette of states.
 * @typedef {{ palette?: number[], data: { value?: number, get: (index: number) => number } }} Section
 */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')

const SIDE = 16
const BLOCKS_A_SECTION = SIDE ** 3
/** A search yields to other work after this much CPU time. */
const SLICE_MS = 8

/**
 * Return at most `count` blocks of a kind within a radius, nearest first.
 *
 * Sections without the kind cost almost nothing, so a search that finds nothing is fast. A bot's
 * searches run one after another, so that many searches take no more of a turn than one.
 * @param {{bot: Bot, signal: AbortSignal}} context whose end ends the search
 * @param {{minStateId?: number, maxStateId?: number}} kind of the registry
 * @param {number} radius in blocks @param {number} count @returns {Promise<import('vec3').Vec3[]>}
 */
export function findNear({ bot, signal }, kind, radius, count) {
  const before = searching.get(bot) ?? Promise.resolve()
  const turn = before.then(() => new Promise((resolve) => setImmediate(resolve)))
  const found = turn.then(() => search({ bot, signal }, kind, radius, count))
  const over = found.catch(() => {})
  searching.set(bot, over)
  return found
}

/** Resolves once all searches of a bot are finished. @type {WeakMap<Bot, Promise<unknown>>} */
const searching = new WeakMap()

/**
 * @param {{bot: Bot, signal: AbortSignal}} context
 * @param {{minStateId?: number, maxStateId?: number}} kind @param {number} radius
 * @param {number} count
 */
async function search({ bot, signal }, kind, radius, count) {
  signal.throwIfAborted()
  const from = bot.entity.position.floored()
  const [low, high] = [kind.minStateId ?? 0, kind.maxStateId ?? -1]
  const places = sectionsWithin(bot, from, radius)
    .filter(({ section }) => mayHold(section, low, high))
    .sort((a, b) => a.away - b.away)
  /** @type {import('vec3').Vec3[]} */
  const found = []
  let since = workedMs() // CPU time, because the game's clock may be waiting for this bot
  for (const { section, corner, away } of places) {
    if (found.filter((position) => position.distanceTo(from) <= away).length >= count) break
    collect(section, corner, { low, high, from, radius, found })
    if (workedMs() - since < SLICE_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    since = workedMs()
  }
  return found.sort((a, b) => a.distanceTo(from) - b.distanceTo(from)).slice(0, count)
}

/**
 * Return the loaded sections within a radius, each with its corner and distance.
 * @param {Bot} bot @param {import('vec3').Vec3} from @param {number} radius
 * @returns {{section: Section, corner: import('vec3').Vec3, away: number}[]}
 */
function sectionsWithin(bot, from, radius) {
  const world = /** @type {any} */ (bot.world)
  const lowest = /** @type {any} */ (bot.game).minY ?? 0
  const chunks = Math.ceil(radius / SIDE)
  const found = []
  for (let x = (from.x >> 4) - chunks; x <= (from.x >> 4) + chunks; x++) {
    for (let z = (from.z >> 4) - chunks; z <= (from.z >> 4) + chunks; z++) {
      const sections = world.getColumn(x, z)?.sections ?? []
      for (const [number, section] of sections.entries()) {
        const corner = new Vec3(x * SIDE, lowest + number * SIDE, z * SIDE)
        const away = distanceToBox(from, corner)
        if (section && away <= radius) found.push({ section, corner, away })
      }
    }
  }
  return found
}

/** @param {import('vec3').Vec3} from @param {import('vec3').Vec3} corner of a section */
function distanceToBox(from, corner) {
  const beside = (/** @type {number} */ at, /** @type {number} */ low) =>
    Math.max(low - at, 0, at - (low + SIDE - 1))
  return Math.hypot(beside(from.x, corner.x), beside(from.y, corner.y), beside(from.z, corner.z))
}

/** @param {Section} section @param {number} low @param {number} high */
function mayHold({ palette, data }, low, high) {
  if (palette) return palette.some((state) => state >= low && state <= high)
  return data.value === undefined || (data.value >= low && data.value <= high)
}

/**
 * @param {Section} section @param {import('vec3').Vec3} corner
 * @param {{low: number, high: number, from: import('vec3').Vec3, radius: number, found: import('vec3').Vec3[]}} wanted
 */
function collect({ data }, corner, { low, high, from, radius, found }) {
  for (let index = 0; index < BLOCKS_A_SECTION; index++) {
    const state = data.get(index)
    if (state < low || state > high) continue
    const position = corner.offset(index & 15, index >> 8, (index >> 4) & 15)
    if (position.distanceTo(from) <= radius) found.push(position)
  }
}
