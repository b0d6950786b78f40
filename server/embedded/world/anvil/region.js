/**
 * Region files (`r.X.Z.mca`), in which Minecraft stores 32 by 32 columns, and single NBT files.
 *
 * A file begins with two tables of 1024 entries: the offset and number of 4096-byte sectors of each
 * column, and times. Source: https://minecraft.wiki/w/Region_file_format
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  chmodSync,
  existsSync,
  rmSync,
  writeSync
} from 'node:fs'
import { join, dirname } from 'node:path'
import { deflateSync, gunzipSync, inflateSync } from 'node:zlib'
import { nbtBytes, readNbt } from './nbt-bytes.js'

/** @import { Tag } from '../../types/index.d.ts' */

const COLUMNS_A_SIDE = 32
const SECTOR = 4096
const ENTRIES = COLUMNS_A_SIDE ** 2
const COMPRESSION = { gzip: 1, zlib: 2, none: 3 }
/** Marks a column that is stored in a separate file because of its size. */
const OUTSIDE = 128
/** Maximum unpacked bytes of a column or of `level.dat`. */
export const LARGEST = 64 * 1024 * 1024

/** @param {number} chunkX @param {number} chunkZ @returns {string} name of a column's file */
export const regionName = (chunkX, chunkZ) =>
  `r.${Math.floor(chunkX / COLUMNS_A_SIDE)}.${Math.floor(chunkZ / COLUMNS_A_SIDE)}.mca`

/**
 * @param {number} chunkX @param {number} chunkZ
 * @returns {number} offset of a column in a region's tables
 */
const entryOf = (chunkX, chunkZ) =>
  (chunkX & (COLUMNS_A_SIDE - 1)) + (chunkZ & (COLUMNS_A_SIDE - 1)) * COLUMNS_A_SIDE

/** Region files in a folder, read on demand. */
export class Regions {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
    /** @type {Map<string, {file: number, table: Buffer} | null>} */
    this.open = new Map()
  }

  /**
   * @param {number} chunkX @param {number} chunkZ
   * @returns {Tag | null} null if not generated @throws {Error} it cannot be read
   */
  read(chunkX, chunkZ) {
    const region = this.region(regionName(chunkX, chunkZ))
    const entry = region?.table.readUInt32BE(4 * entryOf(chunkX, chunkZ))
    if (!region || !entry) return null
    const head = readAt(region.file, 5, (entry >>> 8) * SECTOR)
    const length = head.readUInt32BE(0) - 1
    const kind = head[4]
    if (kind & OUTSIDE) {
      const path = join(this.folder, `c.${chunkX}.${chunkZ}.mcc`)
      if (!statSync(path).isFile()) throw new Error('it is not a regular file')
      return readNbt(unpacked(kind - OUTSIDE, readFileSync(path)))
    }
    if (length < 0 || length > (entry & 0xff) * SECTOR) throw new Error(`its length is ${length}`)
    return readNbt(unpacked(kind, readAt(region.file, length, (entry >>> 8) * SECTOR + 5)))
  }

  /** @param {string} name */
  region(name) {
    const known = this.open.get(name)
    if (known !== undefined) return known
    const path = join(this.folder, name)
    this.open.set(name, null) // report an unreadable file once, then treat it as missing
    const found = statSync(path, { throwIfNoEntry: false })
    // Opening a named pipe would block.
    if (found && !found.isFile()) throw new Error(`${name} is not a regular file`)
    const region = found ? opened(path) : null
    this.open.set(name, region)
    return region
  }

  close() {
    for (const region of this.open.values()) if (region) closeSync(region.file)
    this.open.clear()
  }
}

/**
 * @param {string} path
 * @returns {{file: number, table: Buffer} | null} null for an empty file, which Minecraft may leave
 */
function opened(path) {
  const file = openSync(path, 'r')
  try {
    if (fstatSync(file).size) return { file, table: readAt(file, SECTOR, 0) }
    closeSync(file)
    return null
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** @param {number} file @param {number} length @param {number} at */
function readAt(file, length, at) {
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, length, at) < length) throw new Error('the file is cut off')
  return bytes
}

/** @param {number} kind @param {Buffer} bytes */
function unpacked(kind, bytes) {
  if (kind === COMPRESSION.none) return bytes
  if (kind === COMPRESSION.gzip) return gunzipSync(bytes, { maxOutputLength: LARGEST })
  if (kind === COMPRESSION.zlib) return inflateSync(bytes, { maxOutputLength: LARGEST })
  throw new Error(`its compression (${kind}) is not supported`)
}

// Writing of region files: columns are appended, and all other data stays the same byte for byte,
// so that no other column has to be read, moved or understood.

const TABLES = 2 * SECTOR
const HEAD = 5
/** Maximum number of sectors for a column; a larger column gets a separate file. */
const MOST_SECTORS = 255
const ZLIB = 2
const OWNER_WRITES = 0o200

/** Region file to which columns are added; created if missing. */
export class RegionFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path
    const isThere = existsSync(path)
    if (isThere) chmodSync(path, statSync(path).mode | OWNER_WRITES)
    this.file = openSync(path, isThere ? 'r+' : 'w+')
    /** The first free sector. */
    this.end = this.tidied(Math.max(2, Math.ceil(fstatSync(this.file).size / SECTOR)))
  }

  /**
   * Drop entries of columns beyond the file's end.
   * @param {number} end in sectors @returns {number} end of the last column
   */
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
