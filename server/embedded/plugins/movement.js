/**
 * Movement: where players are, as their clients say, except after a teleport.
 *
 * As in vanilla, each teleport has a number that the client confirms; movements that it sent
 * before are ignored, so that a teleport is never undone by a packet under way.
 */
import { Vec3 } from '../minecraft.js'

/** Packet flags: yaw and pitch are added to what the client has. */
const KEEP_ROTATION = 0x18
const WORLD_EDGE = 3e7

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  let sent = 0
  let confirmed = 0
  const isAstray = () => confirmed !== sent

  player._client.on('teleport_confirm', (/** @type {{teleportId: number}} */ { teleportId }) => {
    confirmed = Math.max(confirmed, Math.min(teleportId, sent))
  })

  player._client.on('position', (/** @type {any} */ to) => move(to))
  player._client.on('look', (/** @type {any} */ to) => turn(to))
  player._client.on('position_look', (/** @type {any} */ to) => {
    if (move(to)) turn(to)
  })
  player._client.on('flying', (/** @type {any} */ { onGround }) => {
    if (!isAstray()) serv.emit('playerMoved', player, player.position, onGround)
    player.onGround = onGround
  })

  /** @param {{x: number, y: number, z: number, onGround: boolean}} to @returns {boolean} whether it counts */
  function move({ x, y, z, onGround }) {
    const isPlace = [x, y, z].every((n) => Number.isFinite(n) && Math.abs(n) < WORLD_EDGE)
    if (isAstray() || !isPlace || player.isDead) return false
    const before = player.position
    serv.moveEntity(player, new Vec3(x, y, z), onGround)
    serv.emit('playerMoved', player, before, onGround)
    return true
  }

  /** @param {{yaw: number, pitch: number}} to degrees */
  function turn({ yaw, pitch }) {
    if (isAstray() || !Number.isFinite(yaw) || !Number.isFinite(pitch)) return
    if (yaw === player.yaw && pitch === player.pitch) return
    player.yaw = yaw
    player.pitch = pitch
    player.turnedTick = serv.tickCount
  }

  /** Tells the client where it is. @param {{yaw: number, pitch: number, flags: number}} rotation */
  function sendPosition(rotation) {
    const { x, y, z } = player.position
    sent += 1
    player._client.write('position', { x, y, z, ...rotation, teleportId: sent })
  }

  /** Where a joining player stands and looks. */
  player.sendPlace = () => sendPosition({ yaw: player.yaw, pitch: player.pitch, flags: 0 })

  /**
   * @param {any} position
   * @param {[number, number]} [rotation] yaw and pitch in degrees; kept when left out
   */
  player.teleport = (position, rotation) => {
    player.fallBlocks = 0
    serv.moveEntity(player, position.clone(), false)
    if (rotation) {
      ;[player.yaw, player.pitch] = rotation
      player.turnedTick = serv.tickCount
      player.sendPlace()
    } else {
      sendPosition({ yaw: 0, pitch: 0, flags: KEEP_ROTATION })
    }
    serv.sendColumnsAround(player)
    if (player.spawned) serv.lookAround(player)
  }
}
