/** Land that Minecraft, or another program, has made: read from the region files of its world. */
import { join } from 'node:path'
import { columnFrom, listIn } from '../anvil/columns.js'
import { readLevel, spawnOf } from '../anvil/level.js'
import { Regions } from '../anvil/region.js'
import { Column, registry } from '../minecraft.js'
import { setBiome } from './superflat.js'

/** @import { Column as ColumnType, Tag } from '../types.d.ts' */

/**
 * @param {string} folder of the world
 * @param {(line: string) => void} say told of what cannot be read, each thing once
 */
export function anvilTerrain(folder, say) {
  const regions = new Regions(join(folder, 'region'))
  /** @type {Set<string>} */
  const told = new Set()
  const tell = (/** @type {string} */ line) => {
    if (!told.has(line)) say(line)
    told.add(line)
  }
  const onUnknown = (/** @type {string} */ name) =>
    tell(`the world has ${name}, which there is not here: it is left out`)

  /** @param {number} x @param {number} z @returns {{column: ColumnType | null, blockEntities: Tag[]}} */
  function read(x, z) {
    try {
      const tag = regions.read(x, z)
      const column = tag && columnFrom(tag, onUnknown)
      return { column, blockEntities: tag && column ? listIn(tag, 'block_entities') : [] }
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      tell(`column ${x}, ${z} of the world cannot be read and is empty here: ${message}`)
      return { column: null, blockEntities: [] }
    }
  }

  return {
    column: (/** @type {number} */ x, /** @type {number} */ z) => read(x, z).column ?? nothing(),
    /** What is told of single blocks of a column. */
    blockEntities: (/** @type {number} */ x, /** @type {number} */ z) => read(x, z).blockEntities,
    spawn: () => spawnOf(readLevel(folder))
  }
}

/** A column where nothing was made. */
function nothing() {
  const column = new Column()
  setBiome(column, registry.biomesByName.the_void.id)
  return column
}
