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
import { readBoard } from './anvil/board.js'
import { isAnvil, readLevel, rulesOf } from './anvil/level.js'
import { TERRAINS } from './terrain/index.js'

/** @import { Told } from './anvil/level.js' */
/** @import { Manifest } from '../types/index.d.ts' */

export const FORMAT = 1
const MANIFEST = 'world.json'
const LOCK = 'world.lock'
/** Where, in a world of Minecraft, what changed is kept. */
export const WITHIN_ANVIL = 'voxpolis'
/** What this server keeps in a folder. */
const OWN = /^(world\.json(\.part)?|world\.lock|columns|state\.\d+\.json)$/

/** A folder that cannot be used; the message says why. */
export class WorldFolderError extends Error {}

/**
 * A world of Minecraft is only read: what changes in it is kept in a folder of ours within.
 * @param {string} given made if need be
 * @returns {{folder: string, anvil: string | null, told: Told | null, manifest: Manifest | null}} where
 *   what changes is kept, the world of Minecraft that it changes and what that says of itself, and
 *   which files count; no manifest for a new world
 * @throws {WorldFolderError}
 */
export function openWorldFolder(given) {
  const anvil = isAnvil(given) ? given : null
  const folder = anvil ? join(given, WITHIN_ANVIL) : given
  try {
    const told = anvil ? toldBy(anvil) : null
    refuseOthers(folder)
    const manifest = readManifest(folder)
    if (manifest && !anvil && !TERRAINS.includes(manifest.terrain)) {
      throw new Error('it is what changed in a world of Minecraft: give the folder around it')
    }
    mkdirSync(join(folder, 'columns'), { recursive: true })
    lock(folder)
    return { folder, anvil, told, manifest }
  } catch (error) {
    if (error instanceof WorldFolderError) throw error
    throw new WorldFolderError(
      `cannot use the world in ${given}: ${/** @type {Error} */ (error).message}`
    )
  }
}

/** What a world of Minecraft says of itself. @param {string} anvil its folder @returns {Told} */
function toldBy(anvil) {
  const level = readLevel(anvil)
  return { ...rulesOf(level), board: readBoard(anvil, level) }
}

/** @param {string} folder @returns {Manifest | null} @throws {Error} it is of another format, or damaged */
export function readManifest(folder) {
  if (!existsSync(join(folder, MANIFEST))) return null
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
  if (manifest.format !== FORMAT) throw new Error(`its format is ${manifest.format}, not ${FORMAT}`)
  return manifest
}

/** Nothing is written into a folder that holds anything else. @param {string} folder */
function refuseOthers(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const others = names.filter((name) => !OWN.test(name))
  if (!others.length) return
  const isPart = names.includes('level.dat') || names.includes('region')
  const what = isPart ? 'a part of a world of Minecraft' : 'other things'
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
