/**
 * ReplayMod file (`.mcpr`): timestamped packets that a client received, and metadata.
 *
 * It is a zip archive with two entries. `recording.tmcpr` contains for each packet its time in
 * milliseconds and its length, both as four bytes, then the packet's bytes as in the protocol,
 * uncompressed; from Minecraft 1.14 on it begins with the login success packet. `metaData.json`
 * contains the metadata. (ReplayStudio's ReplayOutputStream and ReplayMetaData, file format 14.)
 */
import { once } from 'node:events'
import { createWriteStream, renameSync } from 'node:fs'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const SIZES_BEHIND = 0x08074b50
/** Version 2.0 of the zip format, with sizes after the data and names in UTF-8. */
const [VERSION, FLAGS, DEFLATED] = [20, 0x808, 8]

/** @typedef {{name: string, crc: number, packed: number, size: number, at: number}} Entry */

/**
 * The file is written packet by packet, so that a long game needs no memory. Its name ends in
 * `.part` until it is complete.
 */
export class ReplayFile {
  /** Bytes of packets so far. */ size = 0
  #crc = 0
  #packed = 0
  #pack = createDeflateRaw()

  /** @param {string} path */
  constructor(path) {
    this.path = path
    this.out = createWriteStream(`${path}.part`)
    /** Error of a failed write. @type {Error | null} */
    this.failure = null
    this.out.on('error', (error) => (this.failure ??= error))
    this.out.write(localHead('recording.tmcpr'))
    this.#pack.on('data', (/** @type {Buffer} */ bytes) => {
      this.#packed += bytes.length
      this.out.write(bytes)
    })
  }

  /** @param {number} ms since its beginning @param {Buffer} packet */
  write(ms, packet) {
    const head = Buffer.allocUnsafe(8)
    head.writeInt32BE(ms, 0)
    head.writeInt32BE(packet.length, 4)
    for (const bytes of [head, packet]) {
      this.#crc = crc32(bytes, this.#crc)
      this.size += bytes.length
      this.#pack.write(bytes)
    }
  }

  /** Write the metadata and complete the file. @param {object} facts */
  async end(facts) {
    this.#pack.end()
    await once(this.#pack, 'end')
    const name = 'recording.tmcpr'
    /** @type {Entry} */
    const recording = { name, crc: this.#crc, packed: this.#packed, size: this.size, at: 0 }
    this.out.write(sizesBehind(recording))
    const bytes = Buffer.from(JSON.stringify(facts))
    const packed = deflateRawSync(bytes)
    const at = localHead(name).length + this.#packed + SIZES_LENGTH
    const meta = { name: 'metaData.json', crc: crc32(bytes), packed: packed.length }
    const entries = [recording, { ...meta, size: bytes.length, at }]
    this.out.write(Buffer.concat([localHead(meta.name), packed, sizesBehind(entries[1])]))
    const start = at + localHead(meta.name).length + packed.length + SIZES_LENGTH
    this.out.end(directory(entries, start))
    await new Promise((resolve) => this.out.once('close', () => resolve(null)))
    if (this.failure) throw this.failure
    renameSync(`${this.path}.part`, this.path)
  }
}

/** Concatenate numbers of two and of four bytes. @param {[2 | 4, number][]} parts */
function numbers(...parts) {
  const made = Buffer.alloc(parts.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of parts) at = made.writeUIntLE(value, at, width)
  return made
}

/** @param {string} name */
const localHead = (name) =>
  Buffer.concat([
    numbers([4, LOCAL], [2, VERSION], [2, FLAGS], [2, DEFLATED], [4, 0], [4, 0], [4, 0], [4, 0]),
    numbers([2, name.length], [2, 0]),
    Buffer.from(name)
  ])

/** @param {Entry} entry */
const sizesBehind = ({ crc, packed, size }) =>
  numbers([4, SIZES_BEHIND], [4, crc], [4, packed], [4, size])
const SIZES_LENGTH = 16

/** Return the end of the archive. @param {Entry[]} entries @param {number} start its offset */
function directory(entries, start) {
  const lines = entries.map(({ name, crc, packed, size, at }) =>
    Buffer.concat([
      numbers([4, CENTRAL], [2, VERSION], [2, VERSION], [2, FLAGS], [2, DEFLATED], [4, 0]),
      numbers([4, crc], [4, packed], [4, size], [2, name.length], [2, 0], [2, 0], [2, 0], [2, 0]),
      numbers([4, 0], [4, at]),
      Buffer.from(name)
    ])
  )
  const length = lines.reduce((sum, line) => sum + line.length, 0)
  const count = entries.length
  const end = numbers([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, length], [4, start])
  return Buffer.concat([...lines, end, numbers([2, 0])])
}
