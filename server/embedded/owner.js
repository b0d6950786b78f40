/** The process that a server was started for: whether it is there, and what is left when it is not. */
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
 * Removes what a server leaves in its folder that nobody else will remove.
 *
 * @param {string} passwordFile in the server's folder
 * @param {boolean} isTemporary whether the whole folder goes
 */
export function clear(passwordFile, isTemporary) {
  const folder = dirname(passwordFile)
  const gone = isTemporary ? [folder] : OF_RUNNING.map((name) => join(folder, name))
  for (const path of gone) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}
