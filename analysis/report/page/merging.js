/** Merges adjacent faces of full-size blocks of the same kind into rectangles. */

/** @typedef {{u: number, v: number, wide: number, tall: number}} Rectangle in blocks, from a corner */

/** Overlap of rectangles, so that the background does not show through T-junctions. */
const OVERLAP = 0.002
/** For each axis, the two other axes. */
const ACROSS = [
  [1, 2],
  [0, 2],
  [0, 1]
]

export class Merging {
  /**
   * Faces by side, block and plane.
   * @type {Map<string, {side: number, block: string, plane: number, cells: [number, number][]}>}
   */
  #planes = new Map()

  /**
   * Add a visible face of a full-size block.
   * @param {number} side @param {number} axis its normal @param {string} block
   * @param {number[]} place
   */
  add(side, axis, block, place) {
    const [u, v] = ACROSS[axis]
    const key = `${side},${place[axis]},${block}`
    const plane = this.#planes.get(key) ?? { side, block, plane: place[axis], cells: [] }
    plane.cells.push([place[u], place[v]])
    this.#planes.set(key, plane)
  }

  /**
   * Call a function for each rectangle, with its side, block, first and last position.
   * @param {(side: number) => number} axisOf
   * @param {(side: number, block: string, low: number[], high: number[]) => void} take
   */
  each(axisOf, take) {
    for (const { side, block, plane, cells } of this.#planes.values()) {
      const axis = axisOf(side)
      for (const { u, v, wide, tall } of rectangles(cells)) {
        const [low, high] = [[plane], [plane + 1]]
        const [first, second] = ACROSS[axis]
        low[axis] = plane
        high[axis] = plane + 1
        ;[low[first], low[second]] = [u - OVERLAP, v - OVERLAP]
        ;[high[first], high[second]] = [u + wide + OVERLAP, v + tall + OVERLAP]
        take(side, block, low, high)
      }
    }
  }
}

/**
 * Merge cells into rows, and consecutive rows of equal width.
 * @param {[number, number][]} cells @returns {Iterable<Rectangle>}
 */
function* rectangles(cells) {
  cells.sort(([u, v], [u2, v2]) => v - v2 || u - u2)
  /** Rectangles that can still grow, by start and width. @type {Map<string, Rectangle>} */
  const open = new Map()
  for (let k = 0; k < cells.length;) {
    const [u, v] = cells[k]
    let wide = 1
    while (cells[k + wide]?.[1] === v && cells[k + wide][0] === u + wide) wide++
    k += wide
    const key = `${u},${wide}`
    const before = open.get(key)
    if (before && before.v + before.tall === v) before.tall++
    else {
      if (before) yield before
      open.set(key, { u, v, wide, tall: 1 })
    }
  }
  yield* open.values()
}
