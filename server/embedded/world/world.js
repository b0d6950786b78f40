/**
 * World: the columns of all dimensions (dimensions.js), and the only function that changes a block.
 *
 * Columns are generated from the seed when first accessed. `setBlock` is synchronous, so that
 * nothing can happen between a check and its change.
 */
import { Vec3, World } from '../minecraft/index.js'
import { landOf } from './terrain/index.js'
import { netherColumn } from './terrain/nether.js'
import { stateAt } from '../blocks/blocks.js'
import { isNetherColumn, mayHoldBlocks, NETHER_X } from './dimensions.js'

/** @import { Options, Server } from '../types/index.d.ts' */

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  const { terrain, seed } = options.world
  const land = landOf(options.world, (line) => serv.err(line))
  const world = new World(land.column, null)
  world.unloadColumn = () => {}
  Object.assign(serv, { overworld: world, seed, terrain, land })
  Object.assign(serv, { worldSpawn: land.spawn(), spawnAngle: 0, forced: new Set() })

  /** Return a column, generating it if needed. */
  serv.columnAt = (chunkX, chunkZ) => {
    const loaded = world.getLoadedColumn(chunkX, chunkZ)
    if (loaded) return loaded
    const column = isNetherColumn(chunkX)
      ? netherColumn(seed, chunkX - (NETHER_X >> 4), chunkZ)
      : land.column(chunkX, chunkZ)
    world.setLoadedColumn(chunkX, chunkZ, column, false)
    serv.emit('columnMade', chunkX, chunkZ)
    return column
  }

  /** Generate all columns that a box touches. */
  serv.loadBox = (low, high) => {
    for (let x = low.x >> 4; x <= high.x >> 4; x++) {
      for (let z = low.z >> 4; z <= high.z >> 4; z++) serv.columnAt(x, z)
    }
  }

  /** Change a block at whole coordinates; return true if anything changed. */
  serv.setBlock = (position, state) => {
    const { x, y, z } = position
    const before = stateAt(world, position)
    const column = serv.columnAt(x >> 4, z >> 4)
    if (before === state || !mayHoldBlocks(position)) return false
    column.setBlockStateId({ x: x & 15, y, z: z & 15 }, state)
    serv.emit('blockChanged', new Vec3(x, y, z), before, state)
    return true
  }
}
