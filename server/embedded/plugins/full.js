/** Which blocks fill their cell, so that nobody can be in them. */
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
