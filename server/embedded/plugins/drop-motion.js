/** How dropped items fly and fall. */
import { Vec3 } from '../minecraft.js'
import { isSolid } from './blocks.js'
import { VOID_Y, weigh } from './bodies.js'

/** @import { Drop, Server } from '../types.d.ts' */

const GRAVITY = 0.04
const DRAG = { air: 0.98, ground: 0.588 }
const GROUND_TICKS = 8

/** Whether the ground of one that lies still is gone; looked at now and then. @param {Server} serv @param {Drop} drop */
export const hasLostGround = (serv, drop) =>
  (serv.tickCount + drop.id) % GROUND_TICKS === 0 &&
  !isSolid(serv, drop.position.offset(0, -0.1, 0).floored())

/** One tick of its way. @param {Server} serv @param {Drop} drop */
export function moveDrop(serv, drop) {
  const { next, stands } = weigh(serv, drop, GRAVITY, DRAG, fall)
  if (next.y < VOID_Y) return serv.removeDrop(drop)
  const { x, z } = drop.velocity
  const isStill = stands && Math.abs(x) + Math.abs(z) < 0.003
  serv.moveEntity(drop, next, isStill)
}

/**
 * Moves down, block by block.
 * @param {Server} serv @param {Vec3} next @param {Vec3} velocity
 * @returns {boolean} whether it landed
 */
function fall(serv, next, velocity) {
  const target = next.y + velocity.y
  for (let y = Math.floor(next.y - 1e-6); y >= Math.floor(target - 1e-6) && velocity.y < 0; y--) {
    if (!isSolid(serv, new Vec3(Math.floor(next.x), y, Math.floor(next.z)))) continue
    next.y = Math.max(target, y + 1)
    velocity.y = 0
    return true
  }
  next.y = target
  return false
}
