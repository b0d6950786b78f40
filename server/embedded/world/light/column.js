/** Light in one column of blocks, and the cells where sky light enters it. */
import { BRIGHTEST, EMISSION, isShut, OPACITY, SHAPE } from './states.js'
import { Layer, SECTION_CELLS, SECTIONS } from './layer.js'

/** @import { Column, Section } from '../../types/index.d.ts' */

const PLACES = 256
/** Number of layers of a column. */
export const HEIGHTS = SECTIONS * 16
/** Number of the first cell above the column, where light is always full. */
export const ABOVE = HEIGHTS * PLACES
const DOWN = 0
const NO_SHAPE = 0

export class LitColumn {
  /** @param {number} x @param {number} z @param {Column} column */
  constructor(x, z, column) {
    this.x = x
    this.z = z
    this.column = column
    /** North, south, west and east neighbours that are also lit. @type {(LitColumn | null)[]} */
    this.beside = [null, null, null, null]
    this.sky = new Layer()
    this.blocks = new Layer()
    /** Lowest height that sees the sky, by position (z, x). */
    this.open = new Uint16Array(PLACES)
    /** True if all surrounding columns are also lit. */
    this.isAround = false
    /** Bit mask of the sections whose light was sent to players. */
    this.told = 0
    this.findOpen()
    this.fillSky()
  }

  /** @param {number} cell @returns {number} block state */
  stateAt(cell) {
    return statesOf(this.column.sections[cell >> 12]).get(cell & (SECTION_CELLS - 1))
  }

  /** Compute how far the sky reaches down at each position. */
  findOpen() {
    const top = this.column.sections.findLastIndex((section) => !isClear(section))
    this.open.fill((top + 1) * 16)
    for (let index = top; index >= 0; index--) {
      const bottom = index * 16
      let isAny = false
      for (let place = 0; place < PLACES; place++) {
        if (this.open[place] !== bottom + 16) continue
        this.open[place] = this.openFrom(place, bottom + 16, bottom)
        if (this.open[place] === bottom) isAny = true
      }
      if (!isAny) return
    }
  }

  /**
   * Search down from an open height.
   * @param {number} place @param {number} from @param {number} to
   * @returns {number} the lowest open height
   */
  openFrom(place, from, to) {
    let above = from < HEIGHTS ? SHAPE[this.stateAt(from * PLACES + place)] : NO_SHAPE
    for (let height = from - 1; height >= to; height--) {
      const state = this.stateAt(height * PLACES + place)
      if (OPACITY[state] !== 0) return height + 1
      const shape = SHAPE[state]
      if ((above | shape) !== NO_SHAPE && isShut(above, shape, DOWN)) return height + 1
      above = shape
    }
    return to
  }

  /** Recompute the lowest open height at a position. @param {number} place */
  openAt(place) {
    const { sections } = this.column
    let index = SECTIONS - 1
    while (index >= 0 && isClear(sections[index])) index--
    return this.openFrom(place, (index + 1) * 16, 0)
  }

  /** Set full light where the sky is visible, and none elsewhere. */
  fillSky() {
    let [least, most] = [HEIGHTS, 0]
    for (const open of this.open) {
      if (open < least) least = open
      if (open > most) most = open
    }
    for (let index = 0; index < SECTIONS; index++) {
      const bottom = index * 16
      if (bottom >= most) this.sky.alike[index] = BRIGHTEST
      if (bottom >= most || bottom + 16 <= least) continue
      this.sky.spread(index).fill(0xff, (Math.max(most, bottom) - bottom) * (PLACES / 2))
      for (let height = Math.max(bottom, least); height < Math.min(bottom + 16, most); height++) {
        for (let place = 0; place < PLACES; place++) {
          if (height >= this.open[place]) this.sky.set(height * PLACES + place, BRIGHTEST)
        }
      }
    }
  }

  /** Return true if a cell is a source of sky light. @param {number} cell */
  isOpen(cell) {
    return cell >> 8 >= this.open[cell & 255]
  }

  /** Return the cells of luminous blocks. @returns {number[]} */
  shining() {
    /** @type {number[]} */
    const found = []
    for (const [index, section] of this.column.sections.entries()) {
      const states = statesOf(section)
      const kinds = states.palette ?? (states.value === undefined ? null : [states.value])
      if (kinds && !kinds.some((state) => EMISSION[state])) continue
      for (let at = 0; at < SECTION_CELLS; at++) {
        if (EMISSION[states.get(at)]) found.push(index * SECTION_CELLS + at)
      }
    }
    return found
  }

  /** Return a bit mask of sections with blocks. @returns {number} */
  used() {
    let bits = 0
    for (const [index, section] of this.column.sections.entries()) {
      if (section.solidBlockCount > 0) bits |= 1 << index
    }
    return bits
  }
}

/**
 * Return true if the whole section consists of fully transparent blocks.
 * @param {Section} section
 */
function isClear(section) {
  const { value } = statesOf(section)
  return value !== undefined && OPACITY[value] === 0 && SHAPE[value] === NO_SHAPE
}

/** @param {Section} section */
const statesOf = (section) => section.data
