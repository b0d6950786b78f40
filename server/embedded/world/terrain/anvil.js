/**
 * Land of a Minecraft world, written by Minecraft or another program and read from its region
 * files.
 */
import { join } from 'node:path'
import { columnFrom, listIn } from '../anvil/columns.js'
import { entitiesIn, isTaken, kindOf, sound } from '../anvil/mobs.js'
import { Regions } from '../anvil/region.js'
import { partOf } from '../../minecraft/snbt.js'
import { registry, Vec3 } from '../../minecraft/index.js'
import { newColumn } from './columns.js'

/** @import { Column as ColumnType, Tag } from '../../types/index.d.ts' */

/** @typedef {{column: ColumnType | null, blockEntities: Tag[]}} Read */

/** Maximum number of messages about unreadable content. */
const MOST_TOLD = 50

/**
 * @param {string} folder of the world @param {[number, number, number]} spawn
 * @param {(line: string) => void} say receives a message about unreadable content, once for each
 */
export function anvilTerrain(folder, spawn, say) {
  const regions = new Regions(join(folder, 'region'))
  const peopled = new Regions(join(folder, 'entities'))
  /** @type {Set<string>} */
  const told = new Set()
  const tell = (/** @type {string} */ line) => {
    if (told.has(line) || told.size > MOST_TOLD) return
    told.add(line)
    say(told.size > MOST_TOLD ? 'further content of the world cannot be read' : line)
  }
  const onUnknown = (/** @type {string} */ name) =>
    tell(`the world contains ${name}, which is unknown here and left out`)

  /** @param {number} x @param {number} z @returns {Read} */
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

  /** @param {number} x @param {number} z @returns {Tag[]} */
  function mobs(x, z) {
    try {
      const entities = entitiesIn(peopled.read(x, z))
      const taken = entities.filter((tag) => isTaken(tag, x, z))
      for (const tag of entities) {
        if (taken.includes(tag)) continue
        const kind = `${kindOf(tag) || 'an entity'}${partOf(tag, 'Passengers') ? ' with riders' : ''}`
        tell(`the world contains ${kind}: it stays in the files, but does not appear here`)
      }
      return taken.map(sound)
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      tell(`the mobs in column ${x}, ${z} of the world cannot be read: ${message}`)
      return []
    }
  }

  /** Cache: after a column's blocks are requested, its block entities are requested next. */
  let last = { id: '', blockEntities: /** @type {Tag[]} */ ([]) }

  return {
    column: (/** @type {number} */ x, /** @type {number} */ z) => {
      const { column, blockEntities } = read(x, z)
      last = { id: `${x},${z}`, blockEntities }
      return column ?? nothing()
    },
    /** Return the block entities of a column. */
    blockEntities: (/** @type {number} */ x, /** @type {number} */ z) =>
      last.id === `${x},${z}` ? last.blockEntities : read(x, z).blockEntities,
    /** Return the supported mobs of a column. */
    mobs: (/** @type {number} */ x, /** @type {number} */ z) => mobs(x, z),
    spawn: () => new Vec3(...spawn)
  }
}

/** Return an empty column. */
const nothing = () => newColumn(registry.biomesByName.the_void.id)
