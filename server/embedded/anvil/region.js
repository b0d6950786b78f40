/**
 * Region files (`r.X.Z.mca`), in which Minecraft keeps 32 by 32 columns, and single values of NBT.
 *
 * A file begins with a table of 1024 entries, where each column lies and how many sectors of 4096
 * bytes it takes, and one of times. Source: https://minecraft.wiki/w/Region_file_format
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { deflateSync, gunzipSync, inflateSync } from 'node:zlib'
import { nbtBytes, readNbt } from './nbt-bytes.js'

/** @import { Tag } from '../types.d.ts' */

export const COLUMNS_A_SIDE = 32
const SECTOR = 4096
const ENTRIES = COLUMNS_A_SIDE ** 2
const COMPRESSION = { gzip: 1, zlib: 2, none: 3 }
/** A column that lies in a file of its own, since it is so large. */
const OUTSIDE = 128
/** Bytes of a column, or of `level.dat`, when unpacked, at most. */
export const LARGEST = 64 * 1024 * 1024

/** @param {number} chunkX @param {number} chunkZ @returns {string} the file in which a column is */
export const regionName = (chunkX, chunkZ) =>
  `r.${Math.floor(chunkX / COLUMNS_A_SIDE)}.${Math.floor(chunkZ / COLUMNS_A_SIDE)}.mca`

/** @param {number} chunkX @param {number} chunkZ @returns {number} where a region's tables list a column */
export const entryOf = (chunkX, chunkZ) =>
  (chunkX & (COLUMNS_A_SIDE - 1)) + (chunkZ & (COLUMNS_A_SIDE - 1)) * COLUMNS_A_SIDE

/** The region files of a folder, read as they are asked for. */
export class Regions {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
    /** @type {Map<string, {file: number, table: Buffer} | null>} */
    this.open = new Map()
  }

  /** @param {number} chunkX @param {number} chunkZ @returns {Tag | null} null where nothing was made
   * @throws {Error} it cannot be read */
  read(chunkX, chunkZ) {
    const region = this.region(regionName(chunkX, chunkZ))
    const entry = region?.table.readUInt32BE(4 * entryOf(chunkX, chunkZ))
    if (!region || !entry) return null
    const head = readAt(region.file, 5, (entry >>> 8) * SECTOR)
    const length = head.readUInt32BE(0) - 1
    const kind = head[4]
    if (kind & OUTSIDE) {
      const path = join(this.folder, `c.${chunkX}.${chunkZ}.mcc`)
      if (!statSync(path).isFile()) throw new Error('it is no regular file')
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
    this.open.set(name, null) // what cannot be read is told once, and then nothing
    const found = statSync(path, { throwIfNoEntry: false })
    // A pipe would be waited for.
    if (found && !found.isFile()) throw new Error(`${name} is no regular file`)
    const region = found ? opened(path) : null
    this.open.set(name, region)
    return region
  }

  close() {
    for (const region of this.open.values()) if (region) closeSync(region.file)
    this.open.clear()
  }
}

/** @param {string} path @returns {{file: number, table: Buffer} | null} null for an empty file, as Minecraft leaves them */
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
  throw new Error(`it is compressed in a way (${kind}) that is not known here`)
}
