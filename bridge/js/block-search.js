/**
 * Mineflayer's block search without creating an object for each block it examines.
 *
 * It visits the same sections in the same order and finds the same blocks as `bot.findBlocks`.
 * Mineflayer's own search takes seconds over a few dozen chunks and would stall all other bots in
 * the thread.
 */
import { createRequire } from 'node:module'

/** @import { Bot, Vec3 } from './types.d.ts' */

const require = createRequire(import.meta.url)
const { OctahedronIterator } = require('prismarine-world').iterators
const { Vec3: Vector } = require('vec3')

const SECTION = 16
const DEFAULT_DISTANCE = 16

/** @typedef {{point?: Vec3, maxDistance?: number, count?: number}} Where */

/** Replace `bot.findBlocks` for searches by id. @param {Bot} bot */
export function speedUpSearches(bot) {
  const { findBlocks } = bot
  bot.findBlocks = (options) => {
    const { matching, useExtraInfo } = options
    if (typeof matching === 'function' || useExtraInfo) return findBlocks(options)
    return findStates(bot, statesOf(bot, [matching].flat()), options)
  }
}

/**
 * Return all states of some block types.
 * @param {Bot} bot @param {number[]} types @returns {Set<number>}
 */
function statesOf(bot, types) {
  /** @type {Set<number>} */
  const states = new Set()
  for (const type of types) {
    const { minStateId = 0, maxStateId = -1 } = bot.registry.blocks[type] ?? {}
    for (let state = minStateId; state <= maxStateId; state++) states.add(state)
  }
  return states
}

/**
 * Return the positions of blocks with some states, nearest first.
 * @param {Bot} bot @param {Set<number>} states @param {Where} where @returns {Vec3[]}
 */
export function findStates(bot, states, { point, maxDistance = DEFAULT_DISTANCE, count = 1 }) {
  const centre = (point ?? bot.entity.position).floored()
  const start = centre.scaled(1 / SECTION).floored()
  const sections = new OctahedronIterator(start, Math.ceil((maxDistance + SECTION / 2) / SECTION))
  const { minY, height } = /** @type {{minY: number, height: number}} */ (
    /** @type {unknown} */ (bot.game)
  )
  const seen = new Set()
  /** @type {Vec3[]} */
  const found = []
  let layer = 0
  for (let at = start; at; at = sections.next()) {
    const index = at.y + Math.abs(minY >> 4)
    if (index >= 0 && index < height >> 4 && !seen.has(`${at}`)) {
      const column = /** @type {any} */ (bot.world.getColumn(at.x, at.z))
      const data = column?.sections[index]?.data
      if (data && mayHold(data, states)) {
        const corner = new Vector(at.x * SECTION, index * SECTION + minY, at.z * SECTION)
        collect(data, states, corner, (place) => {
          if (place.distanceTo(centre) <= maxDistance) found.push(place)
        })
      }
      if (column) seen.add(`${at}`)
    }
    // Finish each layer: a later section in it may contain closer blocks.
    if (layer !== sections.apothem && found.length >= count) break
    layer = sections.apothem
  }
  found.sort((a, b) => a.distanceTo(centre) - b.distanceTo(centre))
  return found.slice(0, count)
}

/** @param {any} data of a section @param {Set<number>} states */
function mayHold(data, states) {
  if (data.palette) return data.palette.some((/** @type {number} */ state) => states.has(state))
  return data.value === undefined || states.has(data.value)
}

/**
 * @param {any} data @param {Set<number>} states @param {Vec3} corner
 * @param {(place: Vec3) => void} add
 */
function collect(data, states, corner, add) {
  for (let x = 0; x < SECTION; x++) {
    for (let y = 0; y < SECTION; y++) {
      for (let z = 0; z < SECTION; z++) {
        if (states.has(data.get((y << 8) | (z << 4) | x))) add(corner.offset(x, y, z))
      }
    }
  }
}
