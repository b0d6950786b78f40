/**
 * Export a saved world as a Minecraft world: `node export.js FROM TO AROUND`.
 *
 * If FROM is a Minecraft world, it is copied, and changed columns are merged in; the rest stays the
 * same byte for byte. For a generated world, the changed columns and all columns within AROUND of
 * them and of the spawn are written. TO appears only once it is complete. The output is one JSON
 * object: the number of written columns, how many of them had changed, and whether the rest is a
 * copy.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { plainOf } from '../../minecraft/snbt.js'
import { Column } from '../../minecraft/index.js'
import { DAY_TICKS } from '../time.js'
import { openWorldFolder, readManifest, unlock, WITHIN_ANVIL } from '../world-folder.js'
import { LAYERS } from '../terrain/superflat.js'
import { landOf } from '../terrain/index.js'
import { barParts, writeBoard } from './board.js'
import { isNetherColumn } from '../dimensions.js'
import { columnFrom, listIn, tagOf, mergedColumn } from './columns.js'
import { entitiesOf, isSameReport, toldBy, toldIn } from './entities.js'
import { isAnvil, readLevel, writeLevel } from './level.js'
import { entitiesTag, livingIn } from './mobs.js'
import { RegionFile, regionName, Regions } from './region.js'

/** @import { Column as ColumnType, Manifest, Tag, WorldState } from '../../types/index.d.ts' */

/**
 * Files that are not copied: Minecraft creates them, they belong to this server, or the export
 * writes them.
 */
const NOT_COPIED = ['session.lock', WITHIN_ANVIL, 'level.dat']

/** A world that is exported column by column. */
class Export {
  /** @param {string} folder @param {Manifest} manifest @param {string | null} anvil */
  constructor(folder, manifest, anvil) {
    this.folder = folder
    this.anvil = anvil
    this.columns = manifest.columns
    this.land = anvil ? null : landOf({ ...manifest, anvil, manifest }, () => {})
    this.regions = anvil ? new Regions(join(anvil, 'region')) : null
    /** @type {WorldState} */
    this.state = JSON.parse(readFileSync(join(folder, manifest.state), 'utf8'))
    this.opened = new Set(this.state.opened)
    this.told = toldIn(this.state)
    this.peopled = new Set(this.state.peopled)
    this.living = livingIn(this.state.animals ?? [])
    this.entities = anvil ? new Regions(join(anvil, 'entities')) : null
  }

  /**
   * @param {number} around in columns
   * @returns {Iterable<string>} columns that may need to be written
   */
  wanted(around) {
    const all = [...Object.keys(this.columns), ...this.opened]
    const changed = all.filter((id) => !isNetherColumn(Number(id.split(',')[0])))
    if (this.anvil) return new Set(changed)
    const [x, , z] = this.state.worldSpawn
    return near([`${Math.floor(x) >> 4},${Math.floor(z) >> 4}`, ...changed], around)
  }

  /**
   * @param {number} x @param {number} z
   * @returns {ColumnType | null} the changed column; null if no block in it changed
   */
  kept(x, z) {
    const file = this.columns[`${x},${z}`]
    if (!file) return null
    const column = new Column()
    column.load(gunzipSync(readFileSync(join(this.folder, file))))
    return column
  }

  /**
   * @param {number} x @param {number} z
   * @returns {{before: Tag, was: ColumnType} | null} the original column; null if it is missing or unreadable
   */
  original(x, z) {
    try {
      const before = this.regions?.read(x, z)
      const was = before && columnFrom(before, () => {})
      return was ? { before, was } : null
    } catch {
      return null
    }
  }

  /**
   * Return a column's entities.
   * @param {number} chunkX @param {number} chunkZ
   * @returns {Tag | null} null if unchanged or unreadable
   */
  entitiesTag(chunkX, chunkZ) {
    const id = `${chunkX},${chunkZ}`
    const [isRead, living] = [this.peopled.has(id), this.living.get(id) ?? []]
    try {
      const before = this.entities?.read(chunkX, chunkZ) ?? null
      return entitiesTag({ chunkX, chunkZ, before, isRead, living, ticks: this.state.ticks })
    } catch {
      return null
    }
  }

  /** @param {number} chunkX @param {number} chunkZ @returns {Tag | null} null if unchanged */
  tag(chunkX, chunkZ) {
    const id = `${chunkX},${chunkZ}`
    const told = this.told.get(id) ?? new Map()
    const kept = this.kept(chunkX, chunkZ)
    const isChanged = kept !== null
    const original = this.original(chunkX, chunkZ)
    if (!original) {
      const now = kept ?? this.land?.column(chunkX, chunkZ)
      if (!now) return null
      const column = { now, was: null, chunkX, chunkZ, tags: [], read: null, told, isChanged }
      return tagOf(now, chunkX, chunkZ, entitiesOf(column))
    }
    const { before, was } = original
    const tags = listIn(before, 'block_entities')
    const read = this.opened.has(id) ? toldBy(was, chunkX, chunkZ, tags) : null
    if (!kept && isSameReport(read ?? new Map(), told)) return null
    const now = kept ?? was
    const column = { now, was, chunkX, chunkZ, tags, read, told, isChanged }
    return mergedColumn(before, was, now, entitiesOf(column))
  }
}

/**
 * @param {Iterable<string>} ids of columns @param {number} around
 * @returns {Set<string>} these columns and all that are near them
 */
function near(ids, around) {
  const found = new Set()
  for (const id of ids) {
    const [x, z] = id.split(',').map(Number)
    for (let dx = -around; dx <= around; dx++)
      for (let dz = -around; dz <= around; dz++) found.add(`${x + dx},${z + dz}`)
  }
  return found
}

/** @param {Iterable<string>} ids @returns {Map<string, [number, number][]>} columns by region file */
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

/**
 * @param {string} from @param {string} to a folder that is made @param {number} around in columns
 * @returns {{columns: number, changed: number, copied: boolean}}
 */
function write(from, to, around) {
  const { folder, anvil, manifest } = openWorldFolder(from)
  try {
    if (!manifest) throw new Error(`there is no saved world in ${from}`)
    const world = new Export(folder, manifest, anvil)
    mkdirSync(join(to, 'region'), { recursive: true })
    if (anvil) copy(anvil, to)
    const wanted = world.wanted(around)
    const columns = writeColumns(wanted, join(to, 'region'), (x, z) => world.tag(x, z))
    mkdirSync(join(to, 'entities'), { recursive: true })
    const peopled = new Set([...world.peopled, ...world.living.keys()])
    writeColumns(peopled, join(to, 'entities'), (x, z) => world.entitiesTag(x, z))
    world.regions?.close()
    world.entities?.close()
    writeRules(world.state, manifest, anvil, to)
    return { columns, changed: Object.keys(manifest.columns).length, copied: anvil !== null }
  } finally {
    unlock(folder)
  }
}

/**
 * @param {Iterable<string>} ids of columns @param {string} folder of region files
 * @param {(x: number, z: number) => Tag | null} written content to write, if any
 * @returns {number} number of written columns
 */
function writeColumns(ids, folder, written) {
  let count = 0
  for (const [name, places] of byRegion(ids)) {
    /** @type {RegionFile | null} */
    let region = null
    for (const [x, z] of places) {
      const tag = written(x, z)
      if (!tag) continue
      region ??= new RegionFile(join(folder, name))
      region.put(x, z, tag)
      count++
    }
    region?.close()
  }
  return count
}

/**
 * @param {WorldState} state @param {Manifest} manifest @param {string | null} anvil
 * @param {string} to
 */
function writeRules(state, manifest, anvil, to) {
  const before = anvil ? readLevel(anvil) : null
  if (state.board) writeBoard(to, state.board)
  const rules = before ? plainOf(before, 'GameRules') : {}
  writeLevel(to, {
    before,
    name: 'voxpolis',
    seed: manifest.seed,
    spawn: /** @type {[number, number, number]} */ (state.worldSpawn.map(Math.floor)),
    time: state.day * DAY_TICKS + state.time,
    difficulty: state.difficulty,
    parts: state.board ? barParts(state.board) : {},
    gamerules: { ...rules, .../** @type {Record<string, boolean | number>} */ (state.gamerules) },
    layers: manifest.terrain === 'superflat' ? LAYERS : []
  })
}

/** @param {string} anvil @param {string} to */
function copy(anvil, to) {
  for (const name of readdirSync(anvil)) {
    // The targets of links are copied too, so that writing cannot affect the original world.
    const options = { recursive: true, dereference: true }
    if (!NOT_COPIED.includes(name)) cpSync(join(anvil, name), join(to, name), options)
  }
}

/**
 * Check everything before writing anything.
 * @param {string} from @param {string} to @throws {Error} the export is impossible
 */
function check(from, to) {
  if (!existsSync(from)) throw new Error(`there is no ${from}`)
  const [one, other] = [realPath(from), realPath(to)]
  if (isWithin(one, other) || isWithin(other, one)) {
    throw new Error(`${to} and ${from} must not lie within each other; choose another folder`)
  }
  if (existsSync(to) && readdirSync(to).length) throw new Error(`${to} is not empty`)
  if (basename(one) === WITHIN_ANVIL && isAnvil(dirname(one))) {
    throw new Error(
      `${from} contains only the changes of the world ${dirname(from)}; give that folder`
    )
  }
  if (!readManifest(isAnvil(from) ? join(from, WITHIN_ANVIL) : from)) {
    throw new Error(`there is no saved world in ${from}`)
  }
}

/** @param {string} path @returns {string} with links resolved; the last parts need not exist yet */
function realPath(path) {
  if (existsSync(path)) return realpathSync(path)
  return join(realPath(dirname(path)), basename(path))
}

/** @param {string} folder @param {string} other */
const isWithin = (folder, other) => `${folder}${sep}`.startsWith(`${other}${sep}`)

/**
 * Write to a temporary folder, then rename it.
 * @param {string} from @param {string} to @param {number} around
 */
function exportWorld(from, to, around) {
  check(from, to)
  const place = realPath(to)
  const part = `${place}.${process.pid}.part`
  const made = mkdirSync(part, { recursive: true }) ?? part
  try {
    const written = write(from, part, around)
    if (existsSync(place)) rmdirSync(place)
    renameSync(part, place)
    return written
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to, around] = process.argv.slice(2)
  try {
    console.log(JSON.stringify(exportWorld(resolve(from), resolve(to), Number(around))))
  } catch (error) {
    console.error(/** @type {Error} */ (error).message)
    process.exit(2)
  }
}
