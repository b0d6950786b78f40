/** Properties of block shapes: filling the cell, conducting power, being more than a step high. */
import { Block, registry } from '../minecraft/index.js'
import { stateAt } from './blocks.js'

/** @import { Position, Server } from '../types/index.d.ts' */

/** @type {Map<number, boolean>} */
const full = new Map()

/** @param {number} state @returns {boolean} true if it fills its cell */
export function isFull(state) {
  const known = full.get(state)
  if (known !== undefined) return known
  const { shapes } = Block.fromStateId(state, 0)
  const fills = shapes.length === 1 && String(shapes[0]) === '0,0,0,1,1,1'
  full.set(state, fills)
  return fills
}

/** Full blocks that do not conduct, and other blocks that do (vanilla's). */
const INSULATES =
  /(^|_)(glass|leaves|piston)$|^(beacon|frosted_ice|glowstone|ice|observer|redstone_block|sea_lantern|tnt)$/
const CONDUCTS = /^(mud|soul_sand)$/

/**
 * Return true for vanilla's conductors: blocks that transmit power, and that keep a chest below
 * them shut.
 * @param {Server} serv @param {Position} position
 */
export function isConductor(serv, position) {
  const state = stateAt(serv.overworld, position)
  const { name } = registry.blocksByStateId[state]
  return CONDUCTS.test(name) || (isFull(state) && !INSULATES.test(name))
}

/** @type {Map<number, boolean>} */
const tall = new Map()

/** @param {number} state @returns {boolean} true if it is too high to step onto, such as a fence */
export function isTall(state) {
  const known = tall.get(state)
  if (known !== undefined) return known
  const isIt = Block.fromStateId(state, 0).shapes.some((shape) => shape[4] > 1)
  tall.set(state, isIt)
  return isIt
}
