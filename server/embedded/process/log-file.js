/**
 * Rotation of the file that standard output goes to: recent lines stay in it, older ones move to a
 * second file.
 */
import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs'
import { wall } from '@voxpolis/clock'

/** Maximum bytes of each of the two files, exceeded by at most a second's output. */
export const MOST_BYTES = 8_000_000
const CHECK_MS = 1000
const STANDARD_OUTPUT = 1

/** Check regularly whether the log has grown too long. @param {string} path */
export function keepShort(path) {
  wall.setInterval(() => rotate(STANDARD_OUTPUT, path, MOST_BYTES), CHECK_MS).unref()
}

/**
 * Move an overlong log's content to `<path>.1`, replacing what was there.
 * @param {number} file open for appending, so that writing continues at its new end
 * @param {string} path of the same file; nothing happens if it is a different one by now
 * @param {number} most bytes
 */
export function rotate(file, path, most) {
  try {
    const { size, ino } = fstatSync(file)
    if (size <= most || statSync(path).ino !== ino) return
    copyFileSync(path, `${path}.1`)
    ftruncateSync(file)
  } catch {
    // The file is missing or the disk is full: the server must not end because of its log.
  }
}
