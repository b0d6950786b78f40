/** Checks of agents' arguments, with errors that say what is expected. */
import { createRequire } from 'node:module'
import { readName } from './names.js'

/** @import { Bot, Position } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')

/** Largest coordinates in any world, in blocks: horizontal and vertical. */
const FARTHEST = { across: 30_000_000, up: 2048 }

/** @param {string} primitive @param {unknown} position @returns {import('vec3').Vec3} */
export function readPosition(primitive, position) {
  const { x, y, z } = /** @type {Position} */ (position ?? {})
  const numbers = [x, y, z].map(Number)
  if (!numbers.every(Number.isFinite)) {
    throw new Error(`${primitive} needs a position such as new Vec3(1, 64, 2)`)
  }
  const [across, up] = [Math.max(Math.abs(numbers[0]), Math.abs(numbers[2])), Math.abs(numbers[1])]
  if (across > FARTHEST.across || up > FARTHEST.up) {
    throw new Error(`${primitive} needs a position in the world, not (${numbers.join(', ')})`)
  }
  return new Vec3(numbers[0], numbers[1], numbers[2])
}

/** @param {string} primitive @param {unknown} count */
export function readCount(primitive, count) {
  if (!Number.isInteger(count) || /** @type {number} */ (count) < 1) {
    throw new Error(`${primitive} needs a count of 1 or more, not ${count}`)
  }
  return /** @type {number} */ (count)
}

/**
 * @param {string} primitive @param {Bot['registry']} registry
 * @param {unknown} items such as {iron_ingot: 3} @returns {[name: string, count: number][]}
 */
export function readItems(primitive, registry, items) {
  if (!items || typeof items !== 'object' || !Object.keys(items).length) {
    throw new Error(`${primitive} needs items and counts such as {stone_pickaxe: 1}`)
  }
  return Object.entries(items).map(([name, count]) => {
    return [readName('item', registry.itemsByName, name).name, readCount(primitive, count)]
  })
}
