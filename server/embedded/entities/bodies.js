/** Physics of things that are not alive: falling and collisions. */
import { Block, Vec3 } from '../minecraft/index.js'
import { blockAt, isSolid, stateAt } from '../blocks/blocks.js'

/** @import { Entity, Server, Thing } from '../types/index.d.ts' */

/** Falling bodies are removed below this height. */
export const VOID_Y = -128
/** Fraction of the speed that is left after a tick on the ground and in the air. */
const DRAG = { air: 0.98, ground: 0.6 }
const STILL = 0.003

/**
 * Simulate one tick of a thing that falls, slides and comes to rest.
 * @param {Server} serv @param {Thing} thing @param {number} gravity in blocks per tick²
 */
export function fallOn(serv, thing, gravity) {
  const { position, velocity } = thing
  if (thing.onGround && velocity.norm() < STILL && isSolid(serv, cellBelow(position))) return
  const { next, stands: onGround } = weigh(serv, thing, gravity, DRAG, drop)
  if (next.y < VOID_Y) return serv.removeThing(thing)
  if (!next.equals(position) || onGround !== thing.onGround) serv.moveEntity(thing, next, onGround)
}

/**
 * Move a body by one tick under gravity, and update its velocity.
 * @param {Server} serv @param {{position: Vec3, velocity: Vec3}} body
 * @param {number} gravity in blocks per tick²
 * @param {{air: number, ground: number}} drag fraction of the speed left
 * @param {typeof drop} down moves it down until a block is in the way
 * @returns its new position, and whether it is on the ground
 */
export function weigh(serv, { position, velocity }, gravity, drag, down) {
  velocity.y -= gravity
  const next = position.clone()
  slide(serv, next, velocity)
  const stands = down(serv, next, velocity)
  const left = stands ? drag.ground : drag.air
  velocity.x *= left
  velocity.y *= drag.air
  velocity.z *= left
  return { next, stands }
}

/**
 * Move along the ground until a block is in the way.
 * @param {Server} serv @param {Vec3} next @param {Vec3} velocity
 */
function slide(serv, next, velocity) {
  for (const axis of /** @type {const} */ (['x', 'z'])) {
    const moved = next.clone()
    moved[axis] += velocity[axis]
    if (isSolid(serv, moved.floored())) velocity[axis] = 0
    else next[axis] = moved[axis]
  }
}

/** @param {Vec3} position */
const cellBelow = (position) => position.offset(0, -0.05, 0).floored()

/**
 * Move down, block by block.
 * @param {Server} serv @param {Vec3} next @param {Vec3} velocity
 * @returns {boolean} true if it landed
 */
function drop(serv, next, velocity) {
  const target = next.y + velocity.y
  if (velocity.y >= 0) {
    next.y = target
    return false
  }
  for (let y = Math.floor(next.y - 1e-6); y >= Math.floor(target - 1e-6); y--) {
    const top = topOf(serv, new Vec3(Math.floor(next.x), y, Math.floor(next.z)))
    if (top === null || y + top < target || y + top > next.y + 1e-6) continue
    next.y = y + top
    velocity.y = 0
    return true
  }
  next.y = target
  return false
}

/**
 * Return the height at which a block can be stood on, from 0 to 1, or null.
 * @param {Server} serv @param {Vec3} position
 */
export function topOf(serv, position) {
  if (!isSolid(serv, position)) return null
  const { shapes } = Block.fromStateId(stateAt(serv.overworld, position), 0)
  return shapes.length ? Math.min(1, Math.max(...shapes.map((shape) => shape[4]))) : null
}

/** @param {Server} serv @param {Vec3} position @returns {boolean} */
export const isWet = (serv, position) => {
  const name = blockAt(serv, position.floored())?.name
  return name === 'water' || name === 'bubble_column'
}

/**
 * Return the first entity whose box a path crosses.
 * @param {Server} serv @param {Vec3} from @param {Vec3} to
 * @param {(entity: Entity) => boolean} isHit true for possible targets
 * @param {number} [margin] around boxes
 * @returns {{entity: Entity, share: number} | null} with the fraction of the path
 */
export function entityOnWay(serv, from, to, isHit, margin = 0.3) {
  const way = to.minus(from)
  /** @type {{entity: Entity, share: number} | null} */
  let first = null
  for (const entity of Object.values(serv.entities)) {
    if (entity.position.distanceTo(from) > way.norm() + 8 || !isHit(entity)) continue
    const share = shareInBox(from, way, entity, margin)
    if (share !== null && (!first || share < first.share)) first = { entity, share }
  }
  return first
}

/**
 * @param {Vec3} from @param {Vec3} way @param {Entity} entity @param {number} margin
 * @returns {number | null}
 */
function shareInBox(from, way, { position, width, height }, margin) {
  const half = width / 2 + margin
  const low = position.offset(-half, -margin, -half)
  const high = position.offset(half, height + margin, half)
  let [enter, leave] = [0, 1]
  for (const axis of /** @type {const} */ (['x', 'y', 'z'])) {
    if (Math.abs(way[axis]) < 1e-9) {
      if (from[axis] < low[axis] || from[axis] > high[axis]) return null
      continue
    }
    const a = (low[axis] - from[axis]) / way[axis]
    const b = (high[axis] - from[axis]) / way[axis]
    enter = Math.max(enter, Math.min(a, b))
    leave = Math.min(leave, Math.max(a, b))
  }
  return enter <= leave ? enter : null
}

/**
 * Return the first block whose shape a path enters.
 * @param {Server} serv @param {Vec3} from @param {Vec3} to
 * @returns {{position: Vec3, share: number} | null}
 */
export function blockOnWay(serv, from, to) {
  const way = to.minus(from)
  const steps = Math.max(1, Math.ceil(way.norm() * 8))
  for (let step = 0; step <= steps; step++) {
    const at = from.plus(way.scaled(step / steps))
    const cell = at.floored()
    if (!isSolid(serv, cell)) continue
    const { shapes } = Block.fromStateId(stateAt(serv.overworld, cell), 0)
    const { x, y, z } = at.minus(cell)
    const isIn = shapes.some(
      ([x0, y0, z0, x1, y1, z1]) => x >= x0 && x <= x1 && y >= y0 && y <= y1 && z >= z0 && z <= z1
    )
    if (isIn) return { position: cell, share: step / steps }
  }
  return null
}
