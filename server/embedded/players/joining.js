/** Joining and leaving: packets for a client that joins, and cleanup when it leaves. */
import { createHash } from 'node:crypto'
import { registry } from '../minecraft/index.js'
import { tagPacket } from '../minecraft/tags.js'
import { nameOfPlayer, translated } from '../minecraft/texts.js'
import { dimensionAt } from '../world/dimensions.js'
import { COLUMNS_COMING } from './spawning.js'
import { upstream } from '../process/upstream.js'

/** @import { Connection, Fields, Options, Player, Server } from '../types/index.d.ts' */

/** Server brand that clients receive, preceded by its length. */
const BRAND = 'voxpolis'

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  const digest = createHash('sha256').update(String(options.world.seed)).digest()
  serv.hashedSeed = [digest.readInt32BE(0), digest.readInt32BE(4)]
  serv.difficulty = options.difficulty

  /** Add players to other players' lists: clients draw only players in their list. */
  serv.sendPlayerList = (to, players) =>
    serv.send(to, 'player_info', {
      action: {
        add_player: true,
        update_game_mode: true,
        update_listed: true,
        update_latency: true
      },
      data: players.map((player) => ({
        uuid: player.uuid,
        player: { name: player.username, properties: [] },
        gamemode: player.gameMode,
        listed: 1,
        latency: 0
      }))
    })

  serv._server.on('connection', (client) => {
    client.on('error', (error) => serv.emit('clientError', client, error))
    client.on('state', (now) => {
      if (now !== 'configuration') return
      const brand = Buffer.from(`${String.fromCharCode(BRAND.length)}${BRAND}`)
      client.write('custom_payload', { channel: 'minecraft:brand', data: brand })
      client.write('feature_flags', { features: ['minecraft:vanilla'] })
      client.write('tags', tagPacket())
    })
  })

  serv._server.on('playerJoin', (client) => {
    if (client.ended) return
    const player = newPlayer(serv, client, options)
    serv.emit('newPlayer', player)
    player.emit('asap')
    enter(serv, player)
    welcome(serv, player, options['view-distance'])
  })
}

/** @param {Server} serv @param {Connection} client @param {Options} options */
function newPlayer(serv, client, options) {
  const player = serv.newEntity('player', 'player', serv.worldSpawn)
  player._client = client
  player.username = client.username
  player.uuid = client.uuid
  for (const plugin of upstream.builtinPlugins) plugin.player?.(player, serv, options)
  return player
}

/** @param {Server} serv @param {Player} player */
function enter(serv, player) {
  const twin = serv.uuidToPlayer[player.uuid]
  if (twin) {
    leave(serv, twin)
    twin.kick(translated('multiplayer.disconnect.duplicate_login'))
  }
  player.gameMode = serv.gameMode
  player.crouching = false
  player.op = false
  player.spawnPoint = null
  player.spawnAngle = 0
  player.position = serv.spawnPlaceOf(player)
  serv.restorePlayer(player)
  serv.players.push(player)
  serv.uuidToPlayer[player.uuid] = player
  player._client.on('end', () => leave(serv, player))
}

/** @param {Server} serv @param {Player} player @param {number} viewDistance in columns */
function welcome(serv, player, viewDistance) {
  const { _client: client } = player
  client.write('login', loginPacket(serv, player, viewDistance))
  client.write('difficulty', { difficulty: serv.difficulty, difficultyLocked: false })
  player.sendAbilities()
  client.write('held_item_slot', { slot: player.heldItemSlot })
  client.write('spawn_position', {
    location: serv.worldSpawn.floored(),
    angle: serv.spawnAngle
  })
  serv.sendPlayerList([player], serv.players)
  serv.sendPlayerList(player.getOtherPlayers(), [player])
  client.write('game_state_change', COLUMNS_COMING)
  player.spawned = true
  serv.sendFirstColumns(player)
  player.sendPlace()
  serv.sendTime([player])
  if (serv.weather.kind !== 'clear') serv.sendWeather([player])
  player.window.sendAll(player.connection)
  player.sendExperience()
  player.sendRights()
  player.sendEffects()
  serv.enterEntity(player)
  serv.lookAround(player)
  serv.broadcast(yellow('multiplayer.player.joined', player))
  player.emit('connected')
  // Mineflayer takes the first health packet as its spawn, so it must come last.
  player.sendHealth()
  player.emit('spawned')
}

/**
 * @param {Server} serv @param {Player} player @param {number} viewDistance in columns
 * @returns {Fields}
 */
function loginPacket(serv, player, viewDistance) {
  const { loginPacket: packet } = registry
  return {
    isHardcore: false,
    worldNames: packet.worldNames,
    simulationDistance: viewDistance,
    doLimitedCrafting: false,
    worldType: dimensionAt(player.position),
    worldName: dimensionAt(player.position),
    portalCooldown: player.portalCooldown,
    entityId: player.id,
    gameMode: player.gameMode,
    previousGameMode: -1,
    hashedSeed: serv.hashedSeed,
    viewDistance,
    reducedDebugInfo: false,
    maxPlayers: serv._server.maxPlayers,
    enableRespawnScreen: !serv.gamerules.doImmediateRespawn,
    isDebug: false,
    isFlat: serv.terrain === 'superflat',
    death: undefined
  }
}

/** @param {string} key @param {Player} player */
const yellow = (key, player) => ({ ...translated(key, nameOfPlayer(player)), color: 'yellow' })

/** @param {Server} serv @param {Player} player */
function leave(serv, player) {
  if (player.disconnected) return
  player.disconnected = true
  player.closeWindow()
  serv.players = serv.players.filter((other) => other !== player)
  serv.savePlayer(player)
  if (serv.uuidToPlayer[player.uuid] === player) delete serv.uuidToPlayer[player.uuid]
  for (const entity of player.seen.keys()) entity.watchers.delete(player)
  player.seen.clear()
  serv.removeEntity(player)
  serv.send(serv.players, 'player_remove', { players: [player.uuid] })
  serv.broadcast(yellow('multiplayer.player.left', player))
  player.emit('disconnected')
}
