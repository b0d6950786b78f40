/** Superflat terrain, vanilla's default: bedrock, two layers of dirt, grass. All columns are alike. */
import { Column, registry, Vec3 } from '../../minecraft/index.js'
import { newColumn } from './columns.js'

export const LAYERS = ['bedrock', 'dirt', 'dirt', 'grass_block'] // from the bottom of the world
const { plains } = registry.biomesByName

export function superflatTerrain() {
  const pattern = newColumn(plains.id)
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
