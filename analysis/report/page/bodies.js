/** Agents as figures made of a few boxes, with their heading and the item in their hand. */

import { blockColour } from 'report/blocks.js'
import { shadesAt } from 'report/marks.js'
import { coloured, Mesh, plain } from 'report/meshing.js'

/**
 * Parts of a figure: centre measured from the feet; half of width, height and depth; brightness;
 * and the direction in which the lower end swings first when the figure walks.
 */
const PARTS = /** @type {[number[], number[], number, number][]} */ ([
  [[-0.12, 0.38, 0], [0.11, 0.38, 0.13], 0.55, 1],
  [[0.12, 0.38, 0], [0.11, 0.38, 0.13], 0.65, -1],
  [[0, 1.1, 0], [0.24, 0.36, 0.15], 1, 0],
  [[-0.32, 1.1, 0], [0.09, 0.36, 0.11], 0.8, -1],
  [[0.32, 1.1, 0], [0.09, 0.36, 0.11], 0.9, 1],
  [[0, 1.68, 0], [0.23, 0.23, 0.23], 1.25, 0]
])
/** How far feet and hands swing, in blocks, and how often per block walked, in radians. */
const [SWING, STRIDE] = [0.26, 2.4]
const EYES = /** @type {[number[], number[]]} */ ([
  [0, 1.72, 0.235],
  [0.13, 0.04, 0.01]
])
const HELD = /** @type {[number[], number[]]} */ ([
  [0.36, 0.8, 0.26],
  [0.14, 0.14, 0.14]
])
const RING = 0.55
/** Distance in blocks above which a move within one moment is a teleport. */
const LEAP = 6
const BEFORE_S = 0.8
const DARK = /** @type {[number, number, number]} */ ([29, 33, 38])
/** Sides of a unit box around its centre, with their brightness. */
const FACES = /** @type {[number[][], number][]} */ ([
  [
    [
      [-1, 1, -1],
      [-1, 1, 1],
      [1, 1, 1],
      [1, 1, -1]
    ],
    1
  ],
  [
    [
      [1, -1, -1],
      [1, 1, -1],
      [1, 1, 1],
      [1, -1, 1]
    ],
    0.75
  ],
  [
    [
      [-1, -1, -1],
      [-1, -1, 1],
      [-1, 1, 1],
      [-1, 1, -1]
    ],
    0.75
  ],
  [
    [
      [-1, -1, 1],
      [1, -1, 1],
      [1, 1, 1],
      [-1, 1, 1]
    ],
    0.88
  ],
  [
    [
      [-1, -1, -1],
      [-1, 1, -1],
      [1, 1, -1],
      [1, -1, -1]
    ],
    0.88
  ]
])

/** @typedef {[number, number, number]} Colour */
/** @typedef {{agent: number, at: [number, number, number]}} There an agent, and the position of its feet */

/** @typedef {{t: number, selected: number, scale: number}} Look the moment, the selected agent, and the displayed size of agents */

/** @param {import('./model.js').Model} model @param {There[]} there @param {Look} look */
export function bodiesOf(model, there, { t, selected, scale }) {
  const mesh = new Mesh()
  const shadeOf = shadesAt(model, t)
  for (const { agent, at } of there) {
    const shade = coloured(shadeOf(agent))
    const yaw = facing(model, agent, t)
    const step = SWING * Math.sin(STRIDE * walked(model, agent, t))
    const put = (
      /** @type {number[]} */ middle,
      /** @type {number[]} */ half,
      /** @type {Colour} */ own,
      light = 1,
      swing = 0
    ) =>
      turnedBox(
        mesh,
        at,
        yaw,
        middle.map((part) => part * scale),
        half.map((part) => part * scale),
        own,
        { light, swing: swing * step * scale }
      )
    for (const [middle, half, light, swing] of PARTS) put(middle, half, shade, light, swing)
    put(...EYES, DARK)
    const [held] = most(model.holds(agent, t))
    if (held) put(...HELD, coloured(blockColour(held[0])))
    if (agent === selected) {
      const [x, y, z] = at
      const [low, high] = [
        [x - RING * scale, y + 0.02, z - RING * scale],
        [x + RING * scale, y + 0.06, z + RING * scale]
      ]
      mesh.box(low, high, [255, 225, 60])
    }
  }
  return mesh
}

/** Sort an agent's items, most numerous first. @param {[string, number][]} held */
export const most = (held) => held.toSorted(([, a], [, b]) => b - a)

/**
 * Return the direction in which an agent walks.
 * @param {import('./model.js').Model} model @param {number} agent @param {number} t
 */
function facing(model, agent, t) {
  for (const back of [BEFORE_S, 4 * BEFORE_S, 20 * BEFORE_S]) {
    const [now, before] = [model.place(agent, t), model.place(agent, t - back)]
    if (!now || !before) break
    const [dx, dz] = [now[0] - before[0], now[2] - before[2]]
    const way = Math.hypot(dx, dz)
    if (way > 0.05 && way < LEAP) return Math.atan2(dx, dz)
  }
  return Math.PI / 4
}

/**
 * Return how far an agent has walked in the last moments; 0 if it stands.
 * @param {import('./model.js').Model} model @param {number} agent @param {number} t
 */
function walked(model, agent, t) {
  const [now, before] = [model.place(agent, t), model.place(agent, t - BEFORE_S)]
  if (!now || !before) return 0
  const way = Math.hypot(now[0] - before[0], now[2] - before[2])
  return way > 0.05 && way < LEAP ? now[0] + now[2] : 0
}

/**
 * @param {Mesh} mesh @param {number[]} feet @param {number} yaw @param {number[]} middle
 * @param {number[]} half @param {[number, number, number]} shade
 * @param {{light: number, swing: number}} looks `swing`: how far the lower end is moved forwards
 */
function turnedBox(mesh, feet, yaw, middle, half, shade, { light: bright, swing }) {
  const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)]
  for (const [corners, light] of FACES) {
    const placed = corners.map((corner) => {
      const [x, y, level] = corner.map((sign, k) => middle[k] + sign * half[k])
      const z = level + (corner[1] < 0 ? swing : 0)
      return [feet[0] + x * cos + z * sin, feet[1] + y, feet[2] - x * sin + z * cos]
    })
    mesh.quad(placed, plain(shade), light * bright)
  }
}
