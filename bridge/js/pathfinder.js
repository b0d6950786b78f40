/** Mineflayer's pathfinder: a CommonJS package, from which modules cannot import by name. */
import { createRequire } from 'node:module'
import './shared-upstream.js'
import { workedMs } from './sandbox/cpu-time.js'

const require = createRequire(import.meta.url)

export const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
/** @type {any} */
export const AStar = require('mineflayer-pathfinder/lib/astar.js')
const { Vec3 } = require('vec3')

/**
 * Fixes for upstream's bugs in interrupted searches. When a tick's time is up, a search returns its
 * best path so far, and upstream shifts the positions on that path by half a block to where a body
 * stands. The search then continued with the same objects, so once the goal was on such a path it
 * never recognized it, searched everything within reach, and found no path. Here each path gets
 * copies of the positions.
 *
 * If the best position so far is the start, for example next to a wall, upstream's path is empty,
 * and its `goto` takes an empty path for arrival. Here the path consists of the start, because the
 * search continues.
 */
const { makeResult } = AStar.prototype
AStar.prototype.makeResult = function (/** @type {string} */ status, /** @type {any} */ node) {
  const result = makeResult.call(this, status, node)
  const isBegun = status === 'partial' && result.path.length === 0
  return { ...result, path: (isBegun ? [node.data] : result.path).map(copyOf) }
}

/**
 * A search's time limits apply to its CPU time in ms. Upstream uses game time, which does not
 * advance until a bot answers: a search that began shortly before never used up its tick, and the
 * bot never answered.
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
 * Measure the distance from the eyes to the block's centre. Upstream adds the eye height to the
 * block instead, so that a block above a bot counted as out of reach: the bot could not reach the
 * upper logs of a tree that it stood under, and searched all paths to them.
 */
const { isEnd } = goals.GoalLookAtBlock.prototype
goals.GoalLookAtBlock.prototype.isEnd = function (/** @type {any} */ { x, y, z }) {
  const eyes = new Vec3(x + 0.5, y + this.entityHeight, z + 0.5)
  if (eyes.distanceTo(this.pos.offset(0.5, 0.5, 0.5)) > this.reach) return false
  // line of sight, by upstream's ray casting
  return isEnd.call(this, { x, y, z, distanceTo: () => 0 })
}

/** @param {any} move @returns {any} */
function copyOf(move) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(move)), move)
  copy.toBreak = [...move.toBreak]
  copy.toPlace = [...move.toPlace]
  return copy
}
