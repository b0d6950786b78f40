/** Triangle meshes of blocks: visible faces, with colours and simple lighting. */

import { blockColour, formOf, KINDS, patternOf, shapeOf } from 'report/blocks.js'
import { Merging } from 'report/merging.js'

/** Size of a vertex: three floats, and bytes: four for colour, then pattern, daylight and tile. */
export const CORNER_BYTES = 20
/** Sides of a block: offset to the neighbour, corners (x, y and z of each), and brightness. */
const SIDES = [
  side([0, 1, 0], '010 011 111 110', 1),
  side([0, -1, 0], '000 100 101 001', 0.45),
  // the sun stands in the south-east
  side([1, 0, 0], '100 110 111 101', 0.8),
  side([-1, 0, 0], '000 001 011 010', 0.6),
  side([0, 0, 1], '001 101 111 011', 0.88),
  side([0, 0, -1], '000 010 110 100', 0.66)
]
/** Daylight of a corner by the number of blocks around it: ambient occlusion. */
const DAYLIGHT = [255, 190, 130, 80]
const OPEN = [255, 255, 255, 255]
/** Opacity of transparent blocks. */
const CLEAR = 0.55
/** Height of one layer in a grid cell's pile. */
const PILED = 0.16

/** @typedef {[number, number, number]} Colour */
/** @typedef {{colour: Colour, pattern: number, tile: number}} Look with a texture's number, 0 for none */

/** @type {import('./pack.js').Pack | null} */
let pack = null

/** Give blocks the textures of a pack. @param {import('./pack.js').Pack | null} chosen */
export function dress(chosen) {
  pack = chosen
}

/** @param {string} block @param {number} side @returns {Look} */
function lookOf(block, side) {
  const own = pack?.of(block, side)
  const colour = own?.colour ?? coloured(blockColour(block))
  return { colour, pattern: patternOf(block), tile: own?.tile ?? 0 }
}

/** @param {Colour} colour @returns {Look} */
export const plain = (colour) => ({ colour, pattern: KINDS.FIGURE, tile: 0 })

/** @param {[number, number, number]} to @param {string} corners @param {number} light */
function side(to, corners, light) {
  return { to, corners: corners.split(' ').map((corner) => [...corner].map(Number)), light }
}

/** A vertex buffer that grows. */
class Corners {
  #bytes = new ArrayBuffer(1 << 11)
  #floats = new Float32Array(this.#bytes)
  #colours = new Uint8Array(this.#bytes)
  count = 0

  /**
   * @param {number[]} place @param {Look} look @param {number} light @param {number} alpha
   * @param {number} daylight from 0 to 255
   */
  add([x, y, z], { colour, pattern, tile }, light, alpha, daylight) {
    if ((this.count + 1) * CORNER_BYTES > this.#bytes.byteLength) this.#grow()
    const at = (CORNER_BYTES / 4) * this.count++
    this.#floats[at] = x
    this.#floats[at + 1] = y
    this.#floats[at + 2] = z
    const byte = 4 * at + 12
    for (let k = 0; k < 3; k++) this.#colours[byte + k] = Math.min(255, colour[k] * light)
    this.#colours[byte + 3] = 255 * alpha
    this.#colours[byte + 4] = pattern
    this.#colours[byte + 5] = daylight
    this.#colours[byte + 6] = tile & 255
    this.#colours[byte + 7] = tile >> 8
  }

  #grow() {
    const larger = new ArrayBuffer(2 * this.#bytes.byteLength)
    new Uint8Array(larger).set(this.#colours)
    this.#bytes = larger
    this.#floats = new Float32Array(larger)
    this.#colours = new Uint8Array(larger)
  }

  get data() {
    return new Uint8Array(this.#bytes, 0, this.count * CORNER_BYTES)
  }
}

/** Quads by side: up, down, east, west, south, north. */
export class Mesh {
  #sides = SIDES.map(() => new Corners())

  /**
   * Add a quad to one of the sides, with its corners in order.
   * @param {number[][]} corners @param {Look} look @param {number} light
   * @param {{alpha?: number, side?: number, daylight?: number[]}} [more]
   */
  quad(corners, look, light, { alpha = 1, side = 0, daylight = OPEN } = {}) {
    // A quad is two triangles; the diagonal must join the darker corners.
    const first = daylight[0] + daylight[2] > daylight[1] + daylight[3] ? 1 : 0
    for (let k = first; k < first + 4; k++)
      this.#sides[side].add(corners[k % 4], look, light, alpha, daylight[k % 4])
  }

  /**
   * Add a box of one colour, or of a block.
   * @param {number[]} low @param {number[]} high @param {Colour | string} of
   */
  box(low, high, of) {
    SIDES.forEach(({ corners, light }, side) => {
      const look = typeof of === 'string' ? lookOf(of, side) : plain(of)
      this.quad(between(corners, low, high), look, light, { side })
    })
  }

  /** Number of quads per side. */
  get counts() {
    return this.#sides.map(({ count }) => count / 4)
  }

  /** Vertex data for the graphics, side by side. */
  get data() {
    const parts = this.#sides.map(({ data }) => data)
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }
}

/** @param {number[][]} corners of a cube of 1 @param {number[]} low @param {number[]} high */
const between = (corners, low, high) =>
  corners.map((corner) => corner.map((part, k) => (part ? high[k] : low[k])))

/**
 * Return the meshes of a chunk's opaque and transparent blocks.
 * @param {import('./voxels.js').Voxels} voxels @param {import('./voxels.js').Chunk} chunk
 * @param {number} t @param {number} cut @returns {{solid: Mesh, clear: Mesh}}
 */
export function meshOf(voxels, chunk, t, cut) {
  const [solid, clear, merging] = [new Mesh(), new Mesh(), new Merging()]
  for (const voxel of voxels.seen(chunk, t, cut)) {
    if (voxel.y > cut) continue
    if (voxel.block === 'barrier' && voxels.at(voxel.x, voxel.y - 1, voxel.z, t) === 'barrier')
      continue
    if (isPile(voxels, voxel.block, voxel.y)) {
      addPile(solid, voxel)
      continue
    }
    // the ground of a flat world has nothing below it
    const isClear = shapeOf(voxel.block).isClear && !(voxels.isStacked && voxel.y < 0)
    add(isClear ? clear : solid, merging, voxels, voxel, { t, cut })
  }
  merging.each(axisOf, (side, block, low, high) => {
    const { corners, light } = SIDES[side]
    solid.quad(between(corners, low, high), lookOf(block, side), light, { side })
  })
  return { solid, clear }
}

/**
 * Return whether a block is drawn as a flat pile, which hides no other block.
 * @param {import('./voxels.js').Voxels} voxels @param {string} block @param {number} y
 */
const isPile = (voxels, block, y) => voxels.isCells && y >= 0 && !/^(wall|chest)$/.test(block)

/**
 * Add a grid cell's flat pile, on which agents stand.
 * @param {Mesh} mesh @param {import('./voxels.js').Voxel} voxel
 */
function addPile(mesh, { block, x, y, z }) {
  const low = PILED * y
  for (const [dx, dz, wide, deep] of formOf(block, 0.84)) {
    const [half, far] = [wide, deep].map((part) => Math.max(part / 2 - 0.04 * y, 0.03))
    mesh.box(
      [x + 0.5 + dx - half, low, z + 0.5 + dz - far],
      [x + 0.5 + dx + half, low + PILED, z + 0.5 + dz + far],
      block
    )
  }
}

/** @param {import('./voxels.js').Voxels} voxels @param {string} block @param {number} y */
const isCube = (voxels, block, y) => shapeOf(block).isFull && !isPile(voxels, block, y)

/** @param {number} side */
const axisOf = (side) => SIDES[side].to.findIndex((part) => part)

/**
 * @param {Mesh} mesh @param {Merging} merging collects the faces of full-size blocks
 * @param {import('./voxels.js').Voxels} voxels @param {import('./voxels.js').Voxel} voxel
 * @param {{t: number, cut: number}} moment
 */
function add(mesh, merging, voxels, { block, x, y, z }, { t, cut }) {
  const { width, low, high, isClear, isFull } = shapeOf(block)
  const edge = (1 - width) / 2
  const [from, to] = [
    [x + edge, y + low, z + edge],
    [x + 1 - edge, y + high, z + 1 - edge]
  ]
  for (const [
    side,
    {
      to: [dx, dy, dz],
      corners,
      light
    }
  ] of SIDES.entries()) {
    const beside = y + dy > cut ? '' : voxels.at(x + dx, y + dy, z + dz, t)
    const reaches = isFull || width === 1
    const isHidden = isCube(voxels, beside, y + dy) || (isClear && beside === block)
    if (beside && reaches && isHidden) continue
    if (dy < 0 && !beside && y <= voxels.lowest) continue
    const isEdge = !beside && dy === 0 && isUnknown(voxels, x + dx, y, z + dz, x, z)
    if (isEdge) continue
    const daylight = isFull ? daylightOf(voxels, [x, y, z], side, { t, cut }) : OPEN
    if (isFull && daylight === OPEN) merging.add(side, axisOf(side), block, [x, y, z])
    else {
      const more = { alpha: isClear ? CLEAR : 1, side, daylight }
      mesh.quad(between(corners, from, to), lookOf(block, side), light, more)
    }
  }
}

/**
 * Return the daylight at the corners of a block's face: blocks beside the face keep it out.
 * @param {import('./voxels.js').Voxels} voxels @param {number[]} place @param {number} side
 * @param {{t: number, cut: number}} moment
 */
function daylightOf(voxels, place, side, { t, cut }) {
  const { to, corners } = SIDES[side]
  const front = place.map((part, k) => part + to[k])
  if (front[1] > cut) return OPEN
  const axes = [0, 1, 2].filter((axis) => !to[axis])
  const isDark = (/** @type {number[]} */ steps) => {
    const [x, y, z] = front.map((part, k) => part + steps[k])
    const block = y > cut ? '' : voxels.at(x, y, z, t)
    return block && isCube(voxels, block, y) ? 1 : 0
  }
  const found = corners.map((corner) => {
    const steps = axes.map((axis) => {
      const step = [0, 0, 0]
      step[axis] = corner[axis] ? 1 : -1
      return step
    })
    const [one, other] = steps.map(isDark)
    const both = one && other ? 1 : isDark(steps[0].map((part, k) => part + steps[1][k]))
    return DAYLIGHT[one + other + both]
  })
  return found.every((part) => part === 255) ? OPEN : found
}

/**
 * Return whether a neighbouring column is unexplored; it is then assumed to be rock at this depth.
 * @param {import('./voxels.js').Voxels} voxels @param {number} x @param {number} y
 * @param {number} z @param {number} ownX @param {number} ownZ
 */
function isUnknown(voxels, x, y, z, ownX, ownZ) {
  const own = voxels.groundAt(ownX, ownZ)
  return own !== undefined && voxels.groundAt(x, z) === undefined && y < own - 4
}

/**
 * Return a mesh of the ground that is drawn as large boxes, one box per area.
 * @param {import('./voxels.js').Voxels} voxels @returns {Mesh}
 */
export function plainMesh(voxels) {
  const mesh = new Mesh()
  for (const { block, low, high } of voxels.plains)
    mesh.box(
      low,
      high.map((part) => part + 1),
      block
    )
  return mesh
}

/** @type {Map<string, Colour>} */
const read = new Map()

/** Convert a CSS colour into bytes. @param {string} text @returns {Colour} */
export function coloured(text) {
  const found = read.get(text)
  if (found) return found
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(1, 1).getContext('2d')
  )
  pen.fillStyle = text
  pen.fillRect(0, 0, 1, 1)
  const [r, g, b] = pen.getImageData(0, 0, 1, 1).data
  /** @type {Colour} */ const made = [r, g, b]
  read.set(text, made)
  return made
}
