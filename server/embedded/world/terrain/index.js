/**
 * Terrain: a world's land, generated from its seed alone or read from the folder of a Minecraft
 * world.
 */
import { anvilTerrain } from './anvil.js'
import { naturalTerrain } from './natural.js'
import { superflatTerrain } from './superflat.js'

/** @import { Land, Manifest, Options } from '../../types/index.d.ts' */

/** @type {Record<string, (seed: number, hasCaves: boolean) => Land>} */
const generators = { superflat: superflatTerrain, natural: naturalTerrain }

/**
 * Return true if natural land has caves; worlds that were created before caves existed have none.
 * @param {Manifest | null} manifest
 */
export const hasCaves = (manifest) => manifest?.caves ?? !manifest

/**
 * @param {Options['world']} world
 * @param {(line: string) => void} say receives messages about unreadable content @returns {Land}
 */
export const landOf = ({ anvil, told, terrain, seed, manifest }, say) =>
  anvil
    ? anvilTerrain(anvil, told?.spawn ?? [0, 0, 0], say)
    : generators[terrain](seed, hasCaves(manifest))

/** Kinds of generated terrain. */
export const TERRAINS = Object.keys(generators)
