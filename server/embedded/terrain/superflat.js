/** Superflat as vanilla's default: bedrock, two layers of dirt, grass. Every column alike. */
import { Column, registry, Vec3 } from '../minecraft.js'

export const LAYERS = ['bedrock', 'dirt', 'dirt', 'grass_block'] // from the bottom of the world
const { plains } = registry.biomesByName

export function superflatTerrain() {
  const pattern = new Column()
  for (let x = 0; x < 16; x++) {
    for (let z = 0; z < 16; z++) {
      LAYERS.forEach((name, layer) =>
        pattern.setBlockStateId(
          { x, y: pattern.minY + layer, z },
          registry.blocksByName[name].defaultState
        )
      )
    }
  }
  setBiome(pattern, plains.id)
  const bytes = pattern.dump()
  return {
    column: () => {
      const column = new Column()
      column.load(bytes)
      return column
    },
    spawn: () => new Vec3(8, pattern.minY + LAYERS.length, 8)
  }
}

/** @param {Column} column @param {number} biome */
export function setBiome(column, biome) {
  for (let y = column.minY; y < column.minY + column.worldHeight; y += 4) {
    for (let x = 0; x < 16; x += 4) {
      for (let z = 0; z < 16; z += 4) column.setBiome({ x, y, z }, biome)
    }
  }
}
