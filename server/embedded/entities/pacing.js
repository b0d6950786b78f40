/**
 * Pacing: how often a player receives the movements of an entity.
 *
 * A movement is sent as an absolute position, so all watchers can receive the same bytes at
 * different rates. Near entities are sent ten times a second and far ones twice. A player who sees
 * a crowd receives updates less often, so that the cost grows linearly with the crowd. A player
 * receives all updates of a tick together, at the rate of the nearest entity. Without this,
 * checking each pair in each tick and writing to a socket for a few movements was most of the cost
 * of hundreds of players.
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
   * Tick by which a player has received everything in sight; the player is skipped until something
   * moves.
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
      // all intervals are multiples of this number
      const every = crowd === 1 ? 1 : NEAR.ticks * crowd
      if (!player.spawned || (serv.tickCount + player.id) % every !== 0) continue
      if (latest < (sentTicks.get(player) ?? 0)) continue
      if (tellMovements(serv, player, crowd)) sentTicks.set(player, serv.tickCount)
    }
  })
}

/**
 * Send a player the movements of entities in sight.
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
      isAll = false // it may have moved since its last update; most entities end here
      continue
    }
    // An entity may move again in the same tick, after the update.
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
