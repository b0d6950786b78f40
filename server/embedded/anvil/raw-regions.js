/**
 * Region files that are written to: single columns are put in, and all else stays byte for byte.
 *
 * Columns are put behind what is there, so that no other column has to be read, moved or understood.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { nbtBytes } from './nbt-bytes.js'
import { entryOf } from './region.js'

/** @import { Tag } from '../types.d.ts' */

const SECTOR = 4096
const TABLES = 2 * SECTOR
const HEAD = 5
/** Sectors of a column, at most; a larger one has a file of its own. */
const MOST_SECTORS = 255
const ZLIB = 2
const OUTSIDE = 128
const OWNER_WRITES = 0o200

/** A region file that columns are put into; made if there is none. */
export class RegionFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path
    const isThere = existsSync(path)
    if (isThere) chmodSync(path, statSync(path).mode | OWNER_WRITES)
    this.file = openSync(path, isThere ? 'r+' : 'w+')
    /** The first sector that is free. */
    this.end = this.tidied(Math.max(2, Math.ceil(fstatSync(this.file).size / SECTOR)))
  }

  /** Forgets columns that were said to lie behind the file's end. @param {number} end in sectors @returns {number} where the last column ends */
  tidied(end) {
    const table = Buffer.alloc(SECTOR)
    readSync(this.file, table, 0, SECTOR, 0)
    let last = end
    for (let at = 0; at < SECTOR; at += 4) {
      const entry = table.readUInt32BE(at)
      if (entry >>> 8 >= end) this.write(Buffer.alloc(4), at)
      else last = Math.max(last, (entry >>> 8) + (entry & 0xff))
    }
    return last
  }

  /** @param {number} chunkX @param {number} chunkZ @param {Tag} tag */
  put(chunkX, chunkZ, tag) {
    const packed = deflateSync(nbtBytes(tag))
    const outside = join(dirname(this.path), `c.${chunkX}.${chunkZ}.mcc`)
    const isLarge = HEAD + packed.length > MOST_SECTORS * SECTOR
    rmSync(outside, { force: true })
    if (isLarge) writeFileSync(outside, packed)
    const body = isLarge ? Buffer.alloc(0) : packed
    const sectors = Math.ceil((HEAD + body.length) / SECTOR)
    const bytes = Buffer.alloc(sectors * SECTOR)
    bytes.writeUInt32BE(body.length + 1, 0)
    bytes[4] = isLarge ? ZLIB | OUTSIDE : ZLIB
    body.copy(bytes, HEAD)
    this.write(bytes, this.end * SECTOR)
    const at = 4 * entryOf(chunkX, chunkZ)
    this.write(uint32(((this.end << 8) | sectors) >>> 0), at)
    this.write(uint32(Math.floor(Date.now() / 1000)), TABLES / 2 + at)
    this.end += sectors
  }

  /** @param {Buffer} bytes @param {number} at */
  write(bytes, at) {
    writeSync(this.file, bytes, 0, bytes.length, at)
  }

  close() {
    closeSync(this.file)
  }
}

/** @param {number} number */
function uint32(number) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
