/** Veins: ores, gravel and dirt in the rock. */
import { registry } from '../../minecraft/index.js'
import { BOTTOM, put, S, stateNamed } from './states.js'

/** @import { Column } from '../../types/index.d.ts' */

/**
 * Veins per column, their size and depths; if `peak` is given, veins are denser near it
 * (minecraft.wiki: Ore).
 * @typedef {{name: string, veins: number, size: number, low: number, high: number, peak?: number}} Ore
 */

/** @type {Ore[]} */
export const ORES = [
  { name: 'coal', veins: 20, size: 10, low: 0, high: 110 },
  { name: 'copper', veins: 8, size: 8, low: -16, high: 80, peak: 48 },
  { name: 'iron', veins: 12, size: 7, low: -40, high: 64, peak: 16 },
  { name: 'gold', veins: 2, size: 7, low: -64, high: 32, peak: -16 },
  { name: 'redstone', veins: 6, size: 7, low: -64, high: 15, peak: -60 },
  { name: 'lapis', veins: 1, size: 6, low: -64, high: 60, peak: 0 },
  { name: 'diamond', veins: 1, size: 5, low: -64, high: 14, peak: -60 }
]
/** @type {Ore[]} */
export const EARTH = [
  { name: 'gravel', veins: 4, size: 24, low: -60, high: 70 },
  { name: 'dirt', veins: 4, size: 24, low: 0, high: 70 }
]

/** @param {Column} made @param {Ore} ore @param {() => number} random */
export function addVeins(made, { name, veins, size, low, high, peak }, random) {
  const inStone = stateNamed(registry.blocksByName[`${name}_ore`] ? `${name}_ore` : name)
  const inDeepslate = stateNamed(
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

/** @param {number} value @param {number} low @param {number} high */
const clamp = (value, low, high) => Math.max(low, Math.min(high, value))
