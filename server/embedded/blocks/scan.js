/** Scanning: find blocks of a kind in a column by its palettes. */
import { registry, Vec3 } from '../minecraft/index.js'

/** @import { Section, Server } from '../types/index.d.ts' */

/**
 * @param {Server} serv @param {number} chunkX @param {number} chunkZ of a loaded column
 * @param {(name: string) => boolean} isWanted @returns {Generator<{position: Vec3, name: string}>}
 */
export function* blocksIn(serv, chunkX, chunkZ, isWanted) {
  const column = serv.columnAt(chunkX, chunkZ)
  for (const [index, section] of column.sections.entries()) {
    if (!section.solidBlockCount || !mayHold(section, isWanted)) continue
    for (let at = 0; at < 4096; at++) {
      const [x, y, z] = [at & 15, (at >> 8) + index * 16 + column.minY, (at >> 4) & 15]
      const { name } = registry.blocksByStateId[column.getBlockStateId({ x, y, z })]
      if (!isWanted(name)) continue
      yield { position: new Vec3(chunkX * 16 + x, y, chunkZ * 16 + z), name }
    }
  }
}

/**
 * Return true if a section's palette contains a wanted block.
 * @param {Section} section @param {(name: string) => boolean} isWanted
 */
function mayHold(section, isWanted) {
  const { palette, value } = section.data
  if (value !== undefined) return isWanted(registry.blocksByStateId[value]?.name ?? 'air')
  if (!palette) return true
  return palette.some((state) => isWanted(registry.blocksByStateId[state]?.name ?? 'air'))
}
