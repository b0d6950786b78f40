/**
 * Light: how it spreads from the sky and from blocks that shine, and goes when they do.
 *
 * As in vanilla (minecraft.wiki: Light), light loses one on each step, or as much as the block that
 * it enters takes; faces that are filled together let none through. Columns are lit when somebody asks;
 * what has no light yet is a wall to that of its neighbours until it is lit, too. Changes are worked in
 * together: first all light goes that may have come from what changed, then what is left spreads anew,
 * so that the result is the same as if all had been lit at once. That may be done bit by bit, while
 * more changes and other columns get light.
 */
import { ABOVE, LitColumn } from './column.js'
import { SECTION_CELLS, SECTIONS } from './layer.js'
import { BRIGHTEST, EMISSION, isShut, OPACITY, SHAPE } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */
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
    /** How many are done. */
    this.done = 0
  }

  get isDone() {
    return this.done >= this.cells.length
  }

  /** @param {LitColumn} column @param {number} cell @param {number} [level] */
  push(column, cell, level = 0) {
    this.columns.push(column)
    this.cells.push(cell)
    this.levels.push(level)
  }
}

/** Changes of one kind of light that are being worked in. */
class Task {
  /** @param {Kind} kind */
  constructor(kind) {
    this.kind = kind
    this.dark = new Queue()
    /** Cells that shine by themselves. */
    this.bright = new Queue()
    /** From where light spreads anew. */
    this.rim = new Queue()
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
    /** What is being worked in. @type {Task[]} */
    this.tasks = []
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

  /** Whether all changes are worked in. */
  get isSettled() {
    return !this.changes.size && !this.tasks.length
  }

  /** Works in what changed. @param {number} [most] so many cells, and the rest another time */
  settle(most = Infinity) {
    for (let left = most; left > 0 && !this.isSettled;) {
      if (!this.tasks.length) this.begin()
      const [task] = this.tasks
      left = this.shrink(task, left)
      if (left > 0) left = this.grow(task.kind, task.rim, left)
      if (left > 0) this.tasks.shift()
    }
  }

  /** Makes tasks of what changed. */
  begin() {
    const { changes } = this
    this.changes = new Map()
    const [sky, blocks] = [new Task('sky'), new Task('blocks')]
    this.tasks = [sky, blocks]
    for (const [column, cells] of changes) {
      const shading = [...cells].filter(([, shades]) => shades).map(([cell]) => cell)
      for (const place of new Set(shading.map((cell) => cell & 255))) this.open(sky, column, place)
      for (const cell of shading) {
        this.darken(column, cell, 'sky', sky.dark)
        if (column.isOpen(cell)) sky.bright.push(column, cell)
      }
      for (const cell of cells.keys()) {
        this.darken(column, cell, 'blocks', blocks.dark)
        if (EMISSION[column.stateAt(cell)]) blocks.bright.push(column, cell)
      }
    }
  }

  /** How far the sky comes down now, at a place where that may be another height. @param {Task} task @param {LitColumn} column @param {number} place */
  open({ dark, bright }, column, place) {
    const before = column.open[place]
    const now = column.openAt(place)
    column.open[place] = now
    for (let height = before; height < now; height++) {
      this.darken(column, (height << 8) | place, 'sky', dark)
    }
    for (let height = now; height < before; height++) bright.push(column, (height << 8) | place)
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
   * Takes away all light that may have come from cells that went dark, and lets shine what shines by
   * itself.
   * @param {Task} task @param {number} left @returns {number} of the cells that may be gone through, those that are left
   */
  shrink({ kind, dark, bright, rim }, left) {
    for (; !dark.isDone && left > 0; left--) {
      const at = dark.done++
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
    for (; !bright.isDone && left > 0; left--) {
      const at = bright.done++
      const [column, cell] = [bright.columns[at], bright.cells[at]]
      const own = kind === 'sky' ? BRIGHTEST : EMISSION[column.stateAt(cell)]
      if (own > column[kind].get(cell)) this.set(column, cell, kind, own)
      rim.push(column, cell)
    }
    return left
  }

  /** Spreads the light of cells as far as it goes. @param {Kind} kind @param {Queue} queue @param {number} [left] @returns {number} as above */
  grow(kind, queue, left = Infinity) {
    for (; !queue.isDone && left > 0; left--) {
      const at = queue.done++
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
        const stays = level - Math.max(1, OPACITY[state])
        if (stays <= there) continue
        if ((shape | SHAPE[state]) !== 0 && isShut(shape, SHAPE[state], direction)) continue
        this.set(to, next, kind, stays)
        queue.push(to, next)
      }
    }
    return left
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
