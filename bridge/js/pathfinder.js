/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'
import { rememberData } from './remembered-data.js'

const require = createRequire(import.meta.url)

rememberData() // before anything is loaded that asks for it: this, and what Mineflayer takes from it
export const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
/** @type {any} */
export const AStar = require('mineflayer-pathfinder/lib/astar.js')

/**
 * A search that is cut off by its tick's time tells of the best path so far, whose places upstream then
 * moves to where a body stands in a block, half a block on. The search went on with the same places, so
 * that the goal, once it was on such a path, was never found: all that can be reached was searched, and
 * there was no way. So each path has places of its own.
 */
const { makeResult } = AStar.prototype
AStar.prototype.makeResult = function (/** @type {unknown[]} */ ...args) {
  const result = makeResult.apply(this, args)
  return { ...result, path: result.path.map(copyOf) }
}

/** @param {any} move @returns {any} */
function copyOf(move) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(move)), move)
  copy.toBreak = [...move.toBreak]
  copy.toPlace = [...move.toPlace]
  return copy
}
