/** A bot's own actions that the server has not confirmed or refused yet. */

/** @import { Position } from './types.d.ts' */

/** Time limit for the server to confirm an action. */
const CONFIRM_MS = 5_000

/** @param {Position} position */
export const keyOf = ({ x, y, z }) => `${x},${y},${z}`

/**
 * Pending actions, in order. Several may have the same target, so that a later one never replaces
 * an earlier one.
 * @template {{places: Set<string>}} Action
 */
export class Unconfirmed {
  constructor() {
    /** @type {Set<Action>} */
    this.pending = new Set()
    /** Callers that wait until nothing is pending. @type {Set<() => void>} */
    this.waiting = new Set()
  }

  /** Return the pending actions at a position, in order. @param {Position} position */
  at(position) {
    const key = keyOf(position)
    return [...this.pending].filter(({ places }) => places.has(key))
  }

  /**
   * Forget an action if the server does not answer in time.
   * @param {Action} action @param {number} [ms]
   */
  limit(action, ms = CONFIRM_MS) {
    setTimeout(() => this.end(action), ms).unref()
  }

  /** @param {Action} action @returns {boolean} true if it was pending */
  end(action) {
    const wasPending = this.pending.delete(action)
    if (this.pending.size) return wasPending
    for (const resume of this.waiting) resume()
    this.waiting.clear()
    return wasPending
  }

  /** Resolve once nothing is pending. */
  async settled() {
    if (this.pending.size)
      await new Promise((resolve) => this.waiting.add(() => resolve(undefined)))
  }
}
