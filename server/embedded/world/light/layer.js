/** A layer of light in a column: a number from 0 to 15 for each cell, sections that are all alike kept as one number. */

export const SECTIONS = 24
/** Cells of a section; a cell's number is height, z, x, four bits each of the last two. */
export const SECTION_CELLS = 4096
const BYTES = SECTION_CELLS / 2

export class Layer {
  constructor() {
    /** Two cells a byte, as packets have them; null where all are alike. @type {(Uint8Array | null)[]} */
    this.sections = new Array(SECTIONS).fill(null)
    /** What all are, where they are alike. */
    this.alike = new Uint8Array(SECTIONS)
    /** The sections that were changed since somebody was told, a bit each. */
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

  /** Gives each of a section's cells a number of its own. @param {number} index @returns {Uint8Array} */
  spread(index) {
    const made = new Uint8Array(BYTES).fill(this.alike[index] * 0x11)
    this.sections[index] = made
    return made
  }

  /** Keeps as one number what has become alike. @param {number} index */
  gather(index) {
    const section = this.sections[index]
    if (section === null) return
    const first = section[0]
    if (first >> 4 !== (first & 15) || section.some((pair) => pair !== first)) return
    this.sections[index] = null
    this.alike[index] = first & 15
  }
}
