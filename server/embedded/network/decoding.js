/**
 * Decoding: who sends in play a packet of no number of the game's is kicked, as in vanilla; one that ends too
 * early or has bytes left over is told in the log, once of its kind.
 *
 * Vanilla kicks for these, too. Here the library's description of the protocol may be what is wrong, and
 * nobody's client shall go for that: such a packet is passed over, or read as far as it is known.
 */
import { translated } from '../minecraft/texts.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */

/** What a client is told of its broken packet. @param {string} fault @returns {Component} */
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
      throw passedOver()
    }
    if (bytes.length > packet.metadata.size) tell(`a packet ${name} with more than is known of it`)
    return packet
  }

  deserializer.parsePacketBuffer = (bytes) => {
    if (player.isExpelled) throw passedOver()
    try {
      return read(bytes)
    } catch (error) {
      const { partialReadError, isTold } =
        /** @type {Error & {partialReadError?: boolean, isTold?: boolean}} */ (error)
      if (!isTold)
        tell(partialReadError ? 'a packet that ends too early' : 'a packet that cannot be read')
      throw passedOver()
    }
  }
}

/** Nothing comes of a packet. */
const passedOver = () =>
  Object.assign(new Error('passed over'), { partialReadError: true, isTold: true })
