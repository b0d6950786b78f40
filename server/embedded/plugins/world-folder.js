/**
 * World folders: files of which `world.json` says which count, so that a folder is whole at every
 * moment, whatever kills the server.
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
import { join } from 'node:path'

/** @import { Manifest } from '../types.d.ts' */

export const FORMAT = 1
const MANIFEST = 'world.json'
const LOCK = 'world.lock'
/** What this server keeps in a folder. */
const OWN = /^(world\.json(\.part)?|world\.lock|columns|state\.\d+\.json)$/

/** A folder that cannot be used; the message says why. */
export class WorldFolderError extends Error {}

/**
 * @param {string} folder made if need be
 * @returns {Manifest | null} its manifest, or null for a new world
 * @throws {WorldFolderError}
 */
export function openWorldFolder(folder) {
  try {
    refuseOthers(folder)
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

/** Nothing is written into a folder that holds anything else, such as a world of vanilla's. @param {string} folder */
function refuseOthers(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const others = names.filter((name) => !OWN.test(name))
  if (!others.length) return
  const isVanilla = names.includes('level.dat') || names.includes('region')
  const what = isVanilla ? 'a world of Minecraft, which this server cannot read' : 'other things'
  throw new WorldFolderError(
    `${folder} holds ${what} (${others.sort().slice(0, 3).join(', ')}); give an empty folder or a new one`
  )
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

/** Lets others use the folder. @param {string} folder */
export function unlock(folder) {
  rmSync(join(folder, LOCK), { force: true })
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

/** From now on the files of this manifest count. @param {string} folder @param {Manifest} manifest */
export function switchTo(folder, manifest) {
  const part = join(folder, `${MANIFEST}.part`)
  const file = openSync(part, 'w')
  writeFileSync(file, JSON.stringify(manifest))
  fsyncSync(file)
  closeSync(file)
  renameSync(part, join(folder, MANIFEST))
}

/** Removes what no longer counts. @param {string} folder @param {Manifest} manifest @param {Record<string, string>} before column → file */
export function tidy(folder, { columns, state }, before) {
  for (const [id, file] of Object.entries(before)) {
    if (columns[id] !== file) rmSync(join(folder, file), { force: true })
  }
  for (const name of readdirSync(folder)) {
    if (/^state\.\d+\.json$/.test(name) && name !== state)
      rmSync(join(folder, name), { force: true })
  }
}
