/**
 * Joining and leaving: what a client is told when it enters, and what is tidied up when it goes.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { registry, Vec3 } from '../minecraft.js'
import { isSolid } from './blocks.js'

const require = createRequire(import.meta.url)

const EVENT = { CHUNKS_COMING: 'level_chunks_load_start', RESPAWN_AT_ONCE: 'immediate_respawn' }
const FLYING = { SURVIVAL: 0, CREATIVE: 0x0d, SPECTATOR: 0x07 }

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  const { builtinPlugins } = require('flying-squid/src/lib/plugins')
  const loginTags = require('flying-squid/src/lib/plugins/loginTags.json')
  const digest = createHash('sha256').update(String(options.world.seed)).digest()
  serv.hashedSeed = [digest.readInt32BE(0), digest.readInt32BE(4)]
  serv.gameMode = options.gameMode
  serv.difficulty = options.difficulty
  serv.bannedPlayers ??= {}

  serv._server.on('connection', (/** @type {any} */ client) => {
    client.on('error', (/** @type {Error} */ error) => serv.emit('clientError', client, error))
    client.on('state', (/** @type {string} */ now) => {
      if (now !== 'configuration') return
      client.write('feature_flags', { features: ['minecraft:vanilla'] })
      client.write('tags', loginTags)
    })
  })

  serv._server.on('playerJoin', (/** @type {any} */ client) => {
    if (client.ended) return
    const player = serv.newEntity('player', 'player', serv.worldSpawn)
    player._client = client
    player.username = client.username
    player.uuid = client.uuid
    for (const plugin of builtinPlugins) plugin.player?.(player, serv, options)
    serv.emit('newPlayer', player)
    player.emit('asap')
    enter(player)
  })

  /** @param {any} player */
  function enter(player) {
    const twin = serv.uuidToPlayer[player.uuid]
    if (twin) {
      leave(twin)
      twin._client.end('You logged in from another location')
    }
    const ban = serv.bannedPlayers[player.uuid]
    if (ban) return player._client.end(ban.reason)
    player.profileProperties = []
    player.gameMode = serv.gameMode
    player.prevGameMode = -1
    player.crouching = false
    player.op = false
    player.spawnPoint = null
    player.position = serv.spawnPlaceOf(player)
    serv.restorePlayer(player)
    serv.players.push(player)
    serv.uuidToPlayer[player.uuid] = player
    player._client.on('end', () => leave(player))
    welcome(player)
  }

  /** @param {any} player */
  function welcome(player) {
    const { _client: client } = player
    client.write('login', loginPacket(player))
    client.write('difficulty', { difficulty: serv.difficulty, difficultyLocked: false })
    player.sendAbilities()
    client.write('held_item_slot', { slot: player.heldItemSlot })
    client.write('spawn_position', { location: serv.worldSpawn.floored(), angle: 0 })
    serv.tellPlayers([player], serv.players)
    serv.tellPlayers(player.getOtherPlayers(), [player])
    client.write('game_state_change', { reason: EVENT.CHUNKS_COMING, gameMode: 0 })
    player.spawned = true
    serv.sendFirstColumns(player)
    player.sendPlace()
    serv.tellTime([player])
    player.window.sendAll(player.connection)
    client.write('experience', { experienceBar: 0, level: 0, totalExperience: 0 })
    serv.enterEntity(player)
    serv.lookAround(player)
    serv.broadcast(`${player.username} joined the game`, { system: true })
    player.emit('connected')
    // Mineflayer takes the first health as its spawn, so it comes last.
    player.sendHealth()
    player.emit('spawned')
  }

  /** @param {any} player */
  function loginPacket(player) {
    const { loginPacket: packet } = registry
    return {
      isHardcore: false,
      worldNames: packet.worldNames,
      simulationDistance: options['view-distance'],
      doLimitedCrafting: false,
      worldType: packet.worldType,
      worldName: packet.worldName,
      portalCooldown: 0,
      entityId: player.id,
      gameMode: player.gameMode,
      previousGameMode: -1,
      hashedSeed: serv.hashedSeed,
      viewDistance: options['view-distance'],
      reducedDebugInfo: false,
      maxPlayers: serv._server.maxPlayers,
      enableRespawnScreen: !serv.gamerules.doImmediateRespawn,
      isDebug: false,
      isFlat: serv.terrain === 'superflat',
      death: undefined
    }
  }

  /** @param {any} player */
  function leave(player) {
    if (player.disconnected) return
    player.disconnected = true
    player.closeWindow()
    serv.players = serv.players.filter((/** @type {any} */ other) => other !== player)
    serv.savePlayer(player)
    if (serv.uuidToPlayer[player.uuid] === player) delete serv.uuidToPlayer[player.uuid]
    for (const entity of player.seen.keys()) entity.watchers.delete(player)
    player.seen.clear()
    serv.removeEntity(player)
    serv.send(serv.players, 'player_remove', { players: [player.uuid] })
    serv.broadcast(`${player.username} left the game`, { system: true })
    player.emit('disconnected')
  }

  /** Puts players into the lists of others: a client draws nobody who is not in its list. @param {any[]} to @param {any[]} players */
  serv.tellPlayers = (to, players) =>
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

  /**
   * Where a player without a spawn point of its own appears: near the world's spawn, always at the
   * same place for the same name, so that a crowd does not stand in one block.
   * @param {any} player
   */
  serv.spawnPlaceOf = (player) => {
    if (player.spawnPoint) return standingPlace(player.spawnPoint.offset(0.5, 0, 0.5))
    const hash = createHash('sha256').update(`${serv.seed} ${player.username}`).digest()
    const width = 2 * Math.min(16, serv.gamerules.spawnRadius) + 1
    const offset = (/** @type {number} */ at) => (hash.readUInt32BE(at) % width) - (width - 1) / 2
    return standingPlace(serv.worldSpawn.offset(offset(0), 0, offset(4)))
  }

  /** The first free place at or above a position. @param {any} position */
  function standingPlace(position) {
    const place = position.floored()
    serv.loadBox(place, place)
    const isFree = (/** @type {number} */ y) => !isSolid(serv, new Vec3(place.x, y, place.z))
    let { y } = place
    while (y < 318 && !(isFree(y) && isFree(y + 1))) y++
    while (y > place.y - 40 && y > -63 && isFree(y - 1)) y--
    return new Vec3(place.x + 0.5, y, place.z + 0.5)
  }
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.setGameMode = (/** @type {number} */ gameMode) => {
    player.prevGameMode = player.gameMode
    player.gameMode = gameMode
    player._client.write('game_state_change', { reason: 'change_game_mode', gameMode })
    serv.send(serv.players, 'player_info', {
      action: { update_game_mode: true },
      data: [{ uuid: player.uuid, gamemode: gameMode }]
    })
    player.sendAbilities()
  }

  player.sendAbilities = () => {
    const flags = [FLYING.SURVIVAL, FLYING.CREATIVE, FLYING.SURVIVAL, FLYING.SPECTATOR]
    const fields = { flags: flags[player.gameMode], flyingSpeed: 0.05, walkingSpeed: 0.1 }
    player._client.write('abilities', fields)
  }

  /** The client's world made anew after a death. */
  player.reenter = () => {
    player._client.write('respawn', {
      dimension: registry.loginPacket.worldType,
      worldName: registry.loginPacket.worldName,
      hashedSeed: serv.hashedSeed,
      gamemode: player.gameMode,
      previousGamemode: 255,
      isDebug: false,
      isFlat: serv.terrain === 'superflat',
      death: undefined,
      portalCooldown: 0,
      copyMetadata: 0
    })
    for (const entity of player.seen.keys()) entity.watchers.delete(player)
    player.seen.clear()
    player.forgetChunks()
    player._client.write('game_state_change', { reason: EVENT.CHUNKS_COMING, gameMode: 0 })
    serv.sendFirstColumns(player)
    player.sendPlace()
    serv.tellTime([player])
    serv.lookAround(player)
    player.window.sendAll(player.connection)
  }

  player.kick = (reason = 'You were kicked') => player._client.end(reason)
}
