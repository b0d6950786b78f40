/**
 * Light: how it spreads from the sky and from blocks that shine, and goes when they do.
 *
 * As in vanilla (minecraft.wiki: Light), light loses one on each step, or as much as the block that
 * it enters takes; faces that are filled together let none through. Columns are lit when somebody asks;
 * what has no light yet is a wall to that of its neighbours until it is lit, too. Changes are worked in
 * together: first all light goes that may have come from what changed, then what is left spreads anew,
 * so that the result is the same as if all had been lit at once.
 */
import { ABOVE, LitColumn } from './column.js'
import { SECTION_CELLS, SECTIONS } from './layer.js'
import { BRIGHTEST, EMISSION, isShut, OPACITY, SHAPE } from './states.js'

/** @import { Column } from '../types.d.ts' */
/** @typedef {'sky' | 'blocks'} Kind */

const [NORTH, SOUTH, WEST, EAST] = [2, 3, 4, 5]
const DIRECTIONS = [0, 1, NORTH, SOUTH, WEST, EAST]
/** From a cell to its neighbour within a column. */
const STEPS = [-256, 256, -16, 16, -1, 1]
/** From a cell at a column's edge to its neighbour in the next one. */
const WRAPS = [0, 0, 240, -240, 15, -15]
/** @type {[number, number][]} */
const BESIDE = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0]
]

/** Cells that are to be gone through, first in, first out. */
class Queue {
  constructor() {
    /** @type {LitColumn[]} */
    this.columns = []
    /** @type {number[]} */
    this.cells = []
    /** What they shone with, for those that went dark. @type {number[]} */
    this.levels = []
  }

  /** @param {LitColumn} column @param {number} cell @param {number} [level] */
  push(column, cell, level = 0) {
    this.columns.push(column)
    this.cells.push(cell)
    this.levels.push(level)
  }
}

/** The light of all columns that somebody asked about. */
export class LightField {
  /** @param {(x: number, z: number) => Column | undefined} columnAt what there is; undefined where nothing is loaded */
  constructor(columnAt) {
    this.columnAt = columnAt
    /** @type {Map<string, LitColumn>} */
    this.columns = new Map()
    /** Cells that changed and are not worked in yet: by column, cell → whether it lets light through otherwise. @type {Map<LitColumn, Map<number, boolean>>} */
    this.changes = new Map()
    /** Columns whose light changed since somebody asked. @type {Set<LitColumn>} */
    this.altered = new Set()
  }

  /** @param {number} x @param {number} z @returns {LitColumn | undefined} */
  lit(x, z) {
    return this.columns.get(`${x},${z}`)
  }

  /** A block has become another. @param {number} x of its column @param {number} z @param {number} cell @param {number} before @param {number} after */
  change(x, z, cell, before, after) {
    const shines = EMISSION[before] !== EMISSION[after]
    const shades = OPACITY[before] !== OPACITY[after] || SHAPE[before] !== SHAPE[after]
    if (!shines && !shades) return
    const column = this.lit(x, z)
    if (!column) return
    const cells = this.changes.get(column) ?? new Map()
    this.changes.set(column, cells)
    cells.set(cell, shades || (cells.get(cell) ?? false))
  }

  /** Lights a column, if it has none yet. @param {number} x @param {number} z @returns {LitColumn | null} null where nothing is loaded */
  light(x, z) {
    const known = this.lit(x, z)
    if (known) return known
    const blocks = this.columnAt(x, z)
    if (!blocks) return null
    this.settle()
    const column = new LitColumn(x, z, blocks)
    this.columns.set(`${x},${z}`, column)
    for (const [side, [dx, dz]] of BESIDE.entries()) {
      const other = this.lit(x + dx, z + dz) ?? null
      column.beside[side] = other
      if (other) other.beside[side ^ 1] = column
    }
    const sky = new Queue()
    skyEdges(column, sky)
    for (const side of BESIDE.keys()) fromBeside(column, side, 'sky', sky)
    this.grow('sky', sky)
    const shining = new Queue()
    for (const cell of column.shining()) {
      column.blocks.set(cell, EMISSION[column.stateAt(cell)])
      shining.push(column, cell)
    }
    for (const side of BESIDE.keys()) fromBeside(column, side, 'blocks', shining)
    this.grow('blocks', shining)
    this.altered.delete(column)
    column.sky.changed = column.blocks.changed = 0
    return column
  }

  /** Works in what changed. */
  settle() {
    if (!this.changes.size) return
    const { changes } = this
    this.changes = new Map()
    this.settleSky(changes)
    this.settleBlocks(changes)
  }

  /** @param {Map<LitColumn, Map<number, boolean>>} changes */
  settleSky(changes) {
    const [dark, bright] = [new Queue(), new Queue()]
    for (const [column, cells] of changes) {
      const shading = [...cells].filter(([, shades]) => shades).map(([cell]) => cell)
      for (const place of new Set(shading.map((cell) => cell & 255))) {
        const before = column.open[place]
        const now = column.openAt(place)
        column.open[place] = now
        for (let height = before; height < now; height++) {
          this.darken(column, (height << 8) | place, 'sky', dark)
        }
        for (let height = now; height < before; height++) bright.push(column, (height << 8) | place)
      }
      for (const cell of shading) {
        this.darken(column, cell, 'sky', dark)
        if (column.isOpen(cell)) bright.push(column, cell)
      }
    }
    this.shrink('sky', dark, bright)
  }

  /** @param {Map<LitColumn, Map<number, boolean>>} changes */
  settleBlocks(changes) {
    const [dark, bright] = [new Queue(), new Queue()]
    for (const [column, cells] of changes) {
      for (const cell of cells.keys()) {
        this.darken(column, cell, 'blocks', dark)
        if (EMISSION[column.stateAt(cell)]) bright.push(column, cell)
      }
    }
    this.shrink('blocks', dark, bright)
  }

  /** @param {LitColumn} column @param {number} cell @param {Kind} kind @param {Queue} dark */
  darken(column, cell, kind, dark) {
    const level = column[kind].get(cell)
    if (level) this.set(column, cell, kind, 0)
    dark.push(column, cell, level)
  }

  /** @param {LitColumn} column @param {number} cell @param {Kind} kind @param {number} level */
  set(column, cell, kind, level) {
    column[kind].set(cell, level)
    this.altered.add(column)
  }

  /**
   * Takes away all light that may have come from cells that went dark; what borders on it, and what
   * shines by itself, spreads anew.
   * @param {Kind} kind @param {Queue} dark @param {Queue} bright cells that shine by themselves
   */
  shrink(kind, dark, bright) {
    const rim = new Queue()
    for (let at = 0; at < dark.cells.length; at++) {
      const column = dark.columns[at]
      const cell = dark.cells[at]
      const level = dark.levels[at]
      for (const direction of DIRECTIONS) {
        const to = columnTo(column, cell, direction)
        if (!to) continue
        const next = cellTo(cell, direction)
        if (next >= ABOVE) {
          if (kind === 'sky') rim.push(to, next)
          continue
        }
        const there = to[kind].get(next)
        if (there === 0) continue
        if (there >= level) {
          rim.push(to, next)
          continue
        }
        this.darken(to, next, kind, dark)
        if (kind === 'blocks' && EMISSION[to.stateAt(next)]) bright.push(to, next)
      }
    }
    for (let at = 0; at < bright.cells.length; at++) {
      const [column, cell] = [bright.columns[at], bright.cells[at]]
      const own = kind === 'sky' ? BRIGHTEST : EMISSION[column.stateAt(cell)]
      if (own > column[kind].get(cell)) this.set(column, cell, kind, own)
      rim.push(column, cell)
    }
    this.grow(kind, rim)
  }

  /** Spreads the light of cells as far as it goes. @param {Kind} kind @param {Queue} queue */
  grow(kind, queue) {
    for (let at = 0; at < queue.cells.length; at++) {
      const column = queue.columns[at]
      const cell = queue.cells[at]
      const isAbove = cell >= ABOVE
      const level = isAbove ? BRIGHTEST : column[kind].get(cell)
      if (level <= 1) continue
      const shape = isAbove ? 0 : SHAPE[column.stateAt(cell)]
      for (const direction of DIRECTIONS) {
        if (isAbove && direction !== 0) break
        const to = columnTo(column, cell, direction)
        const next = cellTo(cell, direction)
        if (!to || next >= ABOVE) continue
        const there = to[kind].get(next)
        if (there >= level - 1) continue
        const state = to.stateAt(next)
        const left = level - Math.max(1, OPACITY[state])
        if (left <= there) continue
        if ((shape | SHAPE[state]) !== 0 && isShut(shape, SHAPE[state], direction)) continue
        this.set(to, next, kind, left)
        queue.push(to, next)
      }
    }
  }
}

/** The column that a cell's neighbour is in; null at the world's bottom and where there is no light. @param {LitColumn} column @param {number} cell @param {number} direction */
function columnTo(column, cell, direction) {
  if (direction < NORTH) return direction === 0 && cell < 256 ? null : column
  return isEdge(cell, direction) ? column.beside[direction - NORTH] : column
}

/** @param {number} cell @param {number} direction @returns {number} its neighbour's number, in whichever column */
function cellTo(cell, direction) {
  const isOut = direction >= NORTH && isEdge(cell, direction)
  return cell + (isOut ? WRAPS[direction] : STEPS[direction])
}

/** @param {number} cell @param {number} direction along the ground */
function isEdge(cell, direction) {
  if (direction === NORTH) return (cell & 0xf0) === 0
  if (direction === SOUTH) return (cell & 0xf0) === 0xf0
  if (direction === WEST) return (cell & 15) === 0
  return (cell & 15) === 15
}

/** From where the sky's light may spread in a new column, and into those beside it. @param {LitColumn} column @param {Queue} queue */
function skyEdges(column, queue) {
  for (let place = 0; place < 256; place++) {
    const open = column.open[place]
    const isLeaky = open > 0 && OPACITY[column.stateAt(((open - 1) << 8) | place)] < BRIGHTEST
    let most = isLeaky ? open + 1 : open
    for (let direction = NORTH; direction <= EAST; direction++) {
      const to = columnTo(column, place, direction)
      if (to) most = Math.max(most, to.open[cellTo(place, direction)])
    }
    for (let height = open; height < Math.min(most, ABOVE >> 8); height++) {
      queue.push(column, (height << 8) | place)
    }
    if (open === ABOVE >> 8) queue.push(column, ABOVE + place)
  }
}

/** What shines in from a column beside a new one. @param {LitColumn} column @param {number} side @param {Kind} kind @param {Queue} queue */
function fromBeside(column, side, kind, queue) {
  const other = column.beside[side]
  if (!other) return
  const direction = NORTH + side
  for (let index = 0; index < SECTIONS; index++) {
    const isDark = other[kind].sections[index] === null && other[kind].alike[index] === 0
    const isBright =
      kind === 'sky' && column.sky.sections[index] === null && column.sky.alike[index] === BRIGHTEST
    if (isDark || isBright) continue
    for (let along = 0; along < 256; along++) {
      const [height, across] = [along >> 4, along & 15]
      const place =
        direction < WEST
          ? direction === NORTH
            ? across
            : 240 | across
          : (across << 4) | (direction === WEST ? 0 : 15)
      const cell = index * SECTION_CELLS + (height << 8) + place
      const beside = cellTo(cell, direction)
      if (other[kind].get(beside) > column[kind].get(cell) + 1) queue.push(other, beside)
    }
  }
}
