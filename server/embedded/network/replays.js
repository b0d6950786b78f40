/**
 * Replays: a ReplayMod file for each client's stay, with every packet that the client received.
 *
 * The server does not send a client its own body, but a recording should show it. A watcher without
 * a client therefore receives what other players would see of the body. Times are in game time.
 */
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { now, wall } from '@voxpolis/clock'
import { MINECRAFT_VERSION, registry } from '../minecraft/index.js'
import { ReplayFile } from './replay-file.js'
import { tagPacket } from '../minecraft/tags.js'
import { play } from './strict.js'
import { listen } from './network.js'
import { tellMovements } from '../entities/pacing.js'
import { show } from '../entities/sight.js'

/** @import { Connection, Fields, Options, Player, Server } from '../types/index.d.ts' */

const require = createRequire(import.meta.url)
const { createSerializer } = require('minecraft-protocol')
const [readVarInt] = require('protodef').types.varint

const FORMAT = 14
/** Recordings longer than this are cut off. */
const MOST_BYTES = 1 << 30
/** Packets about a client's own screen or its connection, which a recording does not need. */
const LEFT_OUT = new Set([
  ...['keep_alive', 'ping', 'kick_disconnect', 'custom_payload', 'acknowledge_player_digging'],
  ...['open_window', 'close_window', 'window_items', 'set_slot', 'craft_progress_bar'],
  ...['update_health', 'experience', 'held_item_slot', 'abilities', 'open_sign_entity'],
  ...['tab_complete', 'declare_commands', 'statistics', 'trade_list', 'open_book']
])
const NAMES = registry.protocol.play.toClient.types.packet[1][0].type[1].mappings
const LEFT_OUT_IDS = new Set(
  Object.entries(NAMES).flatMap(([id, name]) => (LEFT_OUT.has(name) ? [Number(id)] : []))
)

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.replays = options.replays ?? null
  if (serv.replays) mkdirSync(serv.replays, { recursive: true })
  /** @type {Set<Promise<void>>} */
  const ending = new Set()
  serv.endReplay = (replay) => {
    if (replay.isOver) return
    replay.isOver = true
    const end = replay.end().catch((error) => serv.err(`replay: ${error.message}`))
    ending.add(end)
    end.then(() => ending.delete(end))
  }
  serv.replaysEnded = async () => {
    for (const { replay } of serv.players) if (replay) serv.endReplay(replay)
    await Promise.all(ending)
  }
  serv.on('tick', () => {
    for (const { replay } of serv.players) replay?.look()
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.replay = null
  if (!serv.replays) return
  const replay = new Replay(serv, player, serv.replays)
  player.replay = replay
  player.on('disconnected', () => serv.endReplay(replay))
}

/** Recording of one client's stay. */
export class Replay {
  /**
   * Last packet received, so that a packet sent to both the client and its watcher is recorded
   * once.
   */
  /** @type {Buffer | null} */ #last = null
  #began = now()
  /** When it began, of the wall's clock: files are called by it. */ #date = wall.now()
  #ms = 0
  /** @type {Set<string>} players that are seen in it */ #seen = new Set()
  #isFull = false
  isOver = false

  /** @param {Server} serv @param {Player} player @param {string} folder */
  constructor(serv, player, folder) {
    this.serv = serv
    this.player = player
    const time = new Date(this.#date).toISOString().replace(/[-:]|\.\d+/g, '')
    const path = join(folder, `${time}-${player.username}-${player.id}.mcpr`)
    this.file = new ReplayFile(path)
    this.#logIn()
    const { _client: client } = player
    listen(client, (bytes) => this.#take(bytes))
    /**
     * Watcher that receives what other players see of the player. It has only those properties of a
     * player that this needs.
     */
    this.watcher = /** @type {Player} */ (
      /** @type {unknown} */ ({
        seen: new Map(),
        get position() {
          return player.position
        },
        _client: {
          get serializer() {
            return client.serializer
          },
          write: (/** @type {string} */ name, /** @type {Fields} */ fields) =>
            serv.send([this.watcher], name, fields)
        }
      })
    )
    listen(this.watcher._client, (bytes) => this.#take(bytes))
  }

  /** Record the login packets. */
  #logIn() {
    const { uuid, username } = this.player
    const { dimensionCodec } = registry.loginPacket
    /** @type {['login' | 'configuration', string, Fields][]} */
    const packets = [
      ['login', 'success', { uuid, username, properties: [] }],
      ['configuration', 'registry_data', { codec: dimensionCodec }],
      ['configuration', 'feature_flags', { features: ['minecraft:vanilla'] }],
      ['configuration', 'tags', tagPacket()],
      ['configuration', 'finish_configuration', {}]
    ]
    for (const [state, name, params] of packets) {
      const told = { ...play, state: /** @type {typeof play.state} */ (state) }
      const writer = createSerializer({ ...told, isServer: true })
      this.file.write(0, writer.createPacketBuffer({ name, params }))
    }
  }

  /** @param {Buffer} bytes packets with their lengths in front */
  #take(bytes) {
    if (bytes === this.#last || this.#isFull || this.isOver) return
    this.#last = bytes
    this.#ms = Math.max(this.#ms, Math.round(now() - this.#began))
    for (let at = 0; at < bytes.length;) {
      const { value: length, size } = readVarInt(bytes, at)
      const packet = bytes.subarray(at + size, at + size + length)
      at += size + length
      if (!LEFT_OUT_IDS.has(readVarInt(packet, 0).value)) this.file.write(this.#ms, packet)
    }
    if (this.file.size > MOST_BYTES) {
      this.#isFull = true
      this.serv.warn(`${this.file.path}: cut after ${MOST_BYTES >> 20} MiB of packets`)
    }
  }

  /** Record the player's current look. */
  look() {
    const { player, watcher, serv } = this
    if (!player.spawned || player.disconnected) return
    if (!player.watchers.has(watcher)) show(serv, [watcher], player)
    tellMovements(serv, watcher, 1)
    this.#seen.add(player.uuid)
    for (const one of player.seen.keys()) if (one.type === 'player') this.#seen.add(one.uuid)
  }

  /** Complete the file once the client is gone. */
  async end() {
    await this.file.end({
      singleplayer: false,
      serverName: 'voxpolis',
      generator: 'voxpolis',
      date: this.#date,
      duration: this.#ms,
      mcversion: MINECRAFT_VERSION,
      protocol: registry.version.version,
      fileFormat: 'MCPR',
      fileFormatVersion: FORMAT,
      selfId: this.player.id,
      players: [...this.#seen]
    })
    this.serv.info(`replay: ${this.file.path}`)
  }
}
