/** Which blocks fill their cell, so that nobody can be in them, and which are more than a step high. */
import { Block } from '../minecraft.js'

/** @type {Map<number, boolean>} */
const full = new Map()

/** @param {number} state @returns {boolean} whether it fills its cell */
export function isFull(state) {
  const known = full.get(state)
  if (known !== undefined) return known
  const { shapes } = Block.fromStateId(state, 0)
  const fills = shapes.length === 1 && String(shapes[0]) === '0,0,0,1,1,1'
  full.set(state, fills)
  return fills
}

/** @type {Map<number, boolean>} */
const tall = new Map()

/** @param {number} state @returns {boolean} whether nobody steps onto it, as onto a fence */
export function isTall(state) {
  const known = tall.get(state)
  if (known !== undefined) return known
  const isIt = Block.fromStateId(state, 0).shapes.some((shape) => shape[4] > 1)
  tall.set(state, isIt)
  return isIt
}
