/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'
import './shared-upstream.js'
import { workedMs } from './sandbox/worked.js'

const require = createRequire(import.meta.url)

export const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
/** @type {any} */
export const AStar = require('mineflayer-pathfinder/lib/astar.js')
const { Vec3 } = require('vec3')

/**
 * A search that is cut off by its tick's time tells of the best path so far, whose places upstream then
 * moves to where a body stands in a block, half a block on. The search went on with the same places, so
 * that the goal, once it was on such a path, was never found: all that can be reached was searched, and
 * there was no way. So each path has places of its own.
 *
 * Where the best place so far is where it began, as beside a wall, upstream's path is empty, which its
 * `goto` takes for the end. The search goes on, so the path is that place.
 */
const { makeResult } = AStar.prototype
AStar.prototype.makeResult = function (/** @type {string} */ status, /** @type {any} */ node) {
  const result = makeResult.call(this, status, node)
  const isBegun = status === 'partial' && result.path.length === 0
  return { ...result, path: (isBegun ? [node.data] : result.path).map(copyOf) }
}

/**
 * A search's times are its own work, in ms of the processor. Upstream's are the game's: where that
 * stands still until a bot answers, a search that began shortly before never came to its tick's end,
 * and the bot to no answer.
 */
const { compute } = AStar.prototype
AStar.prototype.compute = function () {
  const before = this.worked ?? 0
  const began = workedMs()
  const { now } = performance
  performance.now = () => before + workedMs() - began
  this.startTime = 0
  try {
    return compute.call(this)
  } finally {
    this.worked = performance.now()
    performance.now = now
  }
}

/**
 * Upstream measures a block's distance from as far above it as eyes are above feet, so that who stood
 * below a block was out of its reach: the upper logs of a tree that somebody stood under could not be
 * reached, and all ways to them were searched. It is that from the eyes to the block's middle.
 */
const { isEnd } = goals.GoalLookAtBlock.prototype
goals.GoalLookAtBlock.prototype.isEnd = function (/** @type {any} */ { x, y, z }) {
  const eyes = new Vec3(x + 0.5, y + this.entityHeight, z + 0.5)
  if (eyes.distanceTo(this.pos.offset(0.5, 0.5, 0.5)) > this.reach) return false
  return isEnd.call(this, { x, y, z, distanceTo: () => 0 }) // whether it is in sight, by upstream's rays
}

/** @param {any} move @returns {any} */
function copyOf(move) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(move)), move)
  copy.toBreak = [...move.toBreak]
  copy.toPlace = [...move.toPlace]
  return copy
}
