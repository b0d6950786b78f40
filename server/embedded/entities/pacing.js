/**
 * Pacing: how often a player receives the movements of an entity.
 *
 * A movement is sent as an absolute position, so the same bytes serve all watchers at any rate:
 * near entities ten times a second, far ones twice, and less often for a player who sees a crowd,
 * so that the cost grows linearly with the crowd. A player receives all updates of a tick together,
 * at the rate of the nearest entity. Checking each pair in each tick, and writing a socket for a
 * few of them, was most of the cost of hundreds of players.
 */
import { angleByte } from './sight.js'

/** @import { Entity, Player, Server } from '../types/index.d.ts' */

/** Ticks between two updates, by distance in blocks. */
const NEAR = { within: 12, ticks: 2 }
const MIDDLE = { within: 32, ticks: 4 }
const FAR = { ticks: 10 }
/** For each multiple of this number of visible entities, intervals grow by their base length. */
const CROWD = 50

/** @param {Server} serv */
export function server(serv) {
  /**
   * Tick by which everything in sight has been sent; players are skipped if nothing has moved
   * since.
   * @type {WeakMap<Player, number>}
   */
  const sentTicks = new WeakMap()
  serv.on('tick', () => {
    let latest = 0
    for (const { movedTick, turnedTick } of Object.values(serv.entities)) {
      latest = Math.max(latest, movedTick, turnedTick)
    }
    for (const player of serv.players) {
      const crowd = 1 + Math.floor(player.seen.size / CROWD)
      const every = crowd === 1 ? 1 : NEAR.ticks * crowd // all intervals are multiples of this
      if (!player.spawned || (serv.tickCount + player.id) % every !== 0) continue
      if (latest < (sentTicks.get(player) ?? 0)) continue
      if (tellMovements(serv, player, crowd)) sentTicks.set(player, serv.tickCount)
    }
  })
}

/**
 * Send a player the movements of entities in its sight.
 * @param {Server} serv @param {Player} player @param {number} crowd factor of the intervals
 * @returns {boolean} true if nothing is left for later
 */
export function tellMovements(serv, player, crowd) {
  const { tickCount } = serv
  const { x, y, z } = player.position
  let isAll = true
  for (const [entity, told] of player.seen) {
    const passed = tickCount - told
    if (passed < NEAR.ticks * crowd) {
      isAll = false // it may have moved since; most entities are skipped here
      continue
    }
    // A last step may follow in the same tick as an update.
    if (entity.movedTick < told && entity.turnedTick < told) continue
    if (passed < FAR.ticks * crowd) {
      const { position } = entity
      const away = (position.x - x) ** 2 + (position.y - y) ** 2 + (position.z - z) ** 2
      if (passed < paceAt(away) * crowd) {
        isAll = false
        continue
      }
    }
    player.seen.set(entity, tickCount)
    serv.sendBytes(player, moveBytes(serv, player, entity, entity.turnedTick >= told))
  }
  return isAll
}

/** @param {number} away squared distance */
function paceAt(away) {
  if (away < NEAR.within ** 2) return NEAR.ticks
  return away < MIDDLE.within ** 2 ? MIDDLE.ticks : FAR.ticks
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

/**
 * @param {Server} serv @param {Player} player @param {Entity} entity
 * @param {Buffer | null} moveBytes
 */
function withHead(serv, player, entity, moveBytes) {
  const fields = { entityId: entity.id, headYaw: angleByte(entity.yaw) }
  const headBytes = serv.encode([player], 'entity_head_rotation', fields)
  return moveBytes && headBytes && Buffer.concat([moveBytes, headBytes])
}
