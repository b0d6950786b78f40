/**
 * Stores: rows of items that windows show (a player's inventory, a chest, a furnace).
 *
 * Items are immutable: an item in a store is replaced, never changed. Two windows can therefore
 * show the same store without sharing a count by accident.
 */
import { EventEmitter } from 'node:events'
import { Item as ItemClass } from '../minecraft/index.js'

/** @typedef {import('../types/data.d.ts').Item} Item */

/**
 * @param {Item | null} item @param {number} [count]
 * @returns {Item | null} a copy with this count; null if the count is 0
 */
export function copyOf(item, count = item?.count ?? 0) {
  if (!item || count <= 0) return null
  return new ItemClass(item.type, count, item.metadata, item.nbt)
}

/** Split an item into stacks of at most the maximum size. @param {Item} item @returns {Item[]} */
export function stacksOf(item) {
  const stacks = []
  for (let left = item.count; left > 0; left -= item.stackSize)
    stacks.push(/** @type {Item} */ (copyOf(item, Math.min(left, item.stackSize))))
  return stacks
}

/** Return a tag as a text in which the order of fields does not matter. @param {unknown} tag */
const canonical = (tag) =>
  JSON.stringify(tag, (_name, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort())
      : part
  )

/** Return true if two items stack. @param {Item | null} a @param {Item | null} b */
export function isSameKind(a, b) {
  if (!a || !b) return a === b
  return a.type === b.type && (a.nbt === b.nbt || canonical(a.nbt) === canonical(b.nbt))
}

/** @param {Item | null} a @param {Item | null} b */
export const isEqual = (a, b) => isSameKind(a, b) && a?.count === b?.count

/** Row of slots. Emits `change` with the slot's number. */
export class Store extends EventEmitter {
  /** @param {number} size */
  constructor(size) {
    super()
    this.setMaxListeners(0)
    /** @type {(Item | null)[]} */
    this.slots = new Array(size).fill(null)
  }

  /** @param {number} index @param {Item | null} item */
  set(index, item) {
    const before = this.slots[index]
    this.slots[index] = item && item.count > 0 ? item : null
    if (before || item) this.emit('change', index)
  }

  /** @returns {Item[]} its previous items */
  empty() {
    const items = /** @type {Item[]} */ (this.slots.filter(Boolean))
    this.slots.forEach((item, index) => item && this.set(index, null))
    return items
  }

  /**
   * Add an item: first to stacks of its kind, then to empty slots, in the given order.
   * @param {Item} item @param {number[]} order indices of slots
   * @param {number[]} [free] order of empty slots @returns {Item | null} the rest
   */
  add(item, order, free = order) {
    let left = item.count
    const put = (/** @type {number} */ index, /** @type {number} */ held) => {
      const moved = Math.min(left, item.stackSize - held)
      if (moved <= 0) return
      left -= moved
      this.set(index, copyOf(item, held + moved))
    }
    for (const index of order) {
      const held = this.slots[index]
      if (left && held && isSameKind(held, item)) put(index, held.count)
    }
    for (const index of free) if (left && !this.slots[index]) put(index, 0)
    return copyOf(item, left)
  }
}
