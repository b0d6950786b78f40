/** Slots: positions in a window. Each shows a position in a store and has additional rules. */
import { copyOf, isSameKind } from './store.js'

/** @typedef {import('./store.js').Item} Item */

/**
 * @typedef {object} Rules
 * @property {(item: Item) => boolean} [mayPlace] accepted items; default all
 * @property {number} [limit] maximum number of items
 * @property {() => boolean} [mayTake] true if its content may be taken now
 * @property {boolean} [isWhole] its stack can only be taken whole, like a crafted result
 * @property {(taken: Item) => void} [onTake]
 */

export class Slot {
  /** @param {import('./store.js').Store} store @param {number} index @param {Rules} [rules] */
  constructor(store, index, rules = {}) {
    this.store = store
    this.index = index
    this.rules = rules
  }

  get item() {
    return this.store.slots[this.index]
  }

  /** @param {Item | null} item */
  set(item) {
    this.store.set(this.index, item)
  }

  /** @param {Item} item */
  mayPlace(item) {
    return this.rules.mayPlace?.(item) ?? true
  }

  get isDivisible() {
    return !this.rules.isWhole
  }

  /** @param {Item} item @returns its maximum number in this slot */
  limitFor(item) {
    return Math.min(this.rules.limit ?? 64, item.stackSize)
  }

  /**
   * Take out at most `count` items, and at most `room`.
   * @param {number} count @param {number} [room] free space of the receiver @returns {Item | null}
   */
  take(count, room = Infinity) {
    const { item } = this
    if (!item || this.rules.mayTake?.() === false) return null
    if (!this.isDivisible && room < item.count) return null
    const taken = this.isDivisible ? Math.min(count, room, item.count) : item.count
    if (taken <= 0) return null
    const out = /** @type {Item} */ (copyOf(item, taken))
    this.set(copyOf(item, item.count - taken))
    this.rules.onTake?.(out)
    return out
  }

  /**
   * Put in at most `count` items.
   * @param {Item} item @param {number} [count] @returns {Item | null} what does not fit
   */
  insert(item, count = item.count) {
    const held = this.item
    if (!this.mayPlace(item) || (held && !isSameKind(held, item))) return item
    const room = this.limitFor(item) - (held?.count ?? 0)
    const moved = Math.min(count, item.count, room)
    if (moved <= 0) return item
    this.set(copyOf(item, (held?.count ?? 0) + moved))
    return copyOf(item, item.count - moved)
  }
}
