/**
 * Properties of block shapes: whether a block fills its cell, conducts power, or is too high to
 * step onto.
 */
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

/** Full blocks that do not conduct, and other blocks that do, as in vanilla. */
const INSULATES =
  /(^|_)(glass|leaves|piston)$|^(beacon|frosted_ice|glowstone|ice|observer|redstone_block|sea_lantern|tnt)$/
const CONDUCTS = /^(mud|soul_sand)$/

/**
 * Return true for conductors, as in vanilla: blocks that transmit power. A chest below one cannot
 * be opened.
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
