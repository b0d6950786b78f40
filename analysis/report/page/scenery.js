/** Scenery at the named places of villages on the grid. It is decoration: no agent sees it. */

import { blockColour, patternOf } from 'report/blocks.js'
import { coloured } from 'report/meshing.js'

/** Width of a place's scenery, in blocks. */
const WIDE = 18
/** Heights of parts above the ground, so that surfaces do not coincide. */
const THIN = 0.06

/** @typedef {(block: string, x: number, y: number, z: number, wide: number, tall: number, deep?: number) => void} Put adds a box, measured from the place's middle */

/** Scenery by the name of a place; other places, such as towns, are hamlets. @type {Record<string, (put: Put) => void>} */
const SCENES = {
  ...{ water: pond, river: pond, farmland: field, pasture, meadow: pasture },
  ...{ forest, cave: rocks, hill: rocks, chest: treasury }
}
/** Number that marks the places of a further village. */
const COPY = / \d+$/

/**
 * @param {Pick<import('./meshing.js').Mesh, 'box'>} mesh or a plan, on which higher boxes come later
 * @param {any} world built world; only villages have open land
 * @param {number} scale
 */
export function addScenery(mesh, world, scale) {
  if (world.ground[0]?.[0] !== 'land') return
  for (const [full, [x, , z]] of Object.entries(world.places)) {
    const name = full.replace(COPY, '')
    const scene = Object.hasOwn(SCENES, name) ? SCENES[name] : hamlet
    scene((block, dx, y, dz, wide, tall, deep = wide) => {
      const low = [dx - wide / 2, y, dz - deep / 2]
      const high = [dx + wide / 2, y + tall, dz + deep / 2]
      const placed = (/** @type {number[]} */ corner) =>
        corner.map((part, k) => [x, 0, z][k] + scale * part)
      mesh.box(placed(low), placed(high), coloured(blockColour(block)), patternOf(block))
    })
  }
}

/** @param {Put} put */
function pond(put) {
  put('water', 0, 0, 0, WIDE, 2 * THIN)
}

/** @param {Put} put */
function field(put) {
  put('dirt', 0, 0, 0, WIDE, THIN)
  for (let row = -4; row <= 4; row++) put('wheat', 2 * row, THIN, 0, 1, 0.8, WIDE - 2)
}

/** @param {Put} put */
function pasture(put) {
  put('grass_block', 0, 0, 0, WIDE, THIN)
  for (const side of [-WIDE / 2, WIDE / 2]) {
    put('oak_fence', side, 0, 0, 0.3, 1.1, WIDE)
    put('oak_fence', 0, 0, side, WIDE, 1.1, 0.3)
  }
}

/** @param {Put} put */
function forest(put) {
  for (let tree = 0; tree < 14; tree++) {
    const [far, way] = [1 + ((tree * 5) % 9), tree * 2.4]
    const [x, z, tall] = [far * Math.sin(way), far * Math.cos(way), 3 + (tree % 3)]
    put('oak_log', x, 0, z, 0.8, tall)
    put('oak_leaves', x, tall - 0.8, z, 3.2, 2)
    put('oak_leaves', x, tall + 1.2, z, 1.8, 0.9)
  }
}

/** @param {Put} put */
function rocks(put) {
  for (const [x, z, wide, tall] of [
    [0, 0, 11, 3],
    [1, -1, 8, 5],
    [-1, -2, 5, 7]
  ])
    put('stone', x, 0, z, wide, tall)
  put('coal_ore', 0, 0, 5.4, 2.6, 2.6, 0.4)
}

/** A hamlet whose chest stands beside those who pay. @param {Put} put */
function treasury(put) {
  hamlet(put)
  put('chest', -2, 0, 2, 1.4, 1.1)
}

/** Houses around a square, which is open towards the camera. @param {Put} put */
function hamlet(put) {
  put('dirt_path', 0, 0, 0, 8, THIN)
  for (let house = 1; house <= 5; house++) {
    const way = ((house + 0.75) * Math.PI) / 3
    const [x, z] = [8 * Math.sin(way), 8 * Math.cos(way)]
    put('cobblestone', x, 0, z, 4.4, 0.5)
    put('oak_planks', x, 0.5, z, 4, 2.4)
    for (let step = 0; step < 3; step++)
      put('spruce_planks', x, 2.9 + 0.6 * step, z, 4.8 - 1.5 * step, 0.6)
  }
}
