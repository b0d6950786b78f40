/** A program's outcome, as its room reports it. The agent's code may have forged the text. */
import { LIMITS } from './limits.js'

/** @typedef {{status: 'done' | 'error', error: {message: string, stack: string} | null}} Outcome */

/**
 * Parse a room's report that its program has ended: either success or an error.
 * @param {string} json @returns {Outcome}
 */
export function readOutcome(json) {
  const { status, error } = JSON.parse(json) ?? {}
  if (status === 'done') return { status, error: null }
  const { message, stack } = error ?? {}
  return { status: 'error', error: { message: textOf(message), stack: textOf(stack) } }
}

/** Return a text, truncated to the limit; an empty text for other values. @param {unknown} value */
export const textOf = (value) => (typeof value === 'string' ? value.slice(0, LIMITS.TEXT) : '')
