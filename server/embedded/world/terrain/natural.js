/**
 * Natural terrain: hills, lakes with gravel, sand and clay, woods, and ores by depth as in vanilla
 * 1.20 (coal high, iron around y = 16, diamonds near the bottom), and caves.
 */
import { registry, Vec3 } from '../../minecraft/index.js'
import { cavesOf } from './caves.js'
import { newColumn } from './columns.js'
import { columnRandom, fractal } from './noise.js'
import { addPlants, isWoodsAt } from './plants.js'
import { BOTTOM, put, S, SEA_LEVEL } from './states.js'
import { addVeins, EARTH, ORES } from './veins.js'

/** @import { Column } from '../../types/index.d.ts' */

const DEEPSLATE_BELOW = 0
const HILLS = { middle: 71, height: 34, blocks: 160 }
/** Below this depth under the lowest ground in a column, everything is rock. */
const EARTH_DEPTH = 5

/** @param {number} seed @param {boolean} [hasCaves] false for worlds created before caves existed */
export function naturalTerrain(seed, hasCaves = true) {
  const heightAt = (/** @type {number} */ x, /** @type {number} */ z) =>
    Math.floor(HILLS.middle + HILLS.height * fractal(seed, x / HILLS.blocks, z / HILLS.blocks, 4))

  const spawn = firstDryPlace(heightAt)
  const carve = hasCaves ? cavesOf(seed, heightAt, spawn) : null

  /** @param {number} chunkX @param {number} chunkZ */
  function column(chunkX, chunkZ) {
    const random = columnRandom(seed, chunkX, chunkZ)
    const heights = Array.from({ length: 256 }, (_, i) =>
      heightAt(chunkX * 16 + (i & 15), chunkZ * 16 + (i >> 4))
    )
    const rockTop = Math.min(...heights) - EARTH_DEPTH
    const made = rock(rockTop, isWoodsAt(seed, chunkX, chunkZ) ? 'forest' : 'plains')
    for (let i = 0; i < 256; i++) {
      const [x, z] = [i & 15, i >> 4]
      const bed = bedAt(seed, chunkX * 16 + x, chunkZ * 16 + z)
      layerGround(made, x, z, heights[i], rockTop, bed)
    }
    for (const ore of [...EARTH, ...ORES]) addVeins(made, ore, random)
    carve?.(made, chunkX, chunkZ, heights)
    addPlants(made, { seed, chunkX, chunkZ, heights, random })
    return made
  }

  return { column, spawn: () => spawn.clone() }
}

/**
 * Return a column with rock in whole sections, up to below the surface.
 * @param {number} top @param {string} biome
 */
function rock(top, biome) {
  const made = newColumn(registry.biomesByName[biome].id, (bottom) => {
    if (bottom + 15 > top) return S.air
    return bottom < DEEPSLATE_BELOW ? S.deepslate : S.stone
  })
  for (let i = 0; i < 256; i++) put(made, i & 15, BOTTOM, i >> 4, S.bedrock)
  return made
}

/**
 * @param {Column} made @param {number} x @param {number} z @param {number} height of the ground
 * @param {number} rockTop top of the column's rock @param {number} bed block under water
 */
function layerGround(made, x, z, height, rockTop, bed) {
  const start = Math.floor((rockTop - BOTTOM + 1) / 16) * 16 + BOTTOM
  for (let y = start; y <= height; y++) put(made, x, y, z, groundAt(height - y, height, bed))
  for (let y = height + 1; y <= SEA_LEVEL; y++) put(made, x, y, z, S.water)
}

/**
 * Return the block that is under water here.
 * @param {number} seed @param {number} x @param {number} z
 */
function bedAt(seed, x, z) {
  const kind = fractal(seed + 77, x / 12, z / 12, 2)
  if (kind > 0.35) return S.clay
  return kind < -0.2 ? S.gravel : S.sand
}

/** @param {number} depth @param {number} height @param {number} bed */
function groundAt(depth, height, bed) {
  if (depth > 3) return S.stone
  if (height < SEA_LEVEL) return depth < 3 ? bed : S.stone
  if (height <= SEA_LEVEL + 1) return S.sand
  return depth === 0 ? S.grass_block : S.dirt
}

/**
 * Return the first dry, open grass, searching from the centre outwards.
 * @param {(x: number, z: number) => number} heightAt
 */
function firstDryPlace(heightAt) {
  for (let radius = 0; radius < 4000; radius += 8) {
    for (let turn = 0; turn < 16; turn++) {
      const angle = (turn / 16) * 2 * Math.PI
      const x = Math.round(Math.cos(angle) * radius)
      const z = Math.round(Math.sin(angle) * radius)
      const height = heightAt(x, z)
      if (height > SEA_LEVEL + 2 && height < SEA_LEVEL + 20)
        return new Vec3(x + 0.5, height + 1, z + 0.5)
    }
  }
  return new Vec3(0.5, SEA_LEVEL + 1, 0.5)
}
