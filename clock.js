/**
 * The game's clock: time that runs faster than the wall's, for the server and the bots alike.
 *
 * Loading this file puts it in front of timers, `Date.now` and `performance.now`, so it must come
 * before all that uses them. Until `setSpeed` is called nothing changes. Game time and wall time
 * agree at the anchor; all processes of a run share it, so they agree on the game's time, too.
 */
import { promisify } from 'node:util'

/** Timers and time of the wall's clock, for what has to do with the machine and not with the game. */
export const wall = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  now: Date.now,
  performanceNow: performance.now.bind(performance)
}

let speed = 1
let anchor = 0
let performanceAnchor = { wall: 0, game: 0 }

/**
 * @param {number} next how many times as fast as the wall's clock
 * @param {number} anchorMs Unix time in milliseconds at which both clocks agree
 */
export function setSpeed(next, anchorMs) {
  performanceAnchor = { wall: wall.performanceNow(), game: performance.now() }
  speed = next
  anchor = anchorMs
}

/** How many times as fast as the wall's clock the game's runs. */
export const getSpeed = () => speed

Date.now = () => anchor + (wall.now() - anchor) * speed
performance.now = () =>
  performanceAnchor.game + (wall.performanceNow() - performanceAnchor.wall) * speed

/** @param {Function} start @returns {any} */
const scaled = (start) =>
  function (/** @type {Function} */ call, /** @type {number} */ ms, /** @type {any[]} */ ...rest) {
    return start(call, ms / speed, ...rest)
  }

globalThis.setTimeout = scaled(wall.setTimeout)
globalThis.setInterval = scaled(wall.setInterval)
Object.defineProperty(globalThis.setTimeout, promisify.custom, {
  value: (/** @type {number} */ ms, /** @type {unknown} */ value) =>
    new Promise((resolve) => wall.setTimeout(resolve, ms / speed, value))
})
