/**
 * Movement: where players are, as their clients say. What a client sent before it confirmed its
 * last teleport is ignored, so that a teleport is never undone by a packet under way.
 */
import { Vec3 } from '../minecraft.js'

/** @import { Place, Player, Rotation, Server } from '../types.d.ts' */

const WORLD_EDGE = 3e7

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player._client.on('position', (to) => move(to))
  player._client.on('look', (to) => turn(to))
  player._client.on('position_look', (to) => {
    if (move(to)) turn(to)
  })
  player._client.on('flying', ({ onGround }) => {
    if (!player.isAstray()) serv.emit('playerMoved', player, player.position, onGround)
    player.onGround = onGround
  })

  /** @param {Place} to @returns {boolean} whether it counts */
  function move({ x, y, z, onGround }) {
    const isPlace = [x, y, z].every((n) => Number.isFinite(n) && Math.abs(n) < WORLD_EDGE)
    if (player.isAstray() || !isPlace || player.isDead) return false
    const before = player.position
    serv.moveEntity(player, new Vec3(x, y, z), onGround)
    serv.emit('playerMoved', player, before, onGround)
    return true
  }

  /** @param {Rotation} to */
  function turn({ yaw, pitch }) {
    if (player.isAstray() || !Number.isFinite(yaw) || !Number.isFinite(pitch)) return
    if (yaw === player.yaw && pitch === player.pitch) return
    player.yaw = yaw
    player.pitch = pitch
    player.turnedTick = serv.tickCount
  }
}
