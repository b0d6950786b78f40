/**
 * Pacing: how often a player hears of an entity's movements.
 *
 * A moved entity is told by its absolute position, so the same bytes serve every watcher at whatever
 * pace: near ones ten times a second, far ones twice, and slower still for a player who sees a crowd,
 * so that the cost grows evenly with the crowd. Who sees one is told of all of it together, in ticks
 * of its own, as seldom as of the nearest: looking at each pair in each tick, and a socket write for a
 * few of them, cost most of what hundreds cost.
 */
import { angleByte } from './sight.js'

/** @import { Entity, Player, Server } from '../types/index.d.ts' */

/** Ticks between two updates, by distance in blocks. */
const NEAR = { within: 12, ticks: 2 }
const MIDDLE = { within: 32, ticks: 4 }
const FAR = { ticks: 10 }
/** For so many entities that a player sees all times are as long again. */
const CROWD = 50

/** @param {Server} serv */
export function server(serv) {
  /** Before which tick all has been told of what each sees: where nothing has moved since, nobody looks. @type {WeakMap<Player, number>} */
  const toldTicks = new WeakMap()
  serv.on('tick', () => {
    let latest = 0
    for (const { movedTick, turnedTick } of Object.values(serv.entities)) {
      latest = Math.max(latest, movedTick, turnedTick)
    }
    for (const player of serv.players) {
      const crowd = 1 + Math.floor(player.seen.size / CROWD)
      const every = crowd === 1 ? 1 : NEAR.ticks * crowd // all times are multiples of that
      if (!player.spawned || (serv.tickCount + player.id) % every !== 0) continue
      if (latest < (toldTicks.get(player) ?? 0)) continue
      if (tellMovements(serv, player, crowd)) toldTicks.set(player, serv.tickCount)
    }
  })
}

/**
 * Tell a player what moved of what it sees.
 * @param {Server} serv @param {Player} player @param {number} crowd by which times are longer
 * @returns {boolean} whether nothing is left for later
 */
export function tellMovements(serv, player, crowd) {
  const { tickCount } = serv
  const { x, y, z } = player.position
  let isAll = true
  for (const [entity, told] of player.seen) {
    const passed = tickCount - told
    if (passed < NEAR.ticks * crowd) {
      isAll = false // it may have moved since: most are passed over here, unlooked at
      continue
    }
    // A step may follow in the very tick in which one was told, and be the last.
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

/** @param {number} away a distance, squared */
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

/** @param {Server} serv @param {Player} player @param {Entity} entity @param {Buffer | null} moveBytes */
function withHead(serv, player, entity, moveBytes) {
  const fields = { entityId: entity.id, headYaw: angleByte(entity.yaw) }
  const headBytes = serv.encode([player], 'entity_head_rotation', fields)
  return moveBytes && headBytes && Buffer.concat([moveBytes, headBytes])
}
