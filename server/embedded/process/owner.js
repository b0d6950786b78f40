/** The processes on which a server depends: whether they are running, and cleanup after they end. */
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that announce a running server. Cleanup removes them but keeps the log. */
const OF_RUNNING = ['server.json', 'ready.json', 'rcon.password']

/** Return true if a process is running; zombies are not. @param {number} pid */
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
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)) // a program's name may contain a ")"
  } catch (error) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error)
    return ['ENOENT', 'ESRCH'].includes(code) // it has just ended
  }
}

/**
 * Return true once `python -m server up` has announced the server, which it does before it ends.
 * @param {string} passwordFile in the server's folder
 */
export function isKnown(passwordFile) {
  try {
    const state = JSON.parse(readFileSync(join(dirname(passwordFile), 'server.json'), 'utf8'))
    return state.pid === process.pid
  } catch {
    return false // not announced yet, or another server was interrupted while writing
  }
}

/**
 * Remove a server's files from its folder, unless another server has taken over the folder.
 * @param {string} passwordFile in the server's folder
 * @param {string} password the password that this server read there
 * @param {boolean} isTemporary true to remove the whole folder
 * @param {string} [clock] the file of its clock
 */
export function clear(passwordFile, password, isTemporary, clock) {
  const folder = dirname(passwordFile)
  if (![password, ''].includes(readIfThere(passwordFile).trim())) return
  const gone = isTemporary ? [folder] : OF_RUNNING.map((name) => join(folder, name))
  if (clock) gone.push(clock)
  for (const path of gone) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}

/** @param {string} path @returns {string} empty if it cannot be read */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
