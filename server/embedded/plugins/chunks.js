/**
 * Chunks: each column is turned into bytes once and kept until it changes; players get those near
 * them first, a few a tick, so that many who join at once do not stop the server.
 */
import { nbt, Vec3 } from '../minecraft.js'

const COLUMNS_PER_TICK = 96
const COLUMNS_PER_PLAYER_AND_TICK = 12
/** Columns that a player gets before anything else: what a bot needs to stand. */
const FIRST_RADIUS = 2
const LIGHT_SECTION = Buffer.alloc(2048, 0xff)
const NO_HEIGHTS = nbt.comp({ MOTION_BLOCKING: nbt.longArray(new Array(37).fill([0, 0])) })

/** @param {any} column @returns {number} sections up to the highest that holds a block */
function usedSections(column) {
  const top = column.sections.findLastIndex((/** @type {any} */ s) => s.solidBlockCount > 0)
  return top + 1
}

/** Full daylight wherever there is something to see; clients light what lies above by themselves. @param {any} column */
function light(column) {
  const count = Math.min(usedSections(column) + 2, column.sections.length + 2)
  const mask = (1n << BigInt(count)) - 1n
  const words = [[Number(mask >> 32n), Number(mask & 0xffffffffn) | 0]]
  return {
    skyLightMask: words,
    blockLightMask: [],
    emptySkyLightMask: [],
    emptyBlockLightMask: [],
    skyLight: new Array(count).fill(LIGHT_SECTION),
    blockLight: []
  }
}

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  const viewDistance = options['view-distance']
  /** @type {Map<string, Buffer>} */
  const cache = new Map()
  const forget = (/** @type {any} */ { x, z }) => cache.delete(`${x >> 4},${z >> 4}`)
  serv.on('blockChanged', forget)
  serv.on('containerChanged', forget)

  /** @param {any} player @param {number} x @param {number} z @returns {Buffer} */
  function bytesOf(player, x, z) {
    const id = `${x},${z}`
    const known = cache.get(id)
    if (known) return known
    const column = serv.columnAt(x, z)
    const bytes = serv.encode([player], 'map_chunk', {
      x,
      z,
      heightmaps: NO_HEIGHTS,
      chunkData: column.dump(),
      blockEntities: serv.blockEntitiesIn(x, z),
      ...light(column)
    })
    cache.set(id, bytes)
    return bytes
  }

  /** @param {string} id @param {any[]} players */
  serv.resendColumn = (id, players) => {
    const [x, z] = id.split(',').map(Number)
    for (const player of players) serv.sendBytes(player, bytesOf(player, x, z))
  }

  /** Queues what a player should see and does not, nearest first; forgets what is too far. @param {any} player */
  function look(player) {
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

  /** @param {any} player @param {number} most @returns {number} how many were sent */
  function sendSome(player, most) {
    const batch = player.chunkQueue.splice(0, most)
    if (!batch.length) return 0
    player._client.write('chunk_batch_start', {})
    for (const [x, z] of batch) {
      player.chunks.add(`${x},${z}`)
      serv.sendBytes(player, bytesOf(player, x, z))
    }
    player._client.write('chunk_batch_finished', { batchSize: batch.length })
    return batch.length
  }

  /** What a joining player needs to stand on. @param {any} player */
  serv.sendFirstColumns = (player) => {
    look(player)
    sendSome(player, (2 * FIRST_RADIUS + 1) ** 2)
  }

  /** After a teleport: the new surroundings at once. @param {any} player */
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
      look(player)
      if (left > 0) left -= sendSome(player, Math.min(left, COLUMNS_PER_PLAYER_AND_TICK))
    }
    turn += 1
  })
}

/** @type {Map<number, [number, number][]>} */
const spirals = new Map()

/** @param {number} x @param {number} z @param {number} radius @returns {[number, number][]} nearest first */
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

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  /** @type {Set<string>} ids of the columns that the client has */
  player.chunks = new Set()
  /** @type {[number, number][]} */
  player.chunkQueue = []
  player.chunkCentre = ''
  player.forgetChunks = () => {
    player.chunks.clear()
    player.chunkQueue = []
    player.chunkCentre = ''
  }
  player._client.on('settings', (/** @type {{viewDistance: number}} */ { viewDistance }) => {
    player.view = Math.max(2, viewDistance)
    player.chunkCentre = ''
  })
  // Upstream's moderation and chat call these.
  player.sendBlock = (/** @type {any} */ { x, y, z }) => serv.tellBlock(player, new Vec3(x, y, z))
}
