/** Sanitize events for the record: plain, finite and bounded, whatever their source. */

/** @import { BotEvent } from './protocol.d.ts' */

const MAX_TEXT = 2000
const MAX_LIST = 300
const MAX_NUMBER = 1e15
/** Optional fields that must be whole numbers, texts or positions. */
const WHOLE = ['count', 'request']
const PLACES = ['position']
const TEXTS = ['block', 'item', 'text', 'name', 'to', 'container', 'message']

/**
 * @param {Record<string, unknown>} event
 * @returns {{event: BotEvent, problem: null} | {event: null, problem: string}}
 */
export function bounded(event) {
  for (const [key, value] of Object.entries(event)) {
    const problem = problemOf(key, value)
    if (problem) return { event: null, problem: `${String(event.kind).slice(0, 50)}: ${problem}` }
  }
  const plain = Object.entries(event).map(([key, value]) => [key, cut(value)])
  return { event: /** @type {BotEvent} */ (Object.fromEntries(plain)), problem: null }
}

/** @param {string} key @param {unknown} value @returns {string | null} */
function problemOf(key, value) {
  if (TEXTS.includes(key) && typeof value !== 'string') return `${key} is no text`
  if (WHOLE.includes(key) && !Number.isSafeInteger(value)) return `${key} is no whole number`
  if (PLACES.includes(key) && !isPlace(value)) return `${key} is no place`
  return isPlain(value) ? null : `${key} is no data`
}

/** @param {unknown} value */
const isNumber = (value) => typeof value === 'number' && Math.abs(value) < MAX_NUMBER

/** @param {unknown} value */
const isPlace = (value) => Array.isArray(value) && value.length === 3 && value.every(isNumber)

/** @param {unknown} value @returns {boolean} */
function isPlain(value) {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return isNumber(value)
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(isPlain)
}

/** @param {unknown} value @returns {unknown} */
function cut(value) {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT).toWellFormed()
  if (typeof value === 'number') return value + 0 // JSON has no -0
  return Array.isArray(value) ? value.map(cut) : value
}
