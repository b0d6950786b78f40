/** Items: the item class of a server's version, copies, and putting an item into a slot. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** @type {WeakMap<object, any>} */
const classes = new WeakMap()

/** @param {any} serv @returns {any} prismarine-item's class for the server's version */
export function itemClass(serv) {
  if (!classes.has(serv.registry)) {
    classes.set(serv.registry, require('prismarine-item')(serv.registry))
  }
  return classes.get(serv.registry)
}

/**
 * A copy that shares nothing: two windows must never hold one item object, for a click in one
 * would silently change the other.
 * @param {any} serv
 * @param {any} item or null
 * @param {number} [count]
 */
export function copyItem(serv, item, count = item?.count) {
  return item ? new (itemClass(serv))(item.type, count, item.metadata, item.nbt) : null
}

/** @param {{slots: any[]}} window @param {number} slot @param {any} item or null */
export function place(window, slot, item) {
  window.slots[slot] = item ?? null
  if (item) item.slot = slot
}
