/** The processes that a server was started for and by: whether they are there, and what is left when not. */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What tells of a server that runs; its log stays. */
const OF_RUNNING = ['server.json', 'ready.json', 'rcon.password']

/** Whether a process runs: one that has ended and that nobody has waited for does not. @param {number} pid */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH'
  }
  return process.platform !== 'linux' || !isZombie(pid)
}

/** @param {number} pid */
function isZombie(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)) // a program's name may hold a ")"
  } catch (error) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error)
    return ['ENOENT', 'ESRCH'].includes(code) // it ended this moment
  }
}

/**
 * Whether others can know of this server: `python -m server up` writes so, and ends.
 *
 * @param {string} passwordFile in the server's folder
 */
export function isKnown(passwordFile) {
  try {
    const state = JSON.parse(readFileSync(join(dirname(passwordFile), 'server.json'), 'utf8'))
    return state.pid === process.pid
  } catch {
    return false // not yet, or it is another's that was cut off
  }
}

/**
 * Removes what a server leaves in its folder, unless another one has taken its place there.
 *
 * @param {string} passwordFile in the server's folder
 * @param {string} password what this server read there
 * @param {boolean} isTemporary whether the whole folder goes
 * @param {string} [clock] the file of its clock
 */
export function clear(passwordFile, password, isTemporary, clock) {
  const folder = dirname(passwordFile)
  if (![password, ''].includes(readIfThere(passwordFile).trim())) return
  const gone = isTemporary ? [folder] : OF_RUNNING.map((name) => join(folder, name))
  if (clock) gone.push(clock)
  for (const path of gone) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}

/** @param {string} path @returns {string} empty where nothing can be read */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
