/**
 * World folders: `world.json` lists the valid files, so that a folder is consistent at every
 * moment, even if the server is killed.
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
/** Folder for this server's changes, inside a Minecraft world. */
export const WITHIN_ANVIL = 'voxpolis'
/** Files that this server writes into a folder. */
const OWN = /^(world\.json(\.part)?|world\.lock|columns|state\.\d+\.json)$/

/** The folder cannot be used. */
export class WorldFolderError extends Error {}

/**
 * Open a world folder. A Minecraft world is only read; changes are saved in a subfolder.
 * @param {string} given created if needed
 * @returns {{folder: string, anvil: string | null, told: Told | null, manifest: Manifest | null}} folder of the changes, the Minecraft world and its metadata if any, and the list of valid files (null for a new world) @throws {WorldFolderError}
 */
export function openWorldFolder(given) {
  const anvil = isAnvil(given) ? given : null
  const folder = anvil ? join(given, WITHIN_ANVIL) : given
  try {
    const told = anvil ? toldBy(anvil) : null
    refuseOthers(folder)
    const manifest = readManifest(folder)
    if (manifest && !anvil && !TERRAINS.includes(manifest.terrain)) {
      throw new Error(
        'it contains only the changes of a Minecraft world: give the folder around it'
      )
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

/** Return the metadata of a Minecraft world. @param {string} anvil its folder @returns {Told} */
function toldBy(anvil) {
  const level = readLevel(anvil)
  return { ...rulesOf(level), board: readBoard(anvil, level) }
}

/**
 * @param {string} folder
 * @returns {Manifest | null} @throws {Error} its format is unknown, or it is damaged
 */
export function readManifest(folder) {
  if (!existsSync(join(folder, MANIFEST))) return null
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'))
  if (manifest.format !== FORMAT) throw new Error(`its format is ${manifest.format}, not ${FORMAT}`)
  return manifest
}

/** Refuse a folder that contains other files. @param {string} folder */
function refuseOthers(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const others = names.filter((name) => !OWN.test(name))
  if (!others.length) return
  const isPart = names.includes('level.dat') || names.includes('region')
  const what = isPart ? 'a part of a Minecraft world' : 'other things'
  throw new WorldFolderError(
    `${folder} contains ${what} (${others.sort().slice(0, 3).join(', ')}); give an empty folder or a new one`
  )
}

/** Lock the folder for this server. @param {string} folder */
function lock(folder) {
  const path = join(folder, LOCK)
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (owner && owner !== process.pid && isAlive(owner)) {
    throw new WorldFolderError(`the world in ${folder} is in use by process ${owner}`)
  }
  writeFileSync(path, String(process.pid))
}

/** Release the folder. @param {string} folder */
export function unlock(folder) {
  rmSync(join(folder, LOCK), { force: true })
}

/** @param {number} pid */
function isAlive(pid) {
  // A killed process may remain as a zombie until its parent reaps it; it has no command line then.
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

/**
 * Make the files of a manifest the valid ones.
 * @param {string} folder @param {Manifest} manifest
 */
export function switchTo(folder, manifest) {
  const part = join(folder, `${MANIFEST}.part`)
  const file = openSync(part, 'w')
  writeFileSync(file, JSON.stringify(manifest))
  fsyncSync(file)
  closeSync(file)
  renameSync(part, join(folder, MANIFEST))
}

/**
 * Remove obsolete files.
 * @param {string} folder @param {Manifest} manifest
 * @param {Record<string, string>} before column → file
 */
export function tidy(folder, { columns, state }, before) {
  for (const [id, file] of Object.entries(before)) {
    if (columns[id] !== file) rmSync(join(folder, file), { force: true })
  }
  for (const name of readdirSync(folder)) {
    if (/^state\.\d+\.json$/.test(name) && name !== state)
      rmSync(join(folder, name), { force: true })
  }
}
