/**
 * Saving: a world folder that is whole at every moment, whatever kills the server.
 *
 * Only what differs from the seed's terrain is kept. Each save writes new files and then, in one
 * rename, `world.json`, which says which files count; those that no longer count go afterwards. A
 * server that is killed loses what happened since the last save, a few seconds, and nothing else.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { Column, Item, Vec3 } from '../minecraft.js'

const FORMAT = 1
const SAVE_TICKS = 40 // 2 seconds
const MANIFEST = 'world.json'
const LOCK = 'world.lock'
const compress = promisify(gzip)

/** A folder that cannot be used; the message says why. */
export class WorldFolderError extends Error {}

/**
 * @param {string} folder made if need be
 * @returns {any} its manifest, or null for a new world
 * @throws {WorldFolderError}
 */
export function openWorldFolder(folder) {
  try {
    mkdirSync(join(folder, 'columns'), { recursive: true })
    lock(folder)
    if (!existsSync(join(folder, MANIFEST))) return null
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
    if (manifest.format !== FORMAT)
      throw new Error(`its format is ${manifest.format}, not ${FORMAT}`)
    return manifest
  } catch (error) {
    if (error instanceof WorldFolderError) throw error
    throw new WorldFolderError(
      `cannot use the world in ${folder}: ${/** @type {Error} */ (error).message}`
    )
  }
}

/** One server a folder. @param {string} folder */
function lock(folder) {
  const path = join(folder, LOCK)
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (owner && owner !== process.pid && isAlive(owner)) {
    throw new WorldFolderError(`the world in ${folder} is in use by process ${owner}`)
  }
  writeFileSync(path, String(process.pid))
}

/** @param {number} pid */
function isAlive(pid) {
  // A killed process may stay in the table until its parent looks; it has no command line then.
  if (existsSync('/proc/self/cmdline')) {
    const path = `/proc/${pid}/cmdline`
    return existsSync(path) && readFileSync(path, 'utf8').includes('embedded')
  }
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  const { folder, manifest } = options.world
  if (!folder) return
  /** @type {Record<string, string>} column → file */
  let columns = { ...manifest?.columns }
  let generation = manifest?.generation ?? 0
  /** @type {Set<string>} */
  let dirty = new Set()
  let isQuiet = true
  /** @type {Promise<void>} */
  let saving = Promise.resolve()

  serv.once('asap', () => {
    if (manifest) restore()
    serv.on('blockChanged', (/** @type {any} */ { x, z }) => {
      dirty.add(`${x >> 4},${z >> 4}`)
      isQuiet = false
    })
    serv.on('tick', () => {
      if (serv.players.length) isQuiet = false
      if (serv.tickCount % SAVE_TICKS === 0 && !isQuiet) serv.saveWorld()
    })
  })

  /** Saves the world as it is now. @returns {Promise<void>} settled when it is on the disk */
  serv.saveWorld = () => {
    const columnsNow = [...dirty].map((id) => [id, bytesOf(id)])
    const state = JSON.stringify(stateNow())
    dirty = new Set()
    isQuiet = true
    generation += 1
    const number = generation
    saving = saving.then(() => write(number, /** @type {[string, Buffer][]} */ (columnsNow), state))
    return saving
  }

  /** @param {string} id */
  function bytesOf(id) {
    const [x, z] = id.split(',').map(Number)
    return serv.columnAt(x, z).dump()
  }

  /** @param {number} number @param {[string, Buffer][]} changed @param {string} state */
  async function write(number, changed, state) {
    const before = columns
    try {
      const next = { ...columns }
      await mkdir(join(folder, 'columns'), { recursive: true })
      for (const [id, bytes] of changed) {
        const file = `columns/${id.replace(',', '_')}.${number}.gz`
        await writeFile(join(folder, file), await compress(bytes))
        next[id] = file
      }
      const stateFile = `state.${number}.json`
      await writeFile(join(folder, stateFile), state)
      const { seed, terrain } = serv
      switchTo({
        format: FORMAT,
        seed,
        terrain,
        generation: number,
        state: stateFile,
        columns: next
      })
      columns = next
      tidy(stateFile, before)
    } catch (error) {
      for (const [id] of changed) dirty.add(id)
      isQuiet = false
      serv.err(`the world could not be saved, and is as it was before: ${error}`)
    }
  }

  /** @param {object} manifest */
  function switchTo(manifest) {
    const part = join(folder, `${MANIFEST}.part`)
    const file = openSync(part, 'w')
    writeFileSync(file, JSON.stringify(manifest))
    fsyncSync(file)
    closeSync(file)
    renameSync(part, join(folder, MANIFEST))
  }

  /** Removes what no longer counts. @param {string} stateFile @param {Record<string, string>} before */
  function tidy(stateFile, before) {
    for (const [id, file] of Object.entries(before)) {
      if (columns[id] !== file) rmSync(join(folder, file), { force: true })
    }
    for (const name of readdirSync(folder)) {
      if (/^state\.\d+\.json$/.test(name) && name !== stateFile)
        rmSync(join(folder, name), { force: true })
    }
  }

  function stateNow() {
    for (const player of serv.players) serv.savePlayer(player)
    return {
      time: serv.time,
      day: serv.day,
      ticks: serv.tickCount,
      difficulty: serv.difficulty,
      gamerules: serv.gamerules,
      worldSpawn: serv.worldSpawn.toArray(),
      players: [...serv.savedPlayers],
      containers: serv.containersData(),
      drops: [...serv.drops.values()].map((drop) => ({
        item: Item.toNotch(drop.item),
        position: drop.position.toArray(),
        ageTicks: drop.ageTicks
      })),
      animals: [...serv.animals.values()].map(({ name, position, health }) => ({
        name,
        position: position.toArray(),
        health
      })),
      herds: [...serv.herds]
    }
  }

  function restore() {
    for (const [id, file] of Object.entries(columns)) {
      const [x, z] = id.split(',').map(Number)
      const column = new Column()
      column.load(gunzipSync(readFileSync(join(folder, file))))
      serv.overworld.setLoadedColumn(x, z, column, false)
      serv.emit('columnRestored', x, z)
    }
    const state = JSON.parse(readFileSync(join(folder, manifest.state), 'utf8'))
    Object.assign(serv, {
      time: state.time,
      day: state.day,
      tickCount: state.ticks,
      difficulty: state.difficulty
    })
    Object.assign(serv.gamerules, state.gamerules)
    serv.worldSpawn = new Vec3(...state.worldSpawn)
    serv.savedPlayers = new Map(state.players)
    serv.herds = new Set(state.herds)
    serv.restoreContainers(state.containers)
    for (const { item, position, ageTicks } of state.drops) {
      serv.dropItem(Item.fromNotch(item), new Vec3(...position), { ageTicks })
    }
    for (const { name, position, health } of state.animals) {
      serv.spawnAnimal(name, new Vec3(...position)).health = health
    }
  }

  serv.closeWorld = async () => {
    await serv.saveWorld()
    rmSync(join(folder, LOCK), { force: true })
  }
}
