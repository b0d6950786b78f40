/**
 * Network: one serialisation a broadcast, one socket write a player and turn of the event loop.
 *
 * With a hundred players, upstream spends half its time on socket writes, one a packet and client,
 * and serialises the same packet anew for each. Here packets of the play state are collected as
 * bytes and written together. Traffic stays on the machine, so nothing is compressed.
 */
import { createRequire } from 'node:module'
import { checkPacket } from '../strict.js'

const require = createRequire(import.meta.url)
const [, writeVarInt, sizeOfVarInt] = require('protodef').types.varint

/** @type {WeakMap<object, {buffers: Buffer[], due: boolean}>} */
const outboxes = new WeakMap()

/** Counts of this process, for the benchmark. */
export const traffic = { packets: 0, bytes: 0 }

/** minecraft-protocol's hook before a login answers: leave compression out. @param {any} client */
export function leaveUncompressed(client) {
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    if (name !== 'compress') write.call(client, name, fields)
  }
  Object.defineProperty(client, 'compressionThreshold', { get: () => -2, set: () => {} })
}

/** @param {Buffer} packet @returns {Buffer} with its length in front */
function frame(packet) {
  const head = sizeOfVarInt(packet.length)
  const framed = Buffer.allocUnsafe(head + packet.length)
  writeVarInt(packet.length, framed, 0)
  packet.copy(framed, head)
  return framed
}

/** @param {any} client */
function flush(client) {
  const outbox = outboxes.get(client)
  if (!outbox) return
  outbox.due = false
  if (!outbox.buffers.length) return
  const bytes = outbox.buffers.length === 1 ? outbox.buffers[0] : Buffer.concat(outbox.buffers)
  outbox.buffers = []
  if (client.socket.writable) client.socket.write(bytes)
}

/** @param {any} serv @param {any} client @param {string} name @param {any} fields @returns {Buffer | null} */
function encode(serv, client, name, fields) {
  try {
    const packet = client.serializer.createPacketBuffer({ name, params: fields })
    if (serv.isStrict) checkPacket(serv, packet, name, fields)
    return frame(packet)
  } catch (error) {
    serv.err(`packet ${name} cannot be written: ${error}`)
    return null
  }
}

/** @param {any} client @param {Buffer | null} bytes */
function enqueue(client, bytes) {
  const outbox = outboxes.get(client)
  if (!bytes || !outbox || client.ended) return
  outbox.buffers.push(bytes)
  traffic.packets += 1
  traffic.bytes += bytes.length
  if (outbox.due) return
  outbox.due = true
  setImmediate(flush, client)
}

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  serv.isStrict = Boolean(options.strict)
  serv.traffic = traffic

  /** Sends one packet to many, serialised once. @param {any[]} players @param {string} name @param {any} fields */
  serv.send = (players, name, fields) => {
    if (!players.length) return
    const bytes = encode(serv, players[0]._client, name, fields)
    for (const player of players) enqueue(player._client, bytes)
  }

  /** @param {any[]} players @param {string} name @param {any} fields @returns {Buffer | null} to send later or again */
  serv.encode = (players, name, fields) =>
    players.length ? encode(serv, players[0]._client, name, fields) : null
  serv.sendBytes = (/** @type {any} */ player, /** @type {Buffer | null} */ bytes) =>
    enqueue(player._client, bytes)

  // The names that upstream's plugins use.
  serv._writeAll = (/** @type {string} */ name, /** @type {any} */ fields) =>
    serv.send(serv.players, name, fields)
  serv._writeArray = (
    /** @type {string} */ name,
    /** @type {any} */ fields,
    /** @type {any[]} */ players
  ) => serv.send(players, name, fields)
  serv._writeNearby = (
    /** @type {string} */ name,
    /** @type {any} */ fields,
    /** @type {any} */ place
  ) => serv.send(serv.getNearby(place), name, fields)
  serv.getNearby = (/** @type {{position: any, radius?: number}} */ { position, radius = 64 }) =>
    serv.players.filter(
      (/** @type {any} */ player) => player.position.distanceTo(position) <= radius
    )
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  const client = player._client
  outboxes.set(client, { buffers: [], due: false })
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) =>
    enqueue(client, encode(serv, client, name, fields))
  const end = client._end ?? client.end
  client._end = (/** @type {string} */ reason) => {
    flush(client)
    end.call(client, reason)
  }
}

/** @param {any} entity @param {any} serv */
export function entity(entity, serv) {
  entity.getOtherPlayers = () => serv.players.filter((/** @type {any} */ p) => p !== entity)
  entity._writeOthers = (/** @type {string} */ name, /** @type {any} */ fields) =>
    serv.send(entity.getOtherPlayers(), name, fields)
  entity._writeOthersNearby = (/** @type {string} */ name, /** @type {any} */ fields) =>
    serv.send([...entity.watchers], name, fields)
  entity._writeNearby = (/** @type {string} */ name, /** @type {any} */ fields) =>
    serv.send(
      entity.type === 'player' ? [...entity.watchers, entity] : [...entity.watchers],
      name,
      fields
    )
}
