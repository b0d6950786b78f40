/** Plants: trees, grass, flowers, sugar cane and pumpkins on the ground of a column. */
import { registry } from '../../minecraft/index.js'
import { fractal, hash } from './noise.js'
import { put, S, SEA_LEVEL } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */

/**
 * @typedef {object} Ground of a column
 * @property {number} seed
 * @property {number} chunkX
 * @property {number} chunkZ
 * @property {number[]} heights row by row, 16 × 16
 * @property {() => number} random
 */

const TREE_MARGIN = 2 // so that a tree's leaves stay within its column
const WOODS_BLOCKS = 90
const WOODS_FROM = -0.1
const PLANTS = 24
const GRASS = registry.blocksByName.short_grass ?? registry.blocksByName.grass

/**
 * Return true if a column is in the woods.
 * @param {number} seed @param {number} chunkX @param {number} chunkZ
 */
export const isWoodsAt = (seed, chunkX, chunkZ) =>
  fractal(seed + 31, (chunkX * 16) / WOODS_BLOCKS, (chunkZ * 16) / WOODS_BLOCKS, 2) > WOODS_FROM

/** @param {Column} made @param {Ground} ground */
export function addPlants(made, { seed, chunkX, chunkZ, heights, random }) {
  const isWoods = isWoodsAt(seed, chunkX, chunkZ)
  const trees = isWoods ? 4 + Math.floor(random() * 5) : Math.floor(random() * 1.6)
  const isBirch = hash(seed, chunkX >> 2, chunkZ >> 2, 5) < 0.35
  for (let tree = 0; tree < trees; tree++) {
    const x = TREE_MARGIN + Math.floor(random() * (16 - 2 * TREE_MARGIN))
    const z = TREE_MARGIN + Math.floor(random() * (16 - 2 * TREE_MARGIN))
    plantTree(made, x, heights[z * 16 + x] + 1, z, 4 + Math.floor(random() * 3), isBirch)
  }
  for (let plant = 0; plant < PLANTS; plant++) {
    const [x, z] = [Math.floor(random() * 16), Math.floor(random() * 16)]
    const kind = random()
    sow(made, x, heights[z * 16 + x] + 1, z, kind)
  }
}

/**
 * @param {Column} made @param {number} x @param {number} y @param {number} z
 * @param {number} kind in [0, 1)
 */
function sow(made, x, y, z, kind) {
  const ground = made.getBlockStateId({ x, y: y - 1, z })
  if (made.getBlockStateId({ x, y, z }) !== 0) return
  if (ground === S.sand && y - 1 === SEA_LEVEL && kind < 0.1) {
    for (let up = 0; up < 2; up++) put(made, x, y + up, z, S.sugar_cane)
  }
  if (ground !== S.grass_block) return
  if (kind < 0.8) put(made, x, y, z, GRASS.defaultState)
  else if (kind < 0.9) put(made, x, y, z, S.dandelion)
  else if (kind < 0.99) put(made, x, y, z, S.poppy)
  else put(made, x, y, z, S.pumpkin)
}

/**
 * @param {Column} made @param {number} x @param {number} y @param {number} z @param {number} tall
 * @param {boolean} isBirch
 */
function plantTree(made, x, y, z, tall, isBirch) {
  if (made.getBlockStateId({ x, y: y - 1, z }) !== S.grass_block) return
  for (let up = 0; up < tall + 2; up++) {
    if (made.getBlockStateId({ x, y: y + up, z }) !== 0) return
  }
  const leaves = isBirch ? S.birch_leaves : S.oak_leaves
  for (let up = tall - 2; up <= tall + 1; up++) {
    const radius = up < tall ? 2 : 1
    for (let dx = -radius; dx <= radius; dx++) {
      for (let dz = -radius; dz <= radius; dz++) {
        const isCorner = Math.abs(dx) === radius && Math.abs(dz) === radius
        const at = { x: x + dx, y: y + up, z: z + dz }
        if (!(isCorner && up !== tall - 1) && made.getBlockStateId(at) === 0) {
          made.setBlockStateId(at, leaves)
        }
      }
    }
  }
  put(made, x, y - 1, z, S.dirt)
  for (let up = 0; up < tall; up++) put(made, x, y + up, z, isBirch ? S.birch_log : S.oak_log)
}
