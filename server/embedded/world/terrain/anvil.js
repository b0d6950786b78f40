/** Land that Minecraft, or another program, has made: read from the region files of its world. */
import { join } from 'node:path'
import { columnFrom, listIn } from '../anvil/columns.js'
import { entitiesIn, isTaken, kindOf, sound } from '../anvil/mobs.js'
import { Regions } from '../anvil/region.js'
import { partOf } from '../../minecraft/snbt.js'
import { registry, Vec3 } from '../../minecraft/index.js'
import { newColumn } from './columns.js'

/** @import { Column as ColumnType, Tag } from '../../types/index.d.ts' */

/** @typedef {{column: ColumnType | null, blockEntities: Tag[]}} Read */

/** How many things that cannot be read are told. */
const MOST_TOLD = 50

/**
 * @param {string} folder of the world
 * @param {[number, number, number]} spawn
 * @param {(line: string) => void} say told of what cannot be read, each thing once
 */
export function anvilTerrain(folder, spawn, say) {
  const regions = new Regions(join(folder, 'region'))
  const peopled = new Regions(join(folder, 'entities'))
  /** @type {Set<string>} */
  const told = new Set()
  const tell = (/** @type {string} */ line) => {
    if (told.has(line) || told.size > MOST_TOLD) return
    told.add(line)
    say(told.size > MOST_TOLD ? 'more of the world cannot be read' : line)
  }
  const onUnknown = (/** @type {string} */ name) =>
    tell(`the world has ${name}, which there is not here: it is left out`)

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
        tell(`the world has ${kind}: it stays there, and is not here`)
      }
      return taken.map(sound)
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      tell(`what lives in column ${x}, ${z} of the world cannot be read: ${message}`)
      return []
    }
  }

  /** A column's blocks are asked for, and then what they hold. */
  let last = { id: '', blockEntities: /** @type {Tag[]} */ ([]) }

  return {
    column: (/** @type {number} */ x, /** @type {number} */ z) => {
      const { column, blockEntities } = read(x, z)
      last = { id: `${x},${z}`, blockEntities }
      return column ?? nothing()
    },
    /** What is told of single blocks of a column. */
    blockEntities: (/** @type {number} */ x, /** @type {number} */ z) =>
      last.id === `${x},${z}` ? last.blockEntities : read(x, z).blockEntities,
    /** What lives in a column, and is taken. */
    mobs: (/** @type {number} */ x, /** @type {number} */ z) => mobs(x, z),
    spawn: () => new Vec3(...spawn)
  }
}

/** A column where nothing was made. */
const nothing = () => newColumn(registry.biomesByName.the_void.id)
