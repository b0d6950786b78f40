/**
 * Spreading and removal of light from the sky and luminous blocks.
 *
 * As in vanilla (minecraft.wiki: Light), light loses one level per step, or the opacity of the
 * block it enters. It cannot pass a face that the two adjacent blocks fill together. Columns are
 * lit on demand; until a neighbour is lit, it acts as a wall. Changes are processed together: first
 * all light that may have come from changed cells is removed, then the remaining light spreads
 * again, so that the result is the same as if everything had been lit in one go. This may happen in
 * small steps while further changes and columns arrive.
 */
import { ABOVE, LitColumn } from './column.js'
import { SECTION_CELLS, SECTIONS } from './layer.js'
import { BRIGHTEST, EMISSION, isShut, OPACITY, SHAPE } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */
/** @typedef {'sky' | 'blocks'} Kind */

const [NORTH, SOUTH, WEST, EAST] = [2, 3, 4, 5]
const DIRECTIONS = [0, 1, NORTH, SOUTH, WEST, EAST]
/** Offsets to neighbours within a column. */
const STEPS = [-256, 256, -16, 16, -1, 1]
/** Offsets from a cell at a column's edge to its neighbour in the adjacent column. */
const WRAPS = [0, 0, 240, -240, 15, -15]
/** @type {[number, number][]} */
const BESIDE = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0]
]

/** First-in, first-out queue of cells. */
class Queue {
  constructor() {
    /** @type {LitColumn[]} */
    this.columns = []
    /** @type {number[]} */
    this.cells = []
    /** Previous light levels of darkened cells. @type {number[]} */
    this.levels = []
    /** Number of entries that have been processed. */
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

/** Changes in progress to one kind of light. */
class Task {
  /** @param {Kind} kind */
  constructor(kind) {
    this.kind = kind
    this.dark = new Queue()
    /** Cells that are light sources. */
    this.bright = new Queue()
    /** Cells from which light spreads again. */
    this.rim = new Queue()
  }
}

/** Light of all requested columns. */
export class LightField {
  /** @param {(x: number, z: number) => Column | undefined} columnAt undefined for columns that are not loaded */
  constructor(columnAt) {
    this.columnAt = columnAt
    /** @type {Map<string, LitColumn>} */
    this.columns = new Map()
    /**
     * Unprocessed changes by column: cell → true if its opacity changed.
     * @type {Map<LitColumn, Map<number, boolean>>}
     */
    this.changes = new Map()
    /** Changes in progress. @type {Task[]} */
    this.tasks = []
    /** Columns whose light changed since the last query. @type {Set<LitColumn>} */
    this.altered = new Set()
  }

  /** @param {number} x @param {number} z @returns {LitColumn | undefined} */
  lit(x, z) {
    return this.columns.get(`${x},${z}`)
  }

  /**
   * Record a block change.
   * @param {number} x of its column @param {number} z @param {number} cell @param {number} before
   * @param {number} after
   */
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

  /**
   * Light a column that has no light yet.
   * @param {number} x @param {number} z @returns {LitColumn | null} null if not loaded
   */
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

  /** True if all changes are processed. */
  get isSettled() {
    return !this.changes.size && !this.tasks.length
  }

  /** Process changes. @param {number} [most] maximum number of cells; the others follow later */
  settle(most = Infinity) {
    for (let left = most; left > 0 && !this.isSettled;) {
      if (!this.tasks.length) this.begin()
      const [task] = this.tasks
      left = this.shrink(task, left)
      if (left > 0) left = this.grow(task.kind, task.rim, left)
      if (left > 0) this.tasks.shift()
    }
  }

  /** Create tasks for the recorded changes. */
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

  /**
   * Update the height down to which the sky is visible at a position.
   * @param {Task} task @param {LitColumn} column @param {number} place
   */
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
   * Remove all light that may have come from darkened cells, and queue sources among these cells.
   * @param {Task} task @param {number} left number of cells that may be processed
   * @returns {number} how many more may be processed
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

  /**
   * Spread the light of queued cells.
   * @param {Kind} kind @param {Queue} queue @param {number} [left] @returns {number} as in `shrink`
   */
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

/**
 * Return the column that contains a cell's neighbour; null at the world's bottom and in unlit
 * columns.
 * @param {LitColumn} column @param {number} cell @param {number} direction
 */
function columnTo(column, cell, direction) {
  if (direction < NORTH) return direction === 0 && cell < 256 ? null : column
  return isEdge(cell, direction) ? column.beside[direction - NORTH] : column
}

/**
 * @param {number} cell @param {number} direction
 * @returns {number} the number of its neighbour within that neighbour's column
 */
function cellTo(cell, direction) {
  const isOut = direction >= NORTH && isEdge(cell, direction)
  return cell + (isOut ? WRAPS[direction] : STEPS[direction])
}

/** @param {number} cell @param {number} direction horizontal */
function isEdge(cell, direction) {
  if (direction === NORTH) return (cell & 0xf0) === 0
  if (direction === SOUTH) return (cell & 0xf0) === 0xf0
  if (direction === WEST) return (cell & 15) === 0
  return (cell & 15) === 15
}

/**
 * Queue the cells from which sky light may spread within a new column and into its neighbours.
 * @param {LitColumn} column @param {Queue} queue
 */
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

/**
 * Queue the light that enters a new column from a neighbour.
 * @param {LitColumn} column @param {number} side @param {Kind} kind @param {Queue} queue
 */
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
