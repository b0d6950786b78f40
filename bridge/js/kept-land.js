/**
 * Share the land that several bodies in a thread see.
 *
 * Each Mineflayer bot parses and stores the columns that the server sends. Bots in the same area
 * receive the same bytes. This module stores parsed parts by a digest of their bytes, and all
 * columns with the same bytes share them. A part is copied before it changes for one bot (copy on
 * write). No bot learns anything from another bot's packets: each sees only what the server has
 * sent to it.
 */
import { createHash } from 'node:crypto'
import { readingLight } from './light-order.js'
import { replaceExport } from './upstream.js'

/** @typedef {Record<string, (object | null)[]>} Parts of a column, by the field that lists them */

const LIGHTS = ['skyLightSections', 'blockLightSections']
const MASKS = ['skyLightMask', 'blockLightMask', 'emptySkyLightMask', 'emptyBlockLightMask']
const SIDE = 16

/** Parts that several columns may share and that are never written to. @type {WeakSet<object>} */
const shared = new WeakSet()

/** Let all bots that are created from now on share their land. */
export function shareLand() {
  replaceExport('prismarine-chunk', (load) => (registry) => sharing(readingLight(load(registry))))
}

/** Cache of parsed parts by digest of their bytes; a part is kept as long as a column uses it. */
export class Kept {
  constructor() {
    /** @type {Map<string, WeakRef<Parts>>} */
    this.byDigest = new Map()
    this.gone = new FinalizationRegistry((/** @type {string} */ digest) => {
      if (!this.byDigest.get(digest)?.deref()) this.byDigest.delete(digest)
    })
  }

  /** @param {string} digest @param {() => Parts} make @returns {Parts} */
  get(digest, make) {
    const known = this.byDigest.get(digest)?.deref()
    if (known) return known
    const made = make()
    for (const part of Object.values(made).flat()) if (part) shared.add(part)
    this.byDigest.set(digest, new WeakRef(made))
    this.gone.register(made, digest)
    return made
  }
}

const blocks = new Kept()
const lights = new Kept()

/**
 * Extend prismarine-chunk's class of columns (versions from 1.18) with shared parts.
 * @param {new (...args: any[]) => any} Column prismarine-chunk's
 */
export const sharing = (Column) =>
  class extends Column {
    /** @param {Buffer} data */
    load(data) {
      this.heldBlocks = blocks.get(digestOf([this.numSections], [data]), () => {
        super.load(data)
        return { sections: this.sections, biomes: this.biomes }
      })
      take(this, this.heldBlocks)
    }

    /** @param {any[]} told light of the sky and of blocks by section, and four bit masks of the sections sent */
    loadParsedLight(...told) {
      const [sky, block, ...masks] = told
      const isFirst = LIGHTS.every((name) => this[name].every((/** @type {any} */ part) => !part))
      if (!isFirst) return super.loadParsedLight(...told) // creates new parts of the sections sent
      const sections = [...sky, ...block].map((section) => Buffer.from(section))
      const digest = digestOf([this.numSections, sky.length, ...masks], sections)
      this.heldLights = lights.get(digest, () => {
        super.loadParsedLight(...told)
        return {
          ...Object.fromEntries(LIGHTS.map((name) => [name, this[name]])),
          masks: MASKS.map((name) => this[name])
        }
      })
      const { masks: known, ...parts } = this.heldLights
      take(this, parts)
      for (const [index, name] of MASKS.entries()) this[name] = copyOf(known[index])
    }

    /**
     * Called for each block that is examined, so it must be fast; most columns have no block
     * entities.
     * @param {object} position
     */
    getBlockEntity(position) {
      for (const _ in this.blockEntities) return super.getBlockEntity(position)
    }

    /** @param {{x: number, y: number, z: number}} position @param {number} state */
    setBlockStateId(position, state) {
      if (this.getBlockStateId(position) === state) return
      own(this.sections, (position.y - this.minY) >> 4)
      super.setBlockStateId(position, state)
    }

    /** @param {{x: number, y: number, z: number}} position @param {number} biome */
    setBiome(position, biome) {
      own(this.biomes, (position.y - this.minY) >> 4)
      super.setBiome(position, biome)
    }

    /** @param {{x: number, y: number, z: number}} position @param {number} light */
    setBlockLight(position, light) {
      own(this.blockLightSections, lightSection(this, position))
      super.setBlockLight(position, light)
    }

    /** @param {{x: number, y: number, z: number}} position @param {number} light */
    setSkyLight(position, light) {
      own(this.skyLightSections, lightSection(this, position))
      super.setSkyLight(position, light)
    }
  }

/** Light has one more section, below the land. @param {any} column @param {{y: number}} position */
const lightSection = (column, position) => Math.floor((position.y - column.minY) / SIDE) + 1

/** @param {any} column @param {Parts} parts */
function take(column, parts) {
  for (const [name, list] of Object.entries(parts)) column[name] = [...list]
}

/**
 * Copy a part that other columns may share.
 * @param {(object | null)[]} parts @param {number} index
 */
function own(parts, index) {
  const part = parts[index]
  if (part && shared.has(part)) parts[index] = copyOf(part)
}

/** @param {unknown[]} numbers further parts of the key @param {Uint8Array[]} bytes */
function digestOf(numbers, bytes) {
  const hash = createHash('sha256').update(`${numbers.join(';')};`)
  for (const part of bytes) hash.update(part)
  return hash.digest('base64')
}

/**
 * Return a deep copy with the classes of the original.
 * @template T @param {T} value @returns {T}
 */
function copyOf(value) {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Uint32Array || Array.isArray(value))
    return /** @type {any} */ (value.slice())
  const fields = Object.entries(value).map(([name, field]) => [name, copyOf(field)])
  return Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(fields))
}
