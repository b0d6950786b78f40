/** Natural land from above: an image per chunk, shaded by slope. */

import { blockColour } from 'report/blocks.js'
import { coloured } from 'report/meshing.js'

const SIDE = 16
/** Change in brightness per block of height difference from the north-west neighbour. */
const LIGHT = 0.09

export class LandMap {
  /** @type {{x: number, z: number, picture: OffscreenCanvas}[]} */ #chunks = []

  /** @param {import('./model.js').Model} model */
  constructor(model) {
    this.model = model
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {(x: number, z: number) => [number, number]} place
   * @param {number} scale
   */
  draw(pen, place, scale) {
    const { lands } = this.model
    while (this.#chunks.length < lands.length) {
      const land = lands[this.#chunks.length]
      this.#chunks.push({ x: land.x, z: land.z, picture: pictureOf(land) })
    }
    pen.imageSmoothingEnabled = false
    for (const { x, z, picture } of this.#chunks) {
      const [left, top] = place(x, z)
      pen.drawImage(picture, left, top, SIDE * scale + 0.5, SIDE * scale + 0.5)
    }
  }
}

/** @param {any} land @returns {OffscreenCanvas} one pixel per column */
function pictureOf({ names, heights, tops, above }) {
  const [high, seen] = [[...heights], tops.map((/** @type {number} */ top) => names[top])]
  for (const [number, x, z, , y] of above) {
    const k = z * SIDE + x
    if (y >= (high[k] ?? -Infinity)) [high[k], seen[k]] = [y, names[number]]
  }
  const picture = new OffscreenCanvas(SIDE, SIDE)
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (picture.getContext('2d'))
  const pixels = pen.createImageData(SIDE, SIDE)
  seen.forEach((/** @type {string} */ block, /** @type {number} */ k) => {
    const [x, z] = [k % SIDE, Math.floor(k / SIDE)]
    const beside = high[Math.max(0, z - 1) * SIDE + Math.max(0, x - 1)] ?? high[k]
    const light = 1 + LIGHT * Math.max(-2, Math.min(2, high[k] - beside))
    coloured(blockColour(block)).forEach((part, i) => (pixels.data[4 * k + i] = part * light))
    pixels.data[4 * k + 3] = 255
  })
  pen.putImageData(pixels, 0, 0)
  return picture
}
