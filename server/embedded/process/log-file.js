/**
 * Rotation of the file to which standard output is redirected: recent lines stay in it, older ones
 * move to a second file.
 */
import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs'
import { wall } from '@voxpolis/clock'

/** Maximum size of each of the two files, in bytes. A file may exceed it by a second's output. */
export const MOST_BYTES = 8_000_000
const CHECK_MS = 1000
const STANDARD_OUTPUT = 1

/** Check regularly whether the log is too long. @param {string} path */
export function keepShort(path) {
  wall.setInterval(() => rotate(STANDARD_OUTPUT, path, MOST_BYTES), CHECK_MS).unref()
}

/**
 * Move the content of an overlong log to `<path>.1`, which is replaced.
 * @param {number} file open for appending, so that writing continues at its new end
 * @param {string} path of the same file; nothing happens if another file has this path now
 * @param {number} most maximum bytes
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
