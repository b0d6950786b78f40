/** Teleports: as in vanilla, each has a number that the client confirms. */
import { dimensionAt, shiftAt, shown } from '../world/dimensions.js'

/** @import { Player, Position, Server } from '../types/index.d.ts' */

/** Packet flags that make yaw and pitch relative to the client's current rotation. */
const KEEP_ROTATION = 0x18
const MOST_UNANSWERED = 8

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  let sent = 0
  let confirmed = 0
  player.isAstray = () => confirmed !== sent

  player._client.on('teleport_confirm', ({ teleportId }) => {
    confirmed = Math.max(confirmed, Math.min(teleportId, sent))
  })

  /**
   * The client's coordinates of teleports that it has not answered yet, by number.
   * @type {Map<number, Position>}
   */
  const unanswered = new Map()
  player.isLateAnswer = ({ x, y, z }) => {
    const shift = shiftAt(player.position.x)
    const isIt = (/** @type {Position} */ to) => to.x + shift === x && to.y === y && to.z === z
    const found = [...unanswered].findLast(([, to]) => isIt(to))
    if (found) unanswered.delete(found[0])
    return found !== undefined && found[0] !== sent
  }

  /** Send the client its position. @param {{yaw: number, pitch: number, flags: number}} rotation */
  function sendPosition(rotation) {
    const { x, y, z } = player.position
    sent += 1
    unanswered.set(sent, shown({ x, y, z })).delete(sent - MOST_UNANSWERED)
    player._client.write('position', { x, y, z, ...rotation, teleportId: sent })
  }

  /** Send a joining player its position and direction. */
  player.sendPlace = () => sendPosition({ yaw: player.yaw, pitch: player.pitch, flags: 0 })

  /** Teleport to a position, with a rotation in degrees; by default the rotation does not change. */
  player.teleport = (position, rotation) => {
    player.fallBlocks = 0
    player.emit('teleported')
    const isElsewhere = dimensionAt(position) !== dimensionAt(player.position)
    serv.moveEntity(player, position.clone(), false)
    if (isElsewhere && player.spawned) {
      if (rotation) [player.yaw, player.pitch] = rotation
      return player.appear(true)
    }
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
