/**
 * Terrain: the land of a world. That of a seed follows from it alone; that of a world of Minecraft is
 * read from its folder.
 */
import { anvilTerrain } from './anvil.js'
import { naturalTerrain } from './natural.js'
import { superflatTerrain } from './superflat.js'

/** @import { Land, Manifest, Options } from '../../types/index.d.ts' */

/** @type {Record<string, (seed: number, hasCaves: boolean) => Land>} */
const generators = { superflat: superflatTerrain, natural: naturalTerrain }

/** Whether natural land has caves: in all worlds but those that were begun before there were any. @param {Manifest | null} manifest */
export const hasCaves = (manifest) => manifest?.caves ?? !manifest

/** @param {Options['world']} world @param {(line: string) => void} say told of what cannot be read @returns {Land} */
export const landOf = ({ anvil, told, terrain, seed, manifest }, say) =>
  anvil
    ? anvilTerrain(anvil, told?.spawn ?? [0, 0, 0], say)
    : generators[terrain](seed, hasCaves(manifest))

/** What a world without a folder of Minecraft's can be made of. */
export const TERRAINS = Object.keys(generators)
