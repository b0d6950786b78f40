/**
 * The game's clock, shared by the server and the bots. It may run faster than real time, and it
 * waits while the server or a bot cannot keep up.
 *
 * Importing this file changes nothing. `setSpeed` replaces timers, `Date.now` and
 * `performance.now`, so call it before any code that uses them. Game time and wall time agree at
 * the anchor. The server grants time, a few ticks in advance, through a file that all processes of
 * a run read, and no clock runs past the last grant. A busy machine thus slows the game down and
 * changes nothing else. (In parallel simulation, this is called conservative synchronisation with a
 * bounded lookahead window.) Without the file, the clock never waits.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { installTimers, wallTimers } from './timers.js'

/**
 * Timers and time of the wall clock, for everything that depends on the machine rather than the
 * game.
 */
export const wall = {
  ...wallTimers,
  now: Date.now,
  performanceNow: performance.now.bind(performance)
}

/** If no grant arrives within this wall time, the server counts as gone, and the clock runs freely. */
const PATIENCE_MS = 5000
/**
 * Channel on which a client tells the server that it follows the clock and that the clock should
 * wait for it.
 */
export const CLOCK_CHANNEL = 'voxpolis:clock'

let speed = 1
/** Arguments of the last call, to detect a repeated call. */
let current = ''
/**
 * Last grant: its start and its end (`until`). `game` and `until` are Unix milliseconds of the
 * game; `wall` is in milliseconds of the machine's monotonic clock, which all its processes share.
 */
let lastGrant = { wall: 0, game: 0, until: Infinity }
let latest = -Infinity
let file = -1
let isGranter = false
/** A grant as stored in the file, followed by a checksum, which reveals a half-written grant. */
const numbers = new Float64Array(4)

/** The machine's monotonic clock, in fractional milliseconds. */
const steady = () => wall.performanceNow() + sinceBoot
const sinceBoot = Number(process.hrtime.bigint()) / 1e6 - wall.performanceNow()

/**
 * @param {number} next maximum speed relative to the wall clock
 * @param {number} anchorMs Unix time in milliseconds at which both clocks agree
 * @param {string} [path] file with the grants; without it, the clock never waits
 */
export function setSpeed(next, anchorMs, path = '') {
  const asked = JSON.stringify([next, anchorMs, path])
  if (asked !== current) begin(next, anchorMs, path ? opened(path) : -1)
  current = asked
}

/**
 * @param {string} path
 * @returns {number} file descriptor; -1 if the server is gone and has removed the file
 */
function opened(path) {
  try {
    return openSync(path, 'r')
  } catch {
    return -1
  }
}

/**
 * Set the speed in the process that grants time.
 * @param {number} next @param {number} anchorMs
 * @param {string} path of the file, which is overwritten
 */
export function setSpeedAndGrant(next, anchorMs, path) {
  begin(next, anchorMs, openSync(path, 'w'), true)
}

/**
 * @param {number} next @param {number} anchorMs @param {number} loans the file of loans, or -1
 * @param {boolean} isOurs
 */
function begin(next, anchorMs, loans, isOurs = false) {
  const [before, gameBefore] = [performance.now(), now()]
  if (file >= 0) closeSync(file)
  file = loans
  isGranter = isOurs
  speed = next
  lastGrant = { wall: steady() - (wall.now() - anchorMs), game: anchorMs, until: Infinity }
  latest = -Infinity
  const began = now()
  installTimers({ now, speed }, began - gameBefore)
  Date.now = () => Math.floor(now())
  performance.now = () => before + now() - began
}

/** Return whether this process grants time, and whether it depends on another process's grants. */
export const isGranting = () => isGranter
export const followsGrants = () => file >= 0 && !isGranter

/** Return the maximum speed of the game's clock relative to the wall clock. */
export const getSpeed = () => speed

/** Return the game's Unix time in fractional milliseconds. */
export function now() {
  let game = reached()
  if (file >= 0 && !isGranter && (game >= lastGrant.until || lastGrant.until === Infinity)) {
    borrow()
    game = reached()
  }
  latest = Math.max(latest, game)
  return latest
}

const unbounded = () => lastGrant.game + (steady() - lastGrant.wall) * speed

function reached() {
  const game = unbounded()
  if (game <= lastGrant.until) return game
  return lastGrant.until + Math.max(0, game - lastGrant.until - PATIENCE_MS * speed)
}

/**
 * Let the game's clock run up to a time; earlier grants stay in force.
 * @param {number} time Unix time of the game, in milliseconds
 */
export function grant(time) {
  const game = now()
  const before = lastGrant.until === Infinity ? game : lastGrant.until
  // the clock was waiting: continue from here
  if (unbounded() > lastGrant.until) lastGrant = { ...lastGrant, wall: steady(), game }
  lastGrant.until = Math.max(time, before, game)
  numbers.set([
    lastGrant.wall,
    lastGrant.game,
    lastGrant.until,
    lastGrant.wall + lastGrant.game + lastGrant.until
  ])
  writeSync(file, numbers, 0, numbers.byteLength, 0)
}

function borrow() {
  const length = readSync(file, numbers, 0, numbers.byteLength, 0)
  const [at, game, until, sum] = numbers
  const isWhole = length === numbers.byteLength && at > 0 && sum === at + game + until
  if (isWhole && Number.isFinite(sum)) lastGrant = { wall: at, game, until }
}
