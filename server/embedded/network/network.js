/**
 * Network: one serialisation per broadcast, one socket write per player and turn of the event loop.
 *
 * With a hundred players, upstream spends half its time on socket writes, one per packet and
 * client, and serialises the same packet anew for each client. Here packets of the play state are
 * collected as bytes and written together. Traffic stays on the machine, so nothing is compressed.
 */
import { createRequire } from 'node:module'
import { checkPacket } from './strict.js'
import { sentFrom } from '../world/dimensions.js'

/** @import { Connection, Entity, Fields, Options, Player, Server } from '../types/index.d.ts' */

const require = createRequire(import.meta.url)
const [, writeVarInt, sizeOfVarInt] = require('protodef').types.varint

/** @type {WeakMap<object, {buffers: Buffer[], due: boolean}>} */
const outboxes = new WeakMap()
/** @type {WeakMap<object, (bytes: Buffer) => void>} */
const listeners = new WeakMap()

/** Counts of this process, for the benchmark. */
export const traffic = { packets: 0, bytes: 0 }

/**
 * minecraft-protocol's hook before a login is answered: it leaves compression off.
 * @param {Connection} client
 */
export function leaveUncompressed(client) {
  const { write } = client
  client.write = (name, fields) => {
    if (name !== 'compress') write.call(client, name, fields)
  }
  Object.defineProperty(client, 'compressionThreshold', { get: () => -2, set: () => {} })
}

/** @param {Buffer} packet @returns {Buffer} the packet, prefixed with its length */
function frame(packet) {
  const head = sizeOfVarInt(packet.length)
  const framed = Buffer.allocUnsafe(head + packet.length)
  writeVarInt(packet.length, framed, 0)
  packet.copy(framed, head)
  return framed
}

/** @param {Connection} client */
function flush(client) {
  const outbox = outboxes.get(client)
  if (!outbox) return
  outbox.due = false
  if (!outbox.buffers.length) return
  const bytes = outbox.buffers.length === 1 ? outbox.buffers[0] : Buffer.concat(outbox.buffers)
  outbox.buffers = []
  if (client.socket.writable) client.socket.write(bytes)
}

/**
 * @param {Server} serv @param {Connection} client @param {string} name @param {Fields} fields
 * @returns {Buffer | null}
 */
function encode(serv, client, name, fields) {
  try {
    const params = sentFrom(name, fields)
    const packet = client.serializer.createPacketBuffer({ name, params })
    if (serv.isStrict) checkPacket(serv, packet, name, params)
    return frame(packet)
  } catch (error) {
    serv.err(`packet ${name} cannot be written: ${error}`)
    return null
  }
}

/**
 * Receive everything that is sent to a playing client: packets, each prefixed with its length.
 * @param {Connection} client @param {(bytes: Buffer) => void} hear
 */
export const listen = (client, hear) => void listeners.set(client, hear)

/** @param {Connection} client @param {Buffer | null} bytes */
function enqueue(client, bytes) {
  if (bytes) listeners.get(client)?.(bytes)
  const outbox = outboxes.get(client)
  if (!bytes || !outbox || client.ended) return
  outbox.buffers.push(bytes)
  traffic.packets += 1
  traffic.bytes += bytes.length
  if (outbox.due) return
  outbox.due = true
  setImmediate(flush, client)
}

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.isStrict = Boolean(options.strict)
  serv.traffic = traffic

  /** Send one packet to many players, serialised once. */
  serv.send = (players, name, fields) => {
    if (!players.length) return
    const bytes = encode(serv, players[0]._client, name, fields)
    for (const player of players) enqueue(player._client, bytes)
  }

  /** Return the bytes of a packet, to send later or again. */
  serv.encode = (players, name, fields) =>
    players.length ? encode(serv, players[0]._client, name, fields) : null
  serv.sendBytes = (player, bytes) => enqueue(player._client, bytes)

  serv.getNearby = ({ position, radius = 64 }) =>
    serv.players.filter((player) => player.position.distanceTo(position) <= radius)
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const client = player._client
  outboxes.set(client, { buffers: [], due: false })
  client.write = (name, fields) => enqueue(client, encode(serv, client, name, fields))
  const end = client._end ?? client.end
  client._end = (reason) => {
    flush(client)
    end.call(client, reason)
  }
}

/** @param {Entity} entity @param {Server} serv */
export function entity(entity, serv) {
  entity.getOtherPlayers = () => serv.players.filter((p) => p !== entity)
  entity._writeOthersNearby = (name, fields) => serv.send([...entity.watchers], name, fields)
  entity._writeNearby = (name, fields) =>
    serv.send(
      entity.type === 'player' ? [...entity.watchers, entity] : [...entity.watchers],
      name,
      fields
    )
}
