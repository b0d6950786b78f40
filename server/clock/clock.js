/**
 * The game's clock: time that runs faster than the wall's, for the server and the bots alike, and
 * that stands still while one of them cannot follow.
 *
 * Loading this file changes nothing; `setSpeed` puts the clock in front of timers, `Date.now` and
 * `performance.now`, so it must be called before all that uses them. Game time and wall time agree at
 * the anchor. The server lends time, a few ticks of it at once, by a file that all processes of a run
 * read: no clock passes what was lent last. So a machine that is too busy makes the game slower, and
 * changes nothing else. (In parallel simulation that is called conservative synchronisation with a
 * bounded window.) Without the file the clock runs on, whatever happens.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { putInFront, wallTimers } from './timers.js'

/** Timers and time of the wall's clock, for what has to do with the machine and not with the game. */
export const wall = {
  ...wallTimers,
  now: Date.now,
  performanceNow: performance.now.bind(performance)
}

/** Where nothing is lent for so long of the wall's clock, the lender is gone, and time goes on. */
const PATIENCE_MS = 5000
/** The channel by which a client tells the server that it borrows, and that the clock is to wait for it. */
export const CLOCK_CHANNEL = 'voxpolis:clock'

let speed = 1
/** What was asked for last, to know when it is asked for again. */
let current = ''
/**
 * From where time runs and what it does not pass: in Unix milliseconds of the game, and for the wall in
 * those of the machine's steady clock, which all its processes share, and which nobody sets.
 */
let loan = { wall: 0, game: 0, until: Infinity }
let latest = -Infinity
let file = -1
let isLender = false
/** A loan as it is in the file, and behind it the sum, by which one that is half written is known. */
const numbers = new Float64Array(4)

/** The machine's steady clock, with parts of milliseconds. */
const steady = () => wall.performanceNow() + sinceBoot
const sinceBoot = Number(process.hrtime.bigint()) / 1e6 - wall.performanceNow()

/**
 * @param {number} next how many times as fast as the wall's clock, at most
 * @param {number} anchorMs Unix time in milliseconds at which both clocks agree
 * @param {string} [path] the file by which time is lent; none: nobody lends it
 */
export function setSpeed(next, anchorMs, path = '') {
  const asked = JSON.stringify([next, anchorMs, path])
  if (asked !== current) begin(next, anchorMs, path ? opened(path) : -1)
  current = asked
}

/** @param {string} path @returns {number} -1 where the lender is gone and has taken it along */
function opened(path) {
  try {
    return openSync(path, 'r')
  } catch {
    return -1
  }
}

/**
 * The same for the one who lends.
 * @param {number} next @param {number} anchorMs @param {string} path of the file, which is written anew
 */
export function setSpeedAndLend(next, anchorMs, path) {
  begin(next, anchorMs, openSync(path, 'w'), true)
}

/** @param {number} next @param {number} anchorMs @param {number} loans the file of loans, or -1 @param {boolean} isOurs */
function begin(next, anchorMs, loans, isOurs = false) {
  const [before, gameBefore] = [performance.now(), now()]
  if (file >= 0) closeSync(file)
  file = loans
  isLender = isOurs
  speed = next
  loan = { wall: steady() - (wall.now() - anchorMs), game: anchorMs, until: Infinity }
  latest = -Infinity
  const began = now()
  putInFront({ now, speed }, began - gameBefore)
  Date.now = () => Math.floor(now())
  performance.now = () => before + now() - began
}

/** Whether this process lends time, and whether it lives on what another lends. */
export const lends = () => isLender
export const borrows = () => file >= 0 && !isLender

/** How many times as fast as the wall's clock the game's runs, at most. */
export const getSpeed = () => speed

/** The game's Unix time, in milliseconds and parts of them. */
export function now() {
  let game = reached()
  if (file >= 0 && !isLender && (game >= loan.until || loan.until === Infinity)) {
    borrow()
    game = reached()
  }
  latest = Math.max(latest, game)
  return latest
}

const unbounded = () => loan.game + (steady() - loan.wall) * speed

function reached() {
  const game = unbounded()
  if (game <= loan.until) return game
  return loan.until + Math.max(0, game - loan.until - PATIENCE_MS * speed)
}

/**
 * Lets the game's clock run up to a time; what was lent stays so.
 * @param {number} time Unix time of the game, in milliseconds
 */
export function lend(time) {
  const game = now()
  const before = loan.until === Infinity ? game : loan.until
  if (unbounded() > loan.until) loan = { ...loan, wall: steady(), game } // it stood: on from here
  loan.until = Math.max(time, before, game)
  numbers.set([loan.wall, loan.game, loan.until, loan.wall + loan.game + loan.until])
  writeSync(file, numbers, 0, numbers.byteLength, 0)
}

function borrow() {
  const length = readSync(file, numbers, 0, numbers.byteLength, 0)
  const [at, game, until, sum] = numbers
  const isWhole = length === numbers.byteLength && at > 0 && sum === at + game + until
  if (isWhole && Number.isFinite(sum)) loan = { wall: at, game, until }
}
