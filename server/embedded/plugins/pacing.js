/**
 * Pacing: how often a player hears of an entity's movements.
 *
 * A moved entity is told by its absolute position, so the same bytes serve every watcher at whatever
 * pace: near ones ten times a second, far ones twice, and slower still for a player who sees a crowd,
 * so that the cost grows evenly with the crowd.
 */
import { angleByte } from './sight.js'

/** @import { Entity, Player, Server } from '../types.d.ts' */

/** Ticks between two updates, by distance in blocks. */
const PACES = [
  { within: 12, ticks: 2 },
  { within: 32, ticks: 4 },
  { within: Infinity, ticks: 10 }
]
const CROWD = 50

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const player of serv.players) if (player.spawned) tellMovements(serv, player)
  })
}

/** @param {Server} serv @param {Player} player */
function tellMovements(serv, player) {
  const crowd = 1 + Math.floor(player.seen.size / CROWD)
  for (const [entity, told] of player.seen) {
    const isNews = entity.movedTick > told || entity.turnedTick > told
    if (!isNews || serv.tickCount - told < PACES[0].ticks) continue
    const away = entity.position.distanceTo(player.position)
    const pace = PACES.find(({ within }) => away < within)?.ticks ?? 0
    if (serv.tickCount - told < pace * crowd) continue
    player.seen.set(entity, serv.tickCount)
    serv.sendBytes(player, moveBytes(serv, player, entity, entity.turnedTick > told))
  }
}

/** @param {Server} serv @param {Player} player @param {Entity} entity @param {boolean} hasTurned */
function moveBytes(serv, player, entity, hasTurned) {
  if (entity.bytesTick !== serv.tickCount) {
    entity.bytesTick = serv.tickCount
    entity.moveBytes = null
    entity.turnBytes = null
  }
  entity.moveBytes ??= serv.encode([player], 'entity_teleport', {
    entityId: entity.id,
    x: entity.position.x,
    y: entity.position.y,
    z: entity.position.z,
    yaw: angleByte(entity.yaw),
    pitch: angleByte(entity.pitch),
    onGround: entity.onGround
  })
  if (!hasTurned) return entity.moveBytes
  entity.turnBytes ??= withHead(serv, player, entity, entity.moveBytes)
  return entity.turnBytes
}

/** @param {Server} serv @param {Player} player @param {Entity} entity @param {Buffer | null} moveBytes */
function withHead(serv, player, entity, moveBytes) {
  const fields = { entityId: entity.id, headYaw: angleByte(entity.yaw) }
  const headBytes = serv.encode([player], 'entity_head_rotation', fields)
  return moveBytes && headBytes && Buffer.concat([moveBytes, headBytes])
}
