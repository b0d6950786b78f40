/**
 * Layer of light in a column: a level from 0 to 15 per cell. Sections with the same level
 * everywhere are stored as one number.
 */

export const SECTIONS = 24
/**
 * Number of cells in a section. A cell's number consists of height, z (four bits) and x (four
 * bits).
 */
export const SECTION_CELLS = 4096
const BYTES = SECTION_CELLS / 2

export class Layer {
  constructor() {
    /**
     * Two cells per byte, as in packets; null for uniform sections.
     * @type {(Uint8Array | null)[]}
     */
    this.sections = new Array(SECTIONS).fill(null)
    /** Level of uniform sections. */
    this.alike = new Uint8Array(SECTIONS)
    /** Bit mask of sections changed since the last query. */
    this.changed = 0
  }

  /** @param {number} cell @returns {number} */
  get(cell) {
    const section = this.sections[cell >> 12]
    if (section === null) return this.alike[cell >> 12]
    return (section[(cell & 4095) >> 1] >> ((cell & 1) << 2)) & 15
  }

  /** @param {number} cell @param {number} value */
  set(cell, value) {
    const section = this.sections[cell >> 12] ?? this.spread(cell >> 12)
    const at = (cell & 4095) >> 1
    const shift = (cell & 1) << 2
    section[at] = (section[at] & (0xf0 >> shift)) | (value << shift)
    this.changed |= 1 << (cell >> 12)
  }

  /** Expand a uniform section. @param {number} index @returns {Uint8Array} */
  spread(index) {
    const made = new Uint8Array(BYTES).fill(this.alike[index] * 0x11)
    this.sections[index] = made
    return made
  }

  /** Compact a section that has become uniform. @param {number} index */
  gather(index) {
    const section = this.sections[index]
    if (section === null) return
    const first = section[0]
    if (first >> 4 !== (first & 15) || section.some((pair) => pair !== first)) return
    this.sections[index] = null
    this.alike[index] = first & 15
  }
}
