/**
 * Direct path for packets between a bot's socket and the code that parses and serializes them. The
 * library puts four streams in between, which cost more than the packets themselves. Its reader
 * also tries to read another packet after the last one, which throws an exception.
 */

/** Maximum number of bytes in a length field. */
const LENGTH_BYTES = 5

/**
 * Split a client's data into packets, and join packets, without the library's streams. If packets
 * are compressed, those streams do the rest.
 * @param {any} client of minecraft-protocol, which is connected to a server
 */
export function bypassStreams(client) {
  readQuickly(client)
  writeQuickly(client)
}

/** @param {any} client */
function readQuickly(client) {
  const { splitter } = client
  /** @param {Buffer} chunk @param {string} _encoding @param {(error?: Error) => void} done */
  splitter._transform = function (chunk, _encoding, done) {
    const data = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk
    try {
      this.buffer = cut(data, (frame) => take(client, frame))
      done()
    } catch (error) {
      done(/** @type {Error} */ (error))
    }
  }
}

/** @param {any} client @param {Buffer} frame */
function take(client, frame) {
  const packet = client.decompressor ? null : parsed(client.deserializer, frame)
  if (!packet) return client.splitter.push(frame)
  try {
    client.deserializer.emit('data', packet)
  } catch (error) {
    // An error in a packet's listener must not affect the connection or the next packet.
    process.nextTick(() => {
      throw error
    })
  }
}

/**
 * @param {any} deserializer @param {Buffer} frame
 * @returns {object | null} null if the library should report the error
 */
function parsed(deserializer, frame) {
  try {
    return deserializer.parsePacketBuffer(frame)
  } catch {
    return null
  }
}

/** @param {any} client */
function writeQuickly(client) {
  const { write } = client
  /** @param {string} name @param {object} params */
  client.write = function (name, params) {
    const { serializer, compressor, cipher, socket } = this
    const isStraight = serializer.writable && socket?.writable && !compressor && !cipher
    const packet = isStraight ? made(serializer, { name, params }) : null
    if (packet) socket.write(framed(packet))
    else write.call(this, name, params)
  }
}

/**
 * @param {any} serializer @param {object} packet
 * @returns {Buffer | null} null if the library should report the error
 */
function made(serializer, packet) {
  try {
    return serializer.createPacketBuffer(packet)
  } catch {
    return null
  }
}

/**
 * @param {Buffer} data @param {(frame: Buffer) => void} push
 * @returns {Buffer} the rest: an incomplete packet
 */
export function cut(data, push) {
  let at = 0
  for (;;) {
    let length = 0
    let begin = at
    for (let byte = 0x80; byte & 0x80; begin++) {
      if (begin >= data.length) return data.subarray(at)
      if (begin - at >= LENGTH_BYTES) throw new Error('a packet without a length')
      byte = data[begin]
      length |= (byte & 0x7f) << (7 * (begin - at))
    }
    if (begin + length > data.length) return data.subarray(at)
    push(data.subarray(begin, begin + length))
    at = begin + length
  }
}

/** Prefix a packet with its length. @param {Buffer} packet @returns {Buffer} */
export function framed(packet) {
  const head = []
  let length = packet.length
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80)
  head.push(length)
  const frame = Buffer.allocUnsafe(head.length + packet.length)
  frame.set(head)
  frame.set(packet, head.length)
  return frame
}
