/**
 * Binary NBT in Minecraft's files, converted to prismarine-nbt's form and back.
 *
 * Files are untrusted: an incomplete file, or one that unpacks to more than a column can contain,
 * causes an error before it costs time or memory. Texts use Java's modified UTF-8, which
 * prismarine-nbt does not support: a character beyond the basic plane is encoded as two surrogates
 * of three bytes each.
 */

import { setPart } from '../../minecraft/snbt.js'

/** @import { Tag } from '../../types/index.d.ts' */

const TYPES = ['end', 'byte', 'short', 'int', 'long', 'float', 'double', 'byteArray', 'string']
TYPES.push('list', 'compound', 'intArray', 'longArray')
/** Maximum number of values in a file; a busy column has some ten thousand. */
const MOST_VALUES = 1_000_000
const DEEPEST = 512
/** Maximum bytes of a text; its length field has two bytes. */
const MOST_BYTES = 0xffff

/** Invalid or excessive NBT. */
export class NbtError extends Error {}

/** @param {Buffer} bytes of a whole file @returns {Tag} a compound @throws {NbtError} */
export function readNbt(bytes) {
  const reader = new Reader(bytes)
  if (reader.type() !== 'compound') throw new NbtError('it is not NBT')
  reader.text()
  return { type: 'compound', value: reader.value('compound', 0) }
}

class Reader {
  /** @param {Buffer} bytes */
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
    this.left = MOST_VALUES
  }

  /** @param {number} size @returns {number} offset of the next bytes */
  take(size) {
    const { at } = this
    if (at + size > this.bytes.length) throw new NbtError('it is cut off')
    this.at += size
    return at
  }

  type() {
    const found = TYPES[this.bytes[this.take(1)]]
    if (!found) throw new NbtError('it is not NBT')
    return found
  }

  int() {
    return this.bytes.readInt32BE(this.take(4))
  }

  text() {
    const size = this.bytes.readUInt16BE(this.take(2))
    const at = this.take(size)
    return fromJavas(this.bytes.subarray(at, at + size))
  }

  /** @param {number} size of an item in bytes @returns {number} number of items that follow */
  count(size) {
    const count = this.int()
    if (count < 0 || this.at + count * size > this.bytes.length) throw new NbtError('it is cut off')
    return count
  }

  /** @param {string} type @param {number} depth @returns {any} */
  value(type, depth) {
    if (this.left-- <= 0) throw new NbtError(`it has more than ${MOST_VALUES} values`)
    if (depth > DEEPEST) throw new NbtError(`it is nested more than ${DEEPEST} deep`)
    const { bytes } = this
    if (type === 'byte') return bytes.readInt8(this.take(1))
    if (type === 'short') return bytes.readInt16BE(this.take(2))
    if (type === 'int') return this.int()
    if (type === 'long') return [this.int(), this.int()]
    if (type === 'float') return bytes.readFloatBE(this.take(4))
    if (type === 'double') return bytes.readDoubleBE(this.take(8))
    if (type === 'string') return this.text()
    if (type === 'list') return this.list(depth)
    if (type === 'compound') return this.compound(depth)
    const size = type === 'byteArray' ? 1 : type === 'intArray' ? 4 : 8
    const one = type.replace('Array', '')
    return Array.from({ length: this.count(size) }, () => {
      this.left++ // the file's size already limits the number of bytes
      return this.value(one, depth)
    })
  }

  /** @param {number} depth */
  list(depth) {
    const type = this.type()
    const count = this.int()
    if (type === 'end' && count > 0) throw new NbtError('it has a nonempty list of end tags')
    if (count > this.left) throw new NbtError(`it has more than ${MOST_VALUES} values`)
    const length = Math.max(0, count)
    return { type, value: Array.from({ length }, () => this.value(type, depth + 1)) }
  }

  /** @param {number} depth */
  compound(depth) {
    /** @type {Record<string, Tag>} */
    const found = Object.create(null)
    for (let type = this.type(); type !== 'end'; type = this.type()) {
      const name = this.text()
      setPart(found, name, { type, value: this.value(type, depth + 1) })
    }
    return found
  }
}

/** @param {Tag} tag a compound @returns {Buffer} a whole file */
export function nbtBytes(tag) {
  /** @type {Buffer[]} */
  const parts = []
  const byte = (/** @type {number} */ value) => parts.push(Buffer.from([value & 0xff]))
  const number = (/** @type {number} */ size, /** @type {(into: Buffer) => void} */ write) => {
    const buffer = Buffer.alloc(size)
    write(buffer)
    parts.push(buffer)
  }
  const int = (/** @type {number} */ value) => number(4, (into) => into.writeInt32BE(value | 0))
  const text = (/** @type {string} */ value) => {
    const bytes = javas(value)
    number(2, (into) => into.writeUInt16BE(bytes.length))
    parts.push(bytes)
  }
  /** @type {Record<string, (value: any) => void>} */
  const write = {
    byte,
    short: (value) => number(2, (into) => into.writeInt16BE((value << 16) >> 16)),
    int,
    long: ([high, low]) => [high, low].forEach(int),
    float: (value) => number(4, (into) => into.writeFloatBE(value)),
    double: (value) => number(8, (into) => into.writeDoubleBE(value)),
    string: text,
    list: ({ type, value }) => {
      byte(TYPES.indexOf(value.length ? type : 'end'))
      int(value.length)
      for (const one of value) write[type](one)
    },
    compound: (value) => {
      for (const [name, part] of Object.entries(value)) {
        if (!part) continue
        byte(TYPES.indexOf(part.type))
        text(name)
        write[part.type](part.value)
      }
      byte(0)
    }
  }
  for (const one of ['byte', 'int', 'long']) {
    write[`${one}Array`] = (value) => {
      int(value.length)
      for (const part of value) write[one](part)
    }
  }
  byte(TYPES.indexOf('compound'))
  text('')
  write.compound(tag.value)
  return Buffer.concat(parts)
}

/** @param {Buffer} bytes in Java's form of UTF-8 @returns {string} */
function fromJavas(bytes) {
  if (bytes.every((byte) => byte < 0x80)) return bytes.toString('latin1')
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte < 0x80) text += String.fromCharCode(byte)
    else if (byte >> 5 === 0b110)
      text += String.fromCharCode(((byte & 0x1f) << 6) | (bytes[++at] & 0x3f))
    else if (byte >> 4 === 0b1110)
      text += String.fromCharCode(
        ((byte & 0xf) << 12) | ((bytes[++at] & 0x3f) << 6) | (bytes[++at] & 0x3f)
      )
    else {
      // Java never writes four-byte sequences, but some other programs do.
      text += bytes.subarray(at, at + 4).toString()
      at += 3
    }
  }
  return text
}

/** @param {string} text @returns {Buffer} in modified UTF-8 @throws {NbtError} it is too long */
function javas(text) {
  /** @type {number[]} */
  const bytes = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code && code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f))
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
  }
  if (bytes.length > MOST_BYTES) throw new NbtError(`a text has more than ${MOST_BYTES} bytes`)
  return Buffer.from(bytes)
}
