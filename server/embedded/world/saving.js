/**
 * Saving: a world folder that is consistent at every moment, even if the server is killed.
 *
 * Only differences from the seed's terrain are saved. Each save writes new files and then, in one
 * rename, `world.json`, which lists the valid files; obsolete ones are deleted afterwards. A server
 * that is killed loses only the few seconds since the last save.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzip } from 'node:zlib'
import { Column } from '../minecraft/index.js'
import { hasCaves } from './terrain/index.js'
import { FORMAT, switchTo, tidy, unlock } from './world-folder.js'
import { restoreState, stateNow } from './world-state.js'

/** @import { Manifest, Options, Server } from '../types/index.d.ts' */

const SAVE_TICKS = 40 // 2 seconds
const compress = promisify(gzip)

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  const { folder, manifest } = options.world
  if (!folder) return
  const keeper = new Keeper(serv, folder, manifest)

  serv.once('asap', () => {
    try {
      if (manifest) keeper.restore(manifest)
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      unlock(folder)
      throw new Error(`the saved world in ${folder} is damaged: ${message}`)
    }
    serv.on('blockChanged', ({ x, z }) => {
      keeper.dirty.add(`${x >> 4},${z >> 4}`)
      keeper.isQuiet = false
    })
    serv.on('commandRun', () => (keeper.isQuiet = false))
    serv.on('tick', () => {
      if (serv.players.length) keeper.isQuiet = false
      if (serv.tickCount % SAVE_TICKS === 0 && !keeper.isQuiet) keeper.save()
    })
  })

  serv.saveWorld = () => keeper.save()
  serv.closeWorld = async () => {
    await keeper.save()
    unlock(folder)
  }
}

/** Saves one world in its folder. */
class Keeper {
  /** @param {Server} serv @param {string} folder @param {Manifest | null} manifest */
  constructor(serv, folder, manifest) {
    this.serv = serv
    this.folder = folder
    /** @type {Record<string, string>} column → file */
    this.columns = { ...manifest?.columns }
    this.generation = manifest?.generation ?? 0
    this.caves = hasCaves(manifest)
    /** @type {Set<string>} columns that changed since the last save */
    this.dirty = new Set()
    /** True if there is nothing to save. */
    this.isQuiet = true
    /** @type {Promise<void>} */
    this.saving = Promise.resolve()
  }

  /** Save the world as it is now. @returns {Promise<void>} resolves once it is on the disk */
  save() {
    /** @type {[string, Buffer][]} */
    const columnsNow = [...this.dirty].map((id) => [id, this.bytesOf(id)])
    const state = JSON.stringify(stateNow(this.serv))
    this.dirty = new Set()
    this.isQuiet = true
    this.generation += 1
    const number = this.generation
    this.saving = this.saving.then(() => this.write(number, columnsNow, state))
    return this.saving
  }

  /** @param {string} id */
  bytesOf(id) {
    const [x, z] = id.split(',').map(Number)
    return this.serv.columnAt(x, z).dump()
  }

  /** @param {number} generation @param {[string, Buffer][]} changed @param {string} state */
  async write(generation, changed, state) {
    const { serv, folder, caves, columns: before } = this
    try {
      const columns = { ...before }
      await mkdir(join(folder, 'columns'), { recursive: true })
      for (const [id, bytes] of changed) {
        const file = `columns/${id.replace(',', '_')}.${generation}.gz`
        await writeFile(join(folder, file), await compress(bytes))
        columns[id] = file
      }
      const stateFile = `state.${generation}.json`
      await writeFile(join(folder, stateFile), state)
      const { seed, terrain } = serv
      const kept = { generation, state: stateFile, columns }
      const manifest = { format: FORMAT, seed, terrain, caves, ...kept }
      switchTo(folder, manifest)
      this.columns = columns
      tidy(folder, manifest, before)
    } catch (error) {
      for (const [id] of changed) this.dirty.add(id)
      this.isQuiet = false
      serv.err(`the world could not be saved; the last save remains valid: ${error}`)
    }
  }

  /** @param {Manifest} manifest */
  restore(manifest) {
    const { serv, folder } = this
    for (const [id, file] of Object.entries(this.columns)) {
      const [x, z] = id.split(',').map(Number)
      const column = new Column()
      column.load(gunzipSync(readFileSync(join(folder, file))))
      serv.overworld.setLoadedColumn(x, z, column, false)
      serv.emit('columnRestored', x, z)
    }
    restoreState(serv, JSON.parse(readFileSync(join(folder, manifest.state), 'utf8')))
  }
}
