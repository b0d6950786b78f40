/** Blocks with heights at any moment, in chunks of columns. */

import { UNSEEN } from 'report/blocks.js'

export const SIDE = 16
/** Ground with more blocks than this is drawn as one box. */
const MOST_BLOCKS = 200_000
/**
 * Maximum number of blocks drawn individually. Ground beyond it is drawn as whole boxes, and trees
 * are omitted.
 */
const MOST_DRAWN = 1_500_000
/** Maximum height of a pile, cliff or tree. */
const TALLEST = 400
/** Thickness of earth below grass; deeper blocks are unknown. */
const SOIL = 3
/** Thickness of land at the edge of the explored area. */
const EDGE = 4
const ROOTED = /grass_block|podzol|mycelium|moss_block/

/** @typedef {{block: string, x: number, y: number, z: number}} Voxel */
/** @typedef {{t: number[], block: string[]}} History blocks at a position, with the times of changes */
/** @typedef {{x: number, z: number, ground: Ground[], places: Map<number, [number, number, number]>}} Chunk */
/** @typedef {{x: number, z: number, y: number, block: string}} Ground the highest ground block of a column */
/** @typedef {{block: string, low: [number, number, number], high: [number, number, number]}} Plain */

const OFFSET = 2 ** 20
/** @param {number} x @param {number} z */
const columnKey = (x, z) => (x + OFFSET) * 2 * OFFSET + (z + OFFSET)
/** @param {number} x @param {number} y @param {number} z */
const keyOf = (x, y, z) => columnKey(x, z) * 1024 + (y + 256)

/** The blocks of one world: an arena, a grid or natural land. */
export class Voxels {
  /** @type {Map<string, Chunk>} */ chunks = new Map()
  /** Ground that is drawn as whole boxes. @type {Plain[]} */ plains = []
  /** Number of plants omitted because there are too many blocks. */ leftOut = 0
  #left = MOST_DRAWN
  lowest = Infinity
  highest = -Infinity
  /** Initial blocks. @type {Map<number, string>} */ #base = new Map()
  /** @type {Map<number, Ground>} */ #ground = new Map()
  /** @type {Map<number, History>} */ #history = new Map()
  /** Times at which chunks change, in order. @type {{t: number, chunk: string}[]} */ #changes = []
  /** Number of entries processed so far in each table. */
  #taken = { lands: 0, places: 0, columns: 0, bared: 0 }
  /** Units of a grid's columns, by column and block. @type {Map<number, Map<string, number>>} */
  #piles = new Map()

  /** @param {import('./model.js').Model} model @param {any} world built world */
  constructor(model, world) {
    this.model = model
    this.world = world
    /** Start of the next world. */
    this.end = model.worlds[model.worlds.indexOf(world) + 1]?.t ?? Infinity
    const isLand = !world.ground.length
    /** True if heights are unknown; the blocks of a column are then stacked. */
    this.isStacked = !isLand && !world.boxes?.length
    this.isCells = world.ground[0]?.[0] === 'floor'
    this.#build()
    this.grow()
  }

  #build() {
    const { world } = this
    const ground = this.isStacked
      ? this.model
          .groundOf(world)
          .map((/** @type {any[]} */ [block, x, z, x1, z1]) => [block, x, -1, z, x1, -1, z1])
      : (world.boxes ?? [])
    for (const [block, x, y, z, x1, y1, z1] of ground) {
      const isRim = this.isStacked && block === 'barrier'
      this.#box(block, [x, isRim ? 0 : y, z], [x1, isRim ? 0 : y1, z1])
    }
    for (const [block, places] of Object.entries(world.blocks)) {
      for (const [x, y, z] of places) {
        const [bx, by, bz] = [x, y, z].map(Math.floor)
        if (this.isStacked) this.#pile(-Infinity, block, bx, bz, this.#pileOf(bx, bz, block) + 1)
        else this.#set(bx, by, bz, block)
      }
    }
  }

  /**
   * @param {string} block @param {[number, number, number]} low
   * @param {[number, number, number]} high
   */
  #box(block, low, high) {
    const [wide, tall, deep] = high.map((end, k) => Math.floor(end) - Math.floor(low[k]) + 1)
    const blocks = Math.max(0, wide) * Math.max(0, tall) * Math.max(0, deep)
    if (blocks > Math.min(MOST_BLOCKS, this.#left)) {
      this.plains.push({ block, low, high })
      this.#reach(low[1])
      this.#reach(high[1])
      return
    }
    this.#left -= blocks
    const [x0, y0, z0] = low.map(Math.floor)
    for (let x = x0; x < x0 + wide; x++)
      for (let z = z0; z < z0 + deep; z++)
        for (let y = y0; y < y0 + tall; y++) this.#set(x, y, z, block)
  }

  /**
   * Set an initial block.
   * @param {number} x @param {number} y @param {number} z @param {string} block
   */
  #set(x, y, z, block) {
    const key = keyOf(x, y, z)
    this.#base.set(key, block)
    this.chunkAt(x, z).places.set(key, [x, y, z])
    this.#reach(y)
  }

  /** @param {number} y */
  #reach(y) {
    this.lowest = Math.min(this.lowest, y)
    this.highest = Math.max(this.highest, y)
  }

  /** @param {number} x @param {number} z @returns {Chunk} */
  chunkAt(x, z) {
    const [cx, cz] = [Math.floor(x / SIDE), Math.floor(z / SIDE)]
    const name = `${cx},${cz}`
    const chunk = this.chunks.get(name) ?? { x: cx, z: cz, ground: [], places: new Map() }
    this.chunks.set(name, chunk)
    return chunk
  }

  /** Process the data received since the last call. @returns {Set<string>} changed chunks */
  grow() {
    const { model, world, end } = this
    const concerned = new Set()
    if (this.isStacked) {
      for (; this.#taken.columns < model.columns.length; this.#taken.columns++) {
        const { t, block, x, z, count } = model.columns[this.#taken.columns]
        if (t >= world.t && t < end) this.#pile(t, block, x, z, count)
      }
      return concerned
    }
    for (; this.#taken.lands < model.lands.length; this.#taken.lands++)
      this.#land(model.lands[this.#taken.lands]).forEach((name) => concerned.add(name))
    for (; this.#taken.bared < model.bared.length; this.#taken.bared++) {
      const { block, x, y, z } = model.bared[this.#taken.bared]
      if (!this.#base.has(keyOf(x, y, z))) this.#set(x, y, z, block)
      concerned.add(nameOf(x, z))
    }
    for (; this.#taken.places < model.places.length; this.#taken.places++) {
      const { t, block, x, y, z } = model.places[this.#taken.places]
      if (t >= world.t && t < end) this.#change(t, x, y, z, block === 'air' ? '' : block)
    }
    return concerned
  }

  /** @param {number} x @param {number} z @param {string} block */
  #pileOf(x, z, block) {
    return this.#piles.get(columnKey(x, z))?.get(block) ?? 0
  }

  /**
   * Set the number of units in a column from `t` on.
   * @param {number} t @param {string} block @param {number} x @param {number} z
   * @param {number} count
   */
  #pile(t, block, x, z, count) {
    const key = columnKey(x, z)
    const piles = this.#piles.get(key) ?? new Map()
    const before = this.#stack(piles)
    piles.set(block, count)
    this.#piles.set(key, piles)
    const now = this.#stack(piles)
    for (let y = 0; y < Math.max(before.length, now.length); y++)
      if (before[y] !== now[y]) this.#change(t, x, y, z, now[y] ?? '')
  }

  /**
   * Stack a cell's units as a low tower of logarithmic height.
   * @param {Map<string, number>} piles @returns {string[]}
   */
  #stack(piles) {
    const tall = (/** @type {number} */ units) =>
      this.isCells && units > 0
        ? 1 + Math.floor(Math.log2(units) / 2)
        : Math.min(Math.max(units, 0), TALLEST)
    return [...piles].flatMap(([block, units]) => Array(tall(units)).fill(block))
  }

  /**
   * @param {number} t @param {number} x @param {number} y @param {number} z
   * @param {string} block empty: no block
   */
  #change(t, x, y, z, block) {
    const key = keyOf(x, y, z)
    const history = this.#history.get(key) ?? { t: [], block: [] }
    history.t.push(t)
    history.block.push(block)
    this.#history.set(key, history)
    this.chunkAt(x, z).places.set(key, [x, y, z])
    if (block) this.#reach(y)
    if (t > -Infinity) for (const chunk of touching(x, z)) this.#changes.push({ t, chunk })
  }

  /** @param {any} land @returns {string[]} changed chunks */
  #land(land) {
    const { x: west, z: north, names, heights, tops, above } = land
    const chunk = this.chunkAt(west, north)
    heights.forEach((/** @type {number} */ y, /** @type {number} */ k) => {
      const [x, z] = [west + (k % SIDE), north + Math.floor(k / SIDE)]
      const ground = { x, z, y, block: names[tops[k]] }
      chunk.ground.push(ground)
      this.#ground.set(columnKey(x, z), ground)
      this.#reach(y)
    })
    for (const [number, x, z, low, high] of above) {
      if (high - low >= Math.min(TALLEST, this.#left)) {
        this.leftOut++
        continue
      }
      this.#left -= Math.max(0, high - low + 1)
      for (let y = low; y <= high; y++) this.#set(west + x, y, north + z, names[number])
    }
    const [x, z] = [west + SIDE / 2, north + SIDE / 2]
    return [
      nameOf(x, z),
      nameOf(x - SIDE, z),
      nameOf(x + SIDE, z),
      nameOf(x, z - SIDE),
      nameOf(x, z + SIDE)
    ]
  }

  // --- Queries -----------------------------------------------------------------------------------

  /**
   * Return the block at a position; empty if there is none.
   * @param {number} x @param {number} y @param {number} z @param {number} t @returns {string}
   */
  at(x, y, z, t) {
    const key = keyOf(x, y, z)
    const history = this.#history.get(key)
    const last = history ? lastBefore(history.t, t) : -1
    if (history && last >= 0) return history.block[last]
    const base = this.#base.get(key)
    if (base !== undefined) return base
    const ground = this.#ground.get(columnKey(x, z))
    return ground && y <= ground.y ? below(ground, y) : ''
  }

  /**
   * Return the ground height of a land column; undefined if the column is unexplored.
   * @param {number} x @param {number} z
   */
  groundAt(x, z) {
    return this.#ground.get(columnKey(x, z))?.y
  }

  /**
   * Return the chunks that differ between two moments.
   * @param {number} t @param {number} other @returns {Set<string>}
   */
  changedBetween(t, other) {
    const [from, to] = [Math.min(t, other), Math.max(t, other)]
    const found = new Set()
    for (const change of this.#changes) {
      if (change.t > to) break
      if (change.t > from) found.add(change.chunk)
    }
    return found
  }

  /**
   * Yield the positions in a chunk that have a visible side, up to the cut height.
   * @param {Chunk} chunk @param {number} t @param {number} cut @returns {Iterable<Voxel>}
   */
  *seen(chunk, t, cut) {
    /** @type {Set<number>} */ const told = new Set()
    for (const [key, [x, y, z]] of chunk.places) {
      told.add(key)
      const block = this.at(x, y, z, t)
      if (block) yield { block, x, y, z }
      else yield* this.#around(x, y, z, t, told)
    }
    for (const { x, z, y: top } of chunk.ground) {
      const high = Math.min(top, cut)
      for (let y = Math.max(this.#foot(x, z, top), this.lowest); y <= high; y++) {
        if (told.has(keyOf(x, y, z))) continue
        const block = this.at(x, y, z, t)
        if (block) yield { block, x, y, z }
      }
      if (cut < this.#foot(x, z, top) && !told.has(keyOf(x, cut, z)))
        yield { block: this.at(x, cut, z, t), x, y: cut, z }
    }
  }

  /**
   * Return the lowest height at which a land column has visible sides.
   * @param {number} x @param {number} z @param {number} top
   */
  #foot(x, z, top) {
    const beside = [
      this.groundAt(x + 1, z),
      this.groundAt(x - 1, z),
      this.groundAt(x, z + 1),
      this.groundAt(x, z - 1)
    ]
    return beside.reduce(
      (/** @type {number} */ low, y) =>
        Math.max(Math.min(low, (y ?? top - EDGE) + 1), top - TALLEST),
      top
    )
  }

  /**
   * Yield the rock around dug blocks.
   * @param {number} x @param {number} y @param {number} z @param {number} t
   * @param {Set<number>} told @returns {Iterable<Voxel>}
   */
  *#around(x, y, z, t, told) {
    for (const [dx, dy, dz] of [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, -1]
    ]) {
      const [nx, ny, nz] = [x + dx, y + dy, z + dz]
      const key = keyOf(nx, ny, nz)
      if (told.has(key) || this.#base.has(key) || this.#history.has(key)) continue
      const block = this.at(nx, ny, nz, t)
      told.add(key)
      if (block) yield { block, x: nx, y: ny, z: nz }
    }
  }

  /** Return the bounding box of everything, as [low, high] corners. */
  bounds() {
    const boxes = [...this.chunks.values()].map(({ x, z }) => ({
      west: x * SIDE,
      north: z * SIDE,
      east: (x + 1) * SIDE,
      south: (z + 1) * SIDE
    }))
    const places = [...this.chunks.values()].flatMap(({ places, ground }) =>
      ground.length
        ? []
        : [...places.values()].map(([x, , z]) => ({ west: x, north: z, east: x + 1, south: z + 1 }))
    )
    const plains = this.plains.map(({ low, high }) => ({
      west: low[0],
      north: low[2],
      east: high[0],
      south: high[2]
    }))
    const all = places.length || plains.length ? [...places, ...plains] : boxes
    return all.reduce(
      (a, b) => ({
        west: Math.min(a.west, b.west),
        north: Math.min(a.north, b.north),
        east: Math.max(a.east, b.east),
        south: Math.max(a.south, b.south)
      }),
      { west: Infinity, north: Infinity, east: -Infinity, south: -Infinity }
    )
  }
}

/** @param {Ground} ground @param {number} y */
function below(ground, y) {
  const depth = ground.y - y
  if (!depth) return ground.block
  if (depth > SOIL) return UNSEEN
  return ROOTED.test(ground.block) ? 'dirt' : ground.block
}

/** @param {number} x @param {number} z */
const nameOf = (x, z) => `${Math.floor(x / SIDE)},${Math.floor(z / SIDE)}`

/**
 * Return the chunks affected by a change: its chunk, and a neighbour if it is at the border.
 * @param {number} x @param {number} z
 */
const touching = (x, z) =>
  new Set([nameOf(x, z), nameOf(x - 1, z), nameOf(x + 1, z), nameOf(x, z - 1), nameOf(x, z + 1)])

/**
 * @param {number[]} times @param {number} t
 * @returns {number} index of the last time that is at most t, or -1
 */
function lastBefore(times, t) {
  let at = times.length - 1
  while (at >= 0 && times[at] > t) at--
  return at
}
