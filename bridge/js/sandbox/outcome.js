/** How a program ended, as its room tells it: the agent's code may have made the text up. */
import { LIMITS } from './limits.js'

/** @typedef {{status: 'done' | 'error', error: {message: string, stack: string} | null}} Outcome */

/**
 * What a room says of its program's end: that it is done, or failed; nothing else is its to say.
 * @param {string} json @returns {Outcome}
 */
export function readOutcome(json) {
  const { status, error } = JSON.parse(json) ?? {}
  if (status === 'done') return { status, error: null }
  const { message, stack } = error ?? {}
  return { status: 'error', error: { message: textOf(message), stack: textOf(stack) } }
}

/** A text as it is; nothing of what is none. @param {unknown} value */
export const textOf = (value) => (typeof value === 'string' ? value.slice(0, LIMITS.TEXT) : '')
