/**
 * The Nether: a single storey of netherrack halls between a floor and a roof of bedrock, with pools
 * of lava and with glowstone under the ceiling, generated from the seed. It has vanilla's height
 * range and one biome.
 */
import { registry } from '../../minecraft/index.js'
import { newColumn } from './columns.js'
import { fractal, hash } from './noise.js'
import { put, stateNamed } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */

const [BEDROCK, NETHERRACK, LAVA, GLOWSTONE] = ['bedrock', 'netherrack', 'lava', 'glowstone'].map(
  stateNamed
)
const ROOF = 127
/** Layers that are open except where the terrain reaches into them. */
const HALL = { bottom: 48, top: 80 }
/** Mean height of floor and ceiling, and their variation. */
const FLOOR = { mean: 50, way: 8 }
const CEILING = { mean: 76, way: 12 }
const POOL_Y = 46
const WIDTH = 48
const GLOW_CHANCE = 1 / 60
const SALT = { floor: 71, ceiling: 72, glow: 73 }

/** @param {number} bottom of a section */
const sectionFrom = (bottom) => {
  if (bottom < 0 || bottom > ROOF) return 0
  return bottom >= HALL.bottom && bottom < HALL.top ? 0 : NETHERRACK
}

/**
 * @param {number} seed @param {number} chunkX in the Nether @param {number} chunkZ
 * @returns {Column}
 */
export function netherColumn(seed, chunkX, chunkZ) {
  const made = newColumn(registry.biomesByName.nether_wastes.id, sectionFrom)
  for (let x = 0; x < 16; x++) {
    for (let z = 0; z < 16; z++) fill(made, seed, x, z, chunkX * 16 + x, chunkZ * 16 + z)
  }
  return made
}

/**
 * @param {Column} made @param {number} seed @param {number} x @param {number} z in the column
 * @param {number} wx @param {number} wz in the Nether
 */
function fill(made, seed, x, z, wx, wz) {
  const height = (
    /** @type {{mean: number, way: number}} */ { mean, way },
    /** @type {number} */ salt
  ) => Math.round(mean + way * fractal(seed + salt, wx / WIDTH, wz / WIDTH, 2))
  const [floor, ceiling] = [height(FLOOR, SALT.floor), height(CEILING, SALT.ceiling)]
  put(made, x, 0, z, BEDROCK)
  put(made, x, ROOF, z, BEDROCK)
  for (let y = HALL.bottom; y < floor; y++) put(made, x, y, z, NETHERRACK)
  for (let y = floor; y < HALL.bottom; y++) put(made, x, y, z, y < POOL_Y ? LAVA : 0)
  for (let y = ceiling; y < HALL.top; y++) put(made, x, y, z, NETHERRACK)
  for (let y = HALL.top; y < ceiling; y++) put(made, x, y, z, 0)
  if (hash(seed, wx, wz, SALT.glow) < GLOW_CHANCE) put(made, x, ceiling - 1, z, GLOWSTONE)
}
