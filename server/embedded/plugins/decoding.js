/**
 * Decoding: who sends in play what is no packet of the game is kicked, as in vanilla, and the log says why.
 *
 * The library passes over packets that end too early or have an unknown number, and reads of those that are
 * too long what it knows.
 */
import { translated } from '../texts.js'

/** @import { Component, Player } from '../types.d.ts' */

/** What a client is told of its broken packet. @param {string} fault @returns {Component} */
export const exceptionOf = (fault) =>
  translated('disconnect.genericReason', `Internal Exception: ${fault}`)

/** @param {Player} player */
export function player(player) {
  const { deserializer } = player._client
  const { parsePacketBuffer } = deserializer

  /** @param {Buffer} bytes */
  function read(bytes) {
    const packet = parsePacketBuffer.call(deserializer, bytes)
    const { name } = packet.data
    if (typeof name !== 'string') throw new RangeError(`Bad packet id ${name}`)
    const extra = bytes.length - packet.metadata.size
    if (extra)
      throw new RangeError(`Packet ${name} was larger than I expected, found ${extra} bytes extra`)
    return packet
  }

  deserializer.parsePacketBuffer = (bytes) => {
    try {
      if (!player.isExpelled) return read(bytes)
    } catch (error) {
      const { message, partialReadError } = /** @type {Error & {partialReadError?: boolean}} */ (
        error
      )
      const fault = partialReadError ? 'Packet ended too early' : message
      player.expel(exceptionOf(fault), `for a packet that cannot be read: ${fault}`)
    }
    throw Object.assign(new Error('passed over'), { partialReadError: true }) // nothing comes of it
  }
}
