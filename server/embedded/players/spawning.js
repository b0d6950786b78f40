/** Spawning: where players appear, and rebuilding a client's world after a death. */
import { createHash } from 'node:crypto'
import { Vec3 } from '../minecraft/index.js'
import { respawnPlaceBeside } from '../blocks/bedside.js'
import { isSolid } from '../blocks/blocks.js'
import { dimensionAt, OVERWORLD } from '../world/dimensions.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Tells a client that its columns follow. */
export const COLUMNS_COMING = { reason: 'level_chunks_load_start', gameMode: 0 }
/** Flags: the client keeps the attributes and metadata of the player's body. */
const KEEP_ALL = 3

/** @param {Server} serv */
export function server(serv) {
  serv.setWorldSpawn = (position, angle) => {
    Object.assign(serv, { worldSpawn: position.offset(0.5, 0, 0.5), spawnAngle: angle })
    serv.send(serv.players, 'spawn_position', { location: position, angle })
  }

  /**
   * Return where a player without a personal spawn point appears: near the world's spawn, and
   * always at the same position for the same name, so that a crowd does not stand in one block.
   */
  serv.spawnPlaceOf = (player) => {
    const { spawnPoint, isBedSpawn, spawnAngle } = player
    const beside =
      spawnPoint && isBedSpawn ? respawnPlaceBeside(serv, spawnPoint, spawnAngle) : null
    if (beside) return beside
    if (spawnPoint) return standingPlace(serv, spawnPoint.offset(0.5, 0, 0.5))
    const hash = createHash('sha256').update(`${serv.seed} ${player.username}`).digest()
    const width = 2 * Math.min(16, serv.gamerules.spawnRadius) + 1
    const offset = (/** @type {number} */ at) => (hash.readUInt32BE(at) % width) - (width - 1) / 2
    return standingPlace(serv, serv.worldSpawn.offset(offset(0), 0, offset(4)))
  }
}

/**
 * Return the first free position, searching upwards.
 * @param {Server} serv @param {Vec3} position
 */
function standingPlace(serv, position) {
  const place = position.floored()
  serv.loadBox(place, place)
  const isFree = (/** @type {number} */ y) => !isSolid(serv, new Vec3(place.x, y, place.z))
  let { y } = place
  while (y < 318 && !(isFree(y) && isFree(y + 1))) y++
  while (y > place.y - 40 && y > -64 && isFree(y - 1)) y--
  return new Vec3(place.x + 0.5, y, place.z + 0.5)
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /**
   * Rebuild the client's world, after a death or in another dimension.
   * @param {boolean} isAlive true if it keeps its state
   */
  player.reenter = (isAlive) => {
    const dimension = dimensionAt(player.position)
    player._client.write('respawn', {
      dimension,
      worldName: dimension,
      hashedSeed: serv.hashedSeed,
      gamemode: player.gameMode,
      previousGamemode: 255,
      isDebug: false,
      isFlat: dimension === OVERWORLD && serv.terrain === 'superflat',
      death: undefined,
      portalCooldown: player.portalCooldown,
      copyMetadata: isAlive ? KEEP_ALL : 0
    })
    const entityIds = [...player.seen.keys()].map((entity) => entity.id)
    if (entityIds.length) player._client.write('entity_destroy', { entityIds })
    for (const entity of player.seen.keys()) entity.watchers.delete(player)
    player.seen.clear()
    player.forgetChunks()
    player._client.write('game_state_change', COLUMNS_COMING)
    serv.sendFirstColumns(player)
    player.sendPlace()
    serv.sendTime([player])
    if (serv.weather.kind !== 'clear') serv.sendWeather([player])
    serv.lookAround(player)
    player.window.sendAll(player.connection)
  }
  /** Show the player to others who did not see it before. @param {boolean} isAlive */
  player.appear = (isAlive) => {
    const watchers = [...player.watchers]
    serv.send(watchers, 'entity_destroy', { entityIds: [player.id] })
    for (const watcher of watchers) watcher.seen.delete(player)
    player.watchers.clear()
    player.reenter(isAlive)
    player.sendAbilities()
    serv.enterEntity(player)
    player.sendExperience()
    player.sendRights()
    player.sendHealth()
    player.sendEffects()
  }
}
