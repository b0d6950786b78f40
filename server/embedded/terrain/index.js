/**
 * Terrain: worlds that follow from their seed alone. Each generator returns
 * `column(chunkX, chunkZ)`, the same for the same seed, and `spawn()`, where players appear.
 */
import { naturalTerrain } from './natural.js'
import { superflatTerrain } from './superflat.js'

/** @import { Column, Vec3 } from '../types.d.ts' */

/** @type {Record<string, (seed: number) => {column: (chunkX: number, chunkZ: number) => Column, spawn: () => Vec3}>} */
export const generators = { superflat: superflatTerrain, natural: naturalTerrain }
