/**
 * Chunks: each column is serialised once and cached until it changes. Players receive nearby
 * columns first, a few per tick, so that many simultaneous joins do not stall the server.
 */
import { Column, nbt } from '../minecraft/index.js'
import { isNetherColumn, NETHER_LAYERS } from './dimensions.js'

/** @import { Options, Player, Position, Server } from '../types/index.d.ts' */

const COLUMNS_PER_TICK = 96
const COLUMNS_PER_PLAYER_AND_TICK = 12
/** Radius of columns that a player receives first: enough for a bot to stand on. */
const FIRST_RADIUS = 2
const NO_HEIGHTS = nbt.comp({ MOTION_BLOCKING: nbt.longArray(new Array(37).fill([0, 0])) })

/** Cache of the columns' packets, as bytes. */
class ColumnBytes {
  /** @param {Server} serv */
  constructor(serv) {
    this.serv = serv
    /** @type {Map<string, Buffer>} */
    this.known = new Map()
    serv.on('blockChanged', (position) => this.forget(position))
  }

  /** @param {Position} position of a changed block */
  forget({ x, z }) {
    this.known.delete(`${x >> 4},${z >> 4}`)
  }

  /** @param {Player} player @param {number} x @param {number} z @returns {Buffer | null} */
  of(player, x, z) {
    const id = `${x},${z}`
    const known = this.known.get(id)
    if (known) return known
    const column = this.serv.columnAt(x, z)
    const bytes = this.serv.encode([player], 'map_chunk', {
      x,
      z,
      heightmaps: NO_HEIGHTS,
      chunkData: isNetherColumn(x) ? netherDump(column) : column.dump(),
      blockEntities: this.serv.blockEntitiesIn(x, z),
      ...this.serv.lightOf(x, z)
    })
    if (bytes) this.known.set(id, bytes)
    return bytes
  }
}

/**
 * Return a column of the Nether as clients read it: with fewer layers.
 * @param {import('../types/index.d.ts').Column} column
 */
function netherDump({ sections, biomes }) {
  const { bottom: minY, height: worldHeight, first, sections: count } = NETHER_LAYERS
  const cut = (/** @type {any[]} */ all) => all.slice(first, first + count)
  return new Column({ minY, worldHeight, sections: cut(sections), biomes: cut(biomes) }).dump()
}

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  const viewDistance = options['view-distance']
  const columns = new ColumnBytes(serv)

  serv.forgetColumn = (position) => columns.forget(position)

  serv.resendColumn = (id, players) => {
    const [x, z] = id.split(',').map(Number)
    for (const player of players) serv.sendBytes(player, columns.of(player, x, z))
  }

  /**
   * @param {Player} player @param {number} most maximum number
   * @returns {number} number of columns sent
   */
  function sendSome(player, most) {
    const batch = player.chunkQueue.splice(0, most)
    if (!batch.length) return 0
    player._client.write('chunk_batch_start', {})
    for (const [x, z] of batch) {
      player.chunks.add(`${x},${z}`)
      serv.sendBytes(player, columns.of(player, x, z))
    }
    player._client.write('chunk_batch_finished', { batchSize: batch.length })
    return batch.length
  }

  /** Send a joining player the columns it needs to stand on. */
  serv.sendFirstColumns = (player) => {
    look(player, viewDistance)
    sendSome(player, (2 * FIRST_RADIUS + 1) ** 2)
  }

  /** After a teleport, send the new surroundings immediately. */
  serv.sendColumnsAround = (player) => {
    if (player.spawned) serv.sendFirstColumns(player)
  }

  let turn = 0
  serv.on('tick', () => {
    let left = COLUMNS_PER_TICK
    const { players } = serv
    for (let index = 0; index < players.length; index++) {
      const player = players[(index + turn) % players.length]
      if (!player.spawned) continue
      look(player, viewDistance)
      if (left > 0) left -= sendSome(player, Math.min(left, COLUMNS_PER_PLAYER_AND_TICK))
    }
    turn += 1
  })
}

/**
 * Queue the columns that a player should get, nearest first; unload those too far away.
 * @param {Player} player @param {number} viewDistance the server's, in columns
 */
function look(player, viewDistance) {
  const [x, z] = [Math.floor(player.position.x) >> 4, Math.floor(player.position.z) >> 4]
  const centre = `${x},${z}`
  if (player.chunkCentre === centre) return
  player.chunkCentre = centre
  const radius = Math.min(player.view ?? viewDistance, viewDistance)
  player._client.write('update_view_position', { chunkX: x, chunkZ: z })
  for (const id of player.chunks) {
    const [chunkX, chunkZ] = id.split(',').map(Number)
    if (Math.max(Math.abs(chunkX - x), Math.abs(chunkZ - z)) <= radius + 1) continue
    player.chunks.delete(id)
    player._client.write('unload_chunk', { chunkX, chunkZ })
  }
  player.chunkQueue = around(x, z, radius).filter(([cx, cz]) => !player.chunks.has(`${cx},${cz}`))
}

/** @type {Map<number, [number, number][]>} */
const spirals = new Map()

/**
 * @param {number} x @param {number} z @param {number} radius
 * @returns {[number, number][]} nearest first
 */
function around(x, z, radius) {
  if (!spirals.has(radius)) {
    /** @type {[number, number][]} */
    const offsets = []
    for (let dx = -radius; dx <= radius; dx++) {
      for (let dz = -radius; dz <= radius; dz++) offsets.push([dx, dz])
    }
    offsets.sort((a, b) => Math.hypot(...a) - Math.hypot(...b))
    spirals.set(radius, offsets)
  }
  return (spirals.get(radius) ?? []).map(([dx, dz]) => [x + dx, z + dz])
}

/** @param {Player} player */
export function player(player) {
  player.chunks = new Set()
  player.chunkQueue = []
  player.chunkCentre = ''
  player.forgetChunks = () => {
    player.chunks.clear()
    player.chunkQueue = []
    player.chunkCentre = ''
  }
  player._client.on('settings', ({ viewDistance }) => {
    player.view = Math.max(2, viewDistance)
    player.chunkCentre = ''
  })
}
