/**
 * Decoding errors. As in vanilla, a client that sends an unknown packet id while playing is kicked.
 * Packets that end too early or have extra bytes are logged, once per kind.
 *
 * Vanilla also kicks clients for such packets. Here the library's description of the protocol may
 * be wrong, and a client must not be kicked for that: the server ignores the packet, or uses the
 * part that it could read.
 */
import { translated } from '../minecraft/texts.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */

/**
 * Return the message for a client with a broken packet.
 * @param {string} fault @returns {Component}
 */
export const exceptionOf = (fault) =>
  translated('disconnect.genericReason', `Internal Exception: ${fault}`)

/** @param {Player} player @param {Pick<Server, 'warn'>} serv */
export function player(player, serv) {
  const { deserializer } = player._client
  const { parsePacketBuffer } = deserializer
  /** @type {Set<string>} */
  const told = new Set()
  /** @param {string} fault */
  const tell = (fault) => {
    if (!told.has(fault)) serv.warn(`${player.username} sent ${fault}`)
    told.add(fault)
  }

  /** @param {Buffer} bytes */
  function read(bytes) {
    const packet = parsePacketBuffer.call(deserializer, bytes)
    const { name } = packet.data
    if (typeof name !== 'string') {
      const fault = `Bad packet id ${name}`
      player.expel(exceptionOf(fault), `for a packet that cannot be read: ${fault}`)
      throw ignorePacket()
    }
    if (bytes.length > packet.metadata.size) tell(`a packet ${name} with extra bytes`)
    return packet
  }

  deserializer.parsePacketBuffer = (bytes) => {
    if (player.isExpelled) throw ignorePacket()
    try {
      return read(bytes)
    } catch (error) {
      const { partialReadError, isTold } =
        /** @type {Error & {partialReadError?: boolean, isTold?: boolean}} */ (error)
      if (!isTold)
        tell(partialReadError ? 'a packet that ends too early' : 'a packet that cannot be read')
      throw ignorePacket()
    }
  }
}

/** Ignore the packet. */
const ignorePacket = () =>
  Object.assign(new Error('passed over'), { partialReadError: true, isTold: true })
