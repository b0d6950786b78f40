/**
 * Natural terrain: hills, lakes with gravel, sand and clay, woods, and ores by depth as in vanilla
 * 1.20 (coal high, iron around y = 16, diamonds near the bottom), without caves.
 */
import { Column, registry, Vec3 } from '../minecraft.js'
import { columnRandom, fractal, hash } from './noise.js'
import { setBiome } from './superflat.js'

const SEA_LEVEL = 62
const BOTTOM = -64
const DEEPSLATE_BELOW = 0
const HILLS = { middle: 71, height: 34, blocks: 160 }
const TREE_MARGIN = 2 // a tree's leaves stay in its column
const WOODS_BLOCKS = 90
const WOODS_FROM = -0.1

/** @param {string} name */
const state = (name) => registry.blocksByName[name].defaultState
const S = Object.fromEntries(
  [
    'bedrock',
    'stone',
    'deepslate',
    'dirt',
    'grass_block',
    'sand',
    'gravel',
    'clay',
    'water',
    'oak_log',
    'birch_log',
    'oak_leaves',
    'birch_leaves',
    'dandelion',
    'poppy',
    'sugar_cane',
    'pumpkin'
  ].map((name) => [name, state(name)])
)
const GRASS = registry.blocksByName.short_grass ?? registry.blocksByName.grass

/**
 * Veins a column, size, and depths; more where low and high meet the peak (minecraft.wiki: Ore).
 * @type {{name: string, veins: number, size: number, low: number, high: number, peak?: number}[]}
 */
const ORES = [
  { name: 'coal', veins: 20, size: 10, low: 0, high: 110 },
  { name: 'copper', veins: 8, size: 8, low: -16, high: 80, peak: 48 },
  { name: 'iron', veins: 12, size: 7, low: -40, high: 64, peak: 16 },
  { name: 'gold', veins: 2, size: 7, low: -64, high: 32, peak: -16 },
  { name: 'redstone', veins: 6, size: 7, low: -64, high: 15, peak: -60 },
  { name: 'lapis', veins: 1, size: 6, low: -64, high: 60, peak: 0 },
  { name: 'diamond', veins: 1, size: 5, low: -64, high: 14, peak: -60 }
]
const EARTH = [
  { name: 'gravel', veins: 4, size: 24, low: -60, high: 70 },
  { name: 'dirt', veins: 4, size: 24, low: 0, high: 70 }
]

/** @param {number} seed */
export function naturalTerrain(seed) {
  const heightAt = (/** @type {number} */ x, /** @type {number} */ z) =>
    Math.floor(HILLS.middle + HILLS.height * fractal(seed, x / HILLS.blocks, z / HILLS.blocks, 4))

  /** @param {number} chunkX @param {number} chunkZ */
  function column(chunkX, chunkZ) {
    const made = new Column()
    const random = columnRandom(seed, chunkX, chunkZ)
    const heights = Array.from({ length: 256 }, (_, i) =>
      heightAt(chunkX * 16 + (i & 15), chunkZ * 16 + (i >> 4))
    )
    fillRock(made, Math.min(...heights) - 5)
    for (let i = 0; i < 256; i++) {
      const [x, z] = [i & 15, i >> 4]
      layerGround(made, x, z, heights[i], chunkX * 16 + x, chunkZ * 16 + z, heights)
    }
    for (const ore of [...EARTH, ...ORES]) addVeins(made, ore, random)
    addPlants(made, chunkX, chunkZ, heights, random)
    setBiome(
      made,
      registry.biomesByName[woodsAt(chunkX, chunkZ) > WOODS_FROM ? 'forest' : 'plains'].id
    )
    return made
  }

  /** Rock up to below the surface, whole sections at once. @param {any} made @param {number} top */
  function fillRock(made, top) {
    const Section = Column.section
    made.sections.forEach((/** @type {any} */ _, /** @type {number} */ index) => {
      const y = BOTTOM + index * 16
      if (y + 15 > top) return
      const singleValue = y < DEEPSLATE_BELOW ? S.deepslate : S.stone
      made.sections[index] = new Section({ singleValue, maxBitsPerBlock: made.maxBitsPerBlock })
    })
    for (let i = 0; i < 256; i++) put(made, i & 15, BOTTOM, i >> 4, S.bedrock)
  }

  /** @param {any} made @param {number} x @param {number} z @param {number} height @param {number} worldX @param {number} worldZ @param {number[]} heights */
  function layerGround(made, x, z, height, worldX, worldZ, heights) {
    const start = Math.floor((Math.min(...heights) - 5 - BOTTOM + 1) / 16) * 16 + BOTTOM
    const bed = bedAt(worldX, worldZ)
    for (let y = start; y <= height; y++) {
      const depth = height - y
      put(made, x, y, z, groundAt(depth, height, bed))
    }
    for (let y = height + 1; y <= SEA_LEVEL; y++) put(made, x, y, z, S.water)
  }

  /** What lies under water here. @param {number} x @param {number} z */
  function bedAt(x, z) {
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

  /** @param {any} made @param {{name: string, veins: number, size: number, low: number, high: number, peak?: number}} ore @param {() => number} random */
  function addVeins(made, { name, veins, size, low, high, peak }, random) {
    const inStone = state(registry.blocksByName[`${name}_ore`] ? `${name}_ore` : name)
    const inDeepslate = state(
      registry.blocksByName[`deepslate_${name}_ore`] ? `deepslate_${name}_ore` : name
    )
    for (let vein = 0; vein < veins; vein++) {
      let x = Math.floor(random() * 16)
      let z = Math.floor(random() * 16)
      const even = low + random() * (high - low)
      let y = Math.floor(peak === undefined ? even : even + (peak - even) * random())
      for (let block = 0; block < size; block++) {
        const here = made.getBlockStateId({ x, y, z })
        if (here === S.stone) put(made, x, y, z, inStone)
        else if (here === S.deepslate) put(made, x, y, z, inDeepslate)
        const axis = Math.floor(random() * 3)
        const step = random() < 0.5 ? -1 : 1
        if (axis === 0) x = clamp(x + step, 0, 15)
        else if (axis === 1) y = clamp(y + step, BOTTOM + 1, 200)
        else z = clamp(z + step, 0, 15)
      }
    }
  }

  /** @param {number} chunkX @param {number} chunkZ @returns {number} above WOODS_FROM in the woods */
  const woodsAt = (chunkX, chunkZ) =>
    fractal(seed + 31, (chunkX * 16) / WOODS_BLOCKS, (chunkZ * 16) / WOODS_BLOCKS, 2)

  /** @param {any} made @param {number} chunkX @param {number} chunkZ @param {number[]} heights @param {() => number} random */
  function addPlants(made, chunkX, chunkZ, heights, random) {
    const woods = woodsAt(chunkX, chunkZ)
    const trees = woods > WOODS_FROM ? 4 + Math.floor(random() * 5) : Math.floor(random() * 1.6)
    const isBirch = hash(seed, chunkX >> 2, chunkZ >> 2, 5) < 0.35
    for (let tree = 0; tree < trees; tree++) {
      const x = TREE_MARGIN + Math.floor(random() * (16 - 2 * TREE_MARGIN))
      const z = TREE_MARGIN + Math.floor(random() * (16 - 2 * TREE_MARGIN))
      plantTree(made, x, heights[z * 16 + x] + 1, z, 4 + Math.floor(random() * 3), isBirch)
    }
    for (let plant = 0; plant < 24; plant++) {
      const [x, z] = [Math.floor(random() * 16), Math.floor(random() * 16)]
      const kind = random()
      sow(made, x, heights[z * 16 + x] + 1, z, kind)
    }
  }

  /** @param {any} made @param {number} x @param {number} y @param {number} z @param {number} kind in [0, 1) */
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

  /** @param {any} made @param {number} x @param {number} y @param {number} z @param {number} tall @param {boolean} isBirch */
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

  /** The first dry, open grass from the middle outwards. */
  function spawn() {
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

  return { column, spawn }
}

/** @param {any} made @param {number} x @param {number} y @param {number} z @param {number} value */
const put = (made, x, y, z, value) => made.setBlockStateId({ x, y, z }, value)

/** @param {number} value @param {number} low @param {number} high */
const clamp = (value, low, high) => Math.max(low, Math.min(high, value))
