/** Camera: isometric, or free with perspective. */

const FIELD = (50 * Math.PI) / 180
const STEEPEST = 1.55
const FLATTEST = -0.3
/** Minimum visible height of the world, in blocks. */
const NEAREST = 3
const FARTHEST = 4000
const HOME = { yaw: Math.PI / 4, pitch: 0.615 }
/**
 * Distance between the picture's centre and the world's, as a fraction of the picture's height;
 * leaves room for buttons and names.
 */
const ROOM_ABOVE = 0.05

/** @typedef {[number, number, number]} Point */

export class Camera {
  /** @type {Point} */ target = [0, 0, 0]
  yaw = HOME.yaw
  pitch = HOME.pitch
  /** Height of the picture, in blocks. */ size = 20
  isFree = false
  /** True until a person moves the camera. */ isFramed = true
  /** @type {Float32Array} */ #matrix = new Float32Array(16)
  #width = 1
  #height = 1

  /**
   * Adjust the camera so that a box is fully visible.
   * @param {Point} low @param {Point} high @param {number} ratio width divided by height
   */
  frame(low, high, ratio) {
    this.target = /** @type {Point} */ (low.map((part, k) => (part + high[k]) / 2))
    this.yaw = HOME.yaw
    this.pitch = HOME.pitch
    const [wide, tall, deep] = high.map((part, k) => part - low[k])
    const across = (wide + deep) * Math.SQRT1_2
    const up = across * Math.sin(HOME.pitch) + tall * Math.cos(HOME.pitch)
    this.zoom((Math.max(up, across / ratio, 6) * 1.16) / this.size)
    this.target[1] += (ROOM_ABOVE * this.size) / Math.cos(HOME.pitch)
    this.isFramed = true
  }

  /** @param {number} factor above 1: zoom out */
  zoom(factor) {
    this.isFramed = false
    this.size = Math.min(FARTHEST, Math.max(NEAREST, this.size * factor))
  }

  /** @param {number} yaw @param {number} pitch */
  turn(yaw, pitch) {
    this.isFramed = false
    this.yaw += yaw
    this.pitch = Math.min(STEEPEST, Math.max(this.isFree ? FLATTEST : 0.2, this.pitch + pitch))
  }

  /**
   * Move along the ground, in fractions of the picture's height.
   * @param {number} right @param {number} near
   */
  move(right, near) {
    this.isFramed = false
    const [x, , z] = this.target
    const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)]
    const far = near / Math.max(0.3, Math.sin(Math.abs(this.pitch)))
    this.target[0] = x + this.size * (right * cos + far * sin)
    this.target[2] = z + this.size * (-right * sin + far * cos)
  }

  /**
   * Return the matrix that maps the world to the picture.
   * @param {number} width @param {number} height @returns {Float32Array}
   */
  look(width, height) {
    this.#width = width
    this.#height = height
    const away = this.isFree ? this.size / (2 * Math.tan(FIELD / 2)) : 0
    const lens = this.isFree ? perspective(width / height) : parallel(this.size, width / height)
    this.#matrix = product(lens, turned(this.target, this.yaw, this.pitch, away))
    return this.#matrix
  }

  /** Return the camera position; it is far away in parallel projection. @returns {Point} */
  get eye() {
    const away = this.isFree ? this.size / (2 * Math.tan(FIELD / 2)) : FARTHEST * 100
    const [x, y, z] = this.target
    const level = Math.cos(this.pitch) * away
    const up = y + Math.sin(this.pitch) * away
    return [x + Math.sin(this.yaw) * level, up, z + Math.cos(this.yaw) * level]
  }

  /**
   * Project a point to the picture, with its distance; null if it is behind the camera.
   * @param {Point} point @returns {Point | null}
   */
  project([x, y, z]) {
    const m = this.#matrix
    const row = (/** @type {number} */ k) => m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12]
    const w = row(3)
    if (w <= 0) return null
    const [left, up] = [row(0) / w, row(1) / w]
    return [((left + 1) / 2) * this.#width, ((1 - up) / 2) * this.#height, row(2) / w]
  }
}

/**
 * Return whether part of a box may be in the picture.
 * @param {Float32Array} m @param {Point} low @param {Point} high
 */
export function isInView(m, low, high) {
  const outside = [0, 0, 0, 0, 0]
  for (let corner = 0; corner < 8; corner++) {
    const [x, y, z] = [0, 1, 2].map((k) => (corner & (1 << k) ? high[k] : low[k]))
    const row = (/** @type {number} */ k) => m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12]
    const [left, up, w] = [row(0), row(1), row(3)]
    ;[left < -w, left > w, up < -w, up > w, w <= 0].forEach((is, k) => (outside[k] += Number(is)))
  }
  return !outside.includes(8)
}

/**
 * Return which sides of the blocks in a box are visible: up, down, east, west, south, north.
 * @param {Point} eye @param {Point} low @param {Point} high @returns {boolean[]}
 */
export const facing = ([x, y, z], low, high) => [
  ...[y > low[1], y < high[1], x > low[0], x < high[0], z > low[2], z < high[2]]
]

/** @param {number} ratio */
function perspective(ratio) {
  const [near, far, f] = [0.3, 3000, 1 / Math.tan(FIELD / 2)]
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)]
  return [f / ratio, 0, 0, 0, 0, f, 0, 0, 0, 0, a, -1, 0, 0, b, 0]
}

/** @param {number} size @param {number} ratio */
function parallel(size, ratio) {
  const depth = 4 * Math.max(size, 300)
  return [2 / size / ratio, 0, 0, 0, 0, 2 / size, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1]
}

/**
 * Return the view matrix of a camera that orbits a target.
 * @param {Point} target @param {number} yaw @param {number} pitch @param {number} away
 */
function turned([x, y, z], yaw, pitch, away) {
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)]
  const right = [cy, 0, -sy]
  const up = [-sy * sp, cp, -cy * sp]
  const back = [sy * cp, sp, cy * cp]
  const shift = (/** @type {number[]} */ axis) => -(axis[0] * x + axis[1] * y + axis[2] * z)
  return [
    ...[right[0], up[0], back[0], 0, right[1], up[1], back[1], 0],
    ...[right[2], up[2], back[2], 0, shift(right), shift(up), shift(back) - away, 1]
  ]
}

/** @param {number[]} a @param {number[]} b matrices by columns */
function product(a, b) {
  const made = new Float32Array(16)
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) made[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k]
  return made
}
