/**
 * Collisions: check whether a body can move from one position to another without hitting a block.
 *
 * A body moves along one axis after another, in the order that its client chose, and may climb a
 * step.
 */
import { Block, Vec3 } from '../minecraft/index.js'

/** @typedef {[minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number]} Box */
/** @typedef {'x' | 'y' | 'z'} Axis */

/**
 * Only the core of a body counts. Because of rounding (2.3 - 0.3 < 2), Mineflayer's physics now and
 * then lets bots slip slightly into the side of a block and out again.
 */
const BODY = { half: 0.01, bottom: 0.2, top: 1.4 }
/** Height of a step that needs no jump. */
const STEP_BLOCKS = 0.6
/** Possible orders of the axes. @type {Axis[][]} */
const ORDERS = [
  ['y', 'x', 'z'],
  ['y', 'z', 'x'],
  ['x', 'z', 'y'],
  ['z', 'x', 'y'],
  ['x', 'y', 'z'],
  ['z', 'y', 'x']
]

/** @type {Map<number, Box[]>} */
const shapes = new Map()

/**
 * @param {number} state
 * @returns {Box[]} filled parts of its cell, from 0 to 1 (up to 1.5 vertically)
 */
export function shapesOf(state) {
  let known = shapes.get(state)
  if (!known) shapes.set(state, (known = /** @type {Box[]} */ (Block.fromStateId(state, 0).shapes)))
  return known
}

/**
 * Return true if a body can move there without entering a block that it was not already in.
 * @param {(x: number, y: number, z: number) => number} stateAt state of a block; 0 for a block to ignore
 * @param {Vec3} from @param {Vec3} to feet
 */
export function isWay(stateAt, from, to) {
  const start = boxAt(from)
  const near = around(union(start, boxAt(to)))
  // No part of any path leaves this box, so blocks outside it, such as the ground, cannot be in the
  // way.
  const walls = wallsIn(stateAt, near).filter((wall) => meet(wall, near) && !meet(wall, start))
  if (!walls.length) return true
  const step = to.minus(from)
  const isFree = (/** @type {[Axis, number][]} */ legs) => {
    let box = start
    return legs.every(([axis, way]) => {
      const next = moved(box, axis, way)
      const swept = union(box, next)
      box = next
      return !walls.some((wall) => meet(wall, swept))
    })
  }
  if (ORDERS.some((order) => isFree(order.map((axis) => [axis, step[axis]])))) return true
  return [
    ['x', 'z'],
    ['z', 'x']
  ].some((order) =>
    isFree([
      ['y', STEP_BLOCKS],
      ...order.map(
        (axis) => /** @type {[Axis, number]} */ ([axis, step[/** @type {Axis} */ (axis)]])
      ),
      ['y', step.y - STEP_BLOCKS]
    ])
  )
}

/** @param {Vec3} feet @returns {Box} */
function boxAt({ x, y, z }) {
  const { half, bottom, top } = BODY
  return [x - half, y + bottom, z - half, x + half, y + top, z + half]
}

/** @param {Box} box @param {Axis} axis @param {number} way @returns {Box} */
function moved(box, axis, way) {
  const at = { x: 0, y: 1, z: 2 }[axis]
  const next = /** @type {Box} */ ([...box])
  next[at] += way
  next[at + 3] += way
  return next
}

/** @param {Box} a @param {Box} b @returns {Box} the smallest that contains both */
function union(a, b) {
  const low = [0, 1, 2].map((at) => Math.min(a[at], b[at]))
  const high = [3, 4, 5].map((at) => Math.max(a[at], b[at]))
  return /** @type {Box} */ ([...low, ...high])
}

/** Extend a box by a step. @param {Box} box @returns {Box} */
function around([minX, minY, minZ, maxX, maxY, maxZ]) {
  return [minX, minY, minZ, maxX, maxY + STEP_BLOCKS, maxZ]
}

/** Return true if two boxes overlap; touching does not count. @param {Box} a @param {Box} b */
function meet(a, b) {
  return a[0] < b[3] && a[3] > b[0] && a[1] < b[4] && a[4] > b[1] && a[2] < b[5] && a[5] > b[2]
}

/**
 * Return the shapes of the blocks that reach into a box.
 * @param {(x: number, y: number, z: number) => number} stateAt @param {Box} box
 */
function wallsIn(stateAt, [minX, minY, minZ, maxX, maxY, maxZ]) {
  /** @type {Box[]} */
  const walls = []
  for (let y = Math.floor(minY) - 1; y <= maxY; y++) {
    for (let x = Math.floor(minX); x <= maxX; x++) {
      for (let z = Math.floor(minZ); z <= maxZ; z++) {
        const state = stateAt(x, y, z)
        if (!state) continue
        for (const [a, b, c, d, e, f] of shapesOf(state)) {
          walls.push([x + a, y + b, z + c, x + d, y + e, z + f])
        }
      }
    }
  }
  return walls
}
