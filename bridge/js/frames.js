/**
 * Packets cut from what a socket brings, without an exception for each piece: the library's reader asks
 * behind the last packet for one more, and what it then throws took a tenth of an idle bot's time.
 */

/** A length has so many bytes at most. */
const LENGTH_BYTES = 5

/**
 * Has a client's packets cut here.
 * @param {object} client of minecraft-protocol, which speaks to a server
 */
export function cutQuickly(client) {
  const { splitter } = /** @type {any} */ (client)
  /** @param {Buffer} chunk @param {string} _encoding @param {(error?: Error) => void} done */
  splitter._transform = function (chunk, _encoding, done) {
    const data = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk
    try {
      this.buffer = cut(data, (frame) => this.push(frame))
      done()
    } catch (error) {
      done(/** @type {Error} */ (error))
    }
  }
}

/**
 * @param {Buffer} data @param {(frame: Buffer) => void} push
 * @returns {Buffer} what is left of a packet that has not come whole
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
