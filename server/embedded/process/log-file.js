/** The file that standard output goes to: kept short, the newest lines in it and those before beside it. */
import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs'
import { wall } from '@voxpolis/clock'

/** Bytes of the file; there are two of them at most, and what a second adds. */
export const MOST_BYTES = 8_000_000
const CHECK_MS = 1000
const STANDARD_OUTPUT = 1

/** Looks now and then whether the log has grown too long. @param {string} path */
export function keepShort(path) {
  wall.setInterval(() => rotate(STANDARD_OUTPUT, path, MOST_BYTES), CHECK_MS).unref()
}

/**
 * Moves what a log holds to `<path>.1`, over what was there, where it has grown too long.
 *
 * @param {number} file open to append to, so that it goes on at its new end
 * @param {string} path of the same file; nothing happens where it is another by now
 * @param {number} most bytes
 */
export function rotate(file, path, most) {
  try {
    const { size, ino } = fstatSync(file)
    if (size <= most || statSync(path).ino !== ino) return
    copyFileSync(path, `${path}.1`)
    ftruncateSync(file)
  } catch {
    // No such file, or a full disk: a server does not end for its log.
  }
}
