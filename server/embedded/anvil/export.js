/**
 * Writes a kept world as a world of Minecraft: `node export.js FROM TO AROUND`.
 *
 * A world of Minecraft that was played in is copied, with what changed in it. Of one that follows from a
 * seed those columns are written that changed, and all within AROUND columns of them and of the spawn.
 * Prints one JSON object: the columns that were written and those of them that had changed.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { partOf, plainOf } from '../commands/snbt.js'
import { itemFrom } from '../items.js'
import { Column, nbt, registry } from '../minecraft.js'
import { positionOf } from '../plugins/blocks.js'
import { kindOf } from '../plugins/block-entities.js'
import { signTag } from '../plugins/signs.js'
import { DAY_TICKS } from '../plugins/time.js'
import { openWorldFolder, unlock, WITHIN_ANVIL } from '../plugins/world-folder.js'
import { LAYERS } from '../terrain/superflat.js'
import { landOf } from '../terrain/index.js'
import { columnFrom, compounds, listIn, tagOf } from './columns.js'
import { readLevel, writeLevel } from './level.js'
import { columnsIn, entryOf, regionName, Regions, writeRegion } from './region.js'

/** @import { Column as ColumnType, Manifest, PacketItem, Tag, WorldState } from '../types.d.ts' */

/** What Minecraft makes anew, and what is ours. */
const NOT_COPIED = ['session.lock', WITHIN_ANVIL]

/** A world that is written, column by column. */
class Export {
  /** @param {string} folder @param {Manifest} manifest @param {string | null} anvil */
  constructor(folder, manifest, anvil) {
    this.folder = folder
    this.columns = manifest.columns
    this.land = landOf({ ...manifest, anvil, manifest }, (line) => console.error(line))
    /** @type {WorldState} */
    this.state = JSON.parse(readFileSync(join(folder, manifest.state), 'utf8'))
    this.opened = new Set(this.state.opened)
    this.own = entitiesOf(this.state)
  }

  /** @param {number} x @param {number} z @returns {ColumnType} as it is now */
  column(x, z) {
    const file = this.columns[`${x},${z}`]
    if (!file) return this.land.column(x, z)
    const column = new Column()
    column.load(gunzipSync(readFileSync(join(this.folder, file))))
    return column
  }

  /** @param {number} x @param {number} z @param {Tag | null} before what is kept of it where it is not ours @returns {Tag} */
  tag(x, z, before) {
    const column = this.column(x, z)
    const others = before ? listIn(before, 'block_entities') : []
    const entities = new Map([
      ...others.flatMap((tag) => this.stillThere(column, tag)),
      ...(this.own.get(`${x},${z}`) ?? new Map())
    ])
    const made = tagOf(column, x, z, named(column, entities))
    if (!before) return made
    const { sections, isLightOn, Heightmaps, block_entities } = /** @type {any} */ (made.value)
    const changed = { sections, isLightOn, Heightmaps, block_entities }
    return { type: 'compound', value: { .../** @type {object} */ (before.value), ...changed } }
  }

  /** What was told of a block that stands yet; what it held is told anew. @param {ColumnType} column @param {Tag} tag @returns {[string, Tag][]} */
  stillThere(column, tag) {
    const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(plainOf(tag, name)))
    const kind = String(plainOf(tag, 'id')).replace('minecraft:', '')
    if (kindOf(nameAt(column, x, y, z)) !== kind) return []
    const value = /** @type {Record<string, Tag>} */ ({ .../** @type {object} */ (tag.value) })
    if (this.opened.has(`${x >> 4},${z >> 4}`) && value.Items) value.Items = compounds([])
    return [[`${x},${y},${z}`, { type: 'compound', value }]]
  }
}

/** @param {ColumnType} column @param {number} x @param {number} y @param {number} z */
const nameAt = (column, x, y, z) =>
  registry.blocksByStateId[column.getBlockStateId({ x: x & 15, y, z: z & 15 })].name

/** @param {ColumnType} column @param {Map<string, Tag>} entities by position @returns {Tag[]} each with its kind and place */
const named = (column, entities) =>
  [...entities].flatMap(([id, { value }]) => {
    const { x, y, z } = positionOf(id)
    const kind = kindOf(nameAt(column, x, y, z))
    if (!kind) return []
    const place = { x: nbt.int(x), y: nbt.int(y), z: nbt.int(z), keepPacked: nbt.byte(0) }
    const parts = {
      .../** @type {object} */ (value),
      ...place,
      id: nbt.string(`minecraft:${kind}`)
    }
    return [nbt.comp(/** @type {any} */ (parts))]
  })

/** What a world's state tells of blocks: by column, then by position. @param {WorldState} state @returns {Map<string, Map<string, Tag>>} */
function entitiesOf({ containers, signs = [], blockData = [] }) {
  /** @type {[string, Tag][]} */
  const told = [...blockData]
  for (const [id, , items] of containers) told.push([id, itemsTag(items)])
  for (const [id, text] of signs) told.push([id, /** @type {any} */ (signTag(text))])
  /** @type {Map<string, Map<string, Tag>>} */
  const found = new Map()
  for (const [id, tag] of told) {
    const { x, z } = positionOf(id)
    const column = `${x >> 4},${z >> 4}`
    found.set(column, (found.get(column) ?? new Map()).set(id, tag))
  }
  return found
}

/** @param {(PacketItem | null)[]} items @returns {Tag} */
function itemsTag(items) {
  const stacks = items.flatMap((told, slot) => {
    const item = told && itemFrom(told)
    if (!item) return []
    const id = nbt.string(`minecraft:${item.name}`)
    const tag = item.nbt ? { tag: /** @type {any} */ (item.nbt) } : {}
    return [nbt.comp({ Slot: nbt.byte(slot), id, Count: nbt.byte(item.count), ...tag })]
  })
  return nbt.comp({ Items: compounds(stacks) })
}

/** @param {Iterable<string>} ids of columns @param {number} around @returns {Set<string>} these, and all near */
function near(ids, around) {
  const found = new Set()
  for (const id of ids) {
    const [x, z] = id.split(',').map(Number)
    for (let dx = -around; dx <= around; dx++)
      for (let dz = -around; dz <= around; dz++) found.add(`${x + dx},${z + dz}`)
  }
  return found
}

/** @param {Iterable<string>} ids @returns {Map<string, [number, number][]>} columns by the file they are in */
function byRegion(ids) {
  /** @type {Map<string, [number, number][]>} */
  const found = new Map()
  for (const id of ids) {
    const [x, z] = id.split(',').map(Number)
    const name = regionName(x, z)
    found.set(name, [...(found.get(name) ?? []), [x, z]])
  }
  return found
}

/** @param {string} from @param {string} to @param {number} around in columns @returns {{columns: number, changed: number}} */
function write(from, to, around) {
  const { folder, anvil, manifest } = openWorldFolder(from)
  try {
    if (!manifest) throw new Error(`nothing was kept in ${from}`)
    const world = new Export(folder, manifest, anvil)
    const { state } = world
    mkdirSync(join(to, 'region'), { recursive: true })
    if (anvil) copy(anvil, to)
    const [x, , z] = state.worldSpawn
    const changed = new Set([...Object.keys(manifest.columns), ...world.opened])
    const home = `${Math.floor(x) >> 4},${Math.floor(z) >> 4}`
    const wanted = anvil ? changed : near([home, ...changed], around)
    const regions = new Regions(join(anvil ?? to, 'region'))
    for (const [name, places] of byRegion(wanted)) {
      const columns = anvil ? columnsIn(regions, name) : new Map()
      for (const [cx, cz] of places) {
        const before = columns.get(entryOf(cx, cz)) ?? null
        const isRead = before && columnFrom(before, () => {})
        if (before && !isRead) continue // it was not made to the end, so nothing could change there
        columns.set(entryOf(cx, cz), world.tag(cx, cz, before))
      }
      writeRegion(join(to, 'region', name), columns)
    }
    regions.close()
    writeLevel(to, {
      before: anvil ? readLevel(anvil) : null,
      name: 'voxpolis',
      seed: manifest.seed,
      spawn: /** @type {[number, number, number]} */ (state.worldSpawn.map(Math.floor)),
      time: state.day * DAY_TICKS + state.time,
      difficulty: state.difficulty,
      gamerules: /** @type {Record<string, boolean | number>} */ (state.gamerules),
      layers: manifest.terrain === 'superflat' ? LAYERS : []
    })
    return { columns: wanted.size, changed: Object.keys(manifest.columns).length }
  } finally {
    unlock(folder)
  }
}

/** @param {string} anvil @param {string} to */
function copy(anvil, to) {
  for (const name of readdirSync(anvil)) {
    if (!NOT_COPIED.includes(name)) cpSync(join(anvil, name), join(to, name), { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to, around] = process.argv.slice(2)
  try {
    if (existsSync(to) && readdirSync(to).length) throw new Error(`${to} is not empty`)
    if (!existsSync(from)) throw new Error(`there is no ${from}`)
    console.log(JSON.stringify(write(resolve(from), resolve(to), Number(around))))
  } catch (error) {
    console.error(/** @type {Error} */ (error).message)
    process.exit(2)
  }
}
