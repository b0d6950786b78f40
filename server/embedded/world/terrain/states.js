/** Block states in terrain, and its levels. */
import { registry } from '../../minecraft/index.js'

/** @import { Column } from '../../types/index.d.ts' */

export const SEA_LEVEL = 62
export const BOTTOM = -64

/** @param {string} name @returns {number} id of its default state */
export const stateNamed = (name) => registry.blocksByName[name].defaultState

export const S = Object.fromEntries(
  [
    'air',
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
  ].map((name) => [name, stateNamed(name)])
)

/** @param {Column} made @param {number} x @param {number} y @param {number} z @param {number} value */
export function put(made, x, y, z, value) {
  made.sections[(y - BOTTOM) >> 4]?.set({ x, y: y & 15, z }, value)
}
