/**
 * Strict mode: each packet sent is read back and compared with the protocol's definition.
 *
 * Enabled by `--strict`, which the tests use. A packet with missing or unknown fields, or with
 * extra or missing bytes, is logged as `strict: …`; the tests look for such lines.
 */
import { createRequire } from 'node:module'
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Fields, PacketWriter, Server } from '../types/index.d.ts' */

const require = createRequire(import.meta.url)
const { createDeserializer, createSerializer } = require('minecraft-protocol')

/**
 * minecraft-protocol's reader and writer of packets.
 * @typedef {{name: string, params: Fields}} Named
 * @typedef {{parsePacketBuffer: (packet: Buffer) => {data: Named, metadata: {size: number}}}} Reader
 */

/** Options for the serializers of the play state. */
export const play = {
  state: /** @type {import('minecraft-protocol').States} */ ('play'),
  version: MINECRAFT_VERSION,
  customPackets: {}
}
/** @type {Reader | null} */
let reader = null
/** @type {PacketWriter | null} */
let writer = null

/**
 * @param {Pick<Server, 'err'>} serv @param {Buffer} packet @param {string} name
 * @param {Fields} fields
 */
export function checkPacket(serv, packet, name, fields) {
  reader ??= /** @type {Reader} */ (createDeserializer({ ...play, isServer: false }))
  writer ??= /** @type {PacketWriter} */ (createSerializer({ ...play, isServer: true }))
  // Pass a copy, because the library's reader modifies its input when a list ends with a bit.
  const { data, metadata } = reader.parsePacketBuffer(Buffer.from(packet))
  const report = (/** @type {string} */ what) => serv.err(`strict: ${name}: ${what}`)
  if (metadata.size !== packet.length) report(`${metadata.size} of ${packet.length} bytes read`)
  if (data.name !== name) report(`read as ${data.name}`)
  if (!writer.createPacketBuffer(data).equals(packet)) report('reads as something else')
  for (const key of Object.keys(data.params ?? {})) {
    const isLeftOut = fields?.[key] === undefined && data.params[key] !== undefined
    if (isLeftOut) report(`field ${key} was left out`)
  }
  for (const key of Object.keys(fields ?? {})) {
    if (!(key in (data.params ?? {}))) report(`has no field ${key}`)
  }
}
