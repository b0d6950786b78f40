/**
 * Windows: the slots on a player's screen, and what the player's client knows about them.
 *
 * As in vanilla, the server remembers what the client believes to be in each slot, and sends
 * differences after a click and once per tick. Therefore anything that changes a slot (a click, a
 * command, another viewer, a furnace) only has to change the store.
 */
import { itemFrom } from '../minecraft/items.js'
import { noDrag, playClick } from './clicks.js'
import { Slot } from './slot.js'
import { isEqual } from './store.js'

/** @import { Fields, PacketItem, WindowClick } from '../types/index.d.ts' */

/** @typedef {import('./store.js').Item} Item */
/** @typedef {import('./store.js').Store} Store */

/** Indices in a player's store, as in the inventory window; 0–8 are for crafting and armour. */
export const MAIN = range(9, 36)
export const HOTBAR = range(36, 45)
export const HOTBAR_START = 36
export const OFF_HAND = 45

/** @param {number} start @param {number} end */
export function range(start, end) {
  return Array.from({ length: end - start }, (_, index) => start + index)
}

/**
 * @typedef {object} Client the properties of a connection that windows use
 * @property {(name: string, fields: Fields) => void} write
 * @property {(item: Item | null) => PacketItem} toNotch
 * @property {number} stateId the last one that was sent, for any window: Mineflayer clicks in a
 *   window with the last number that it got for another one
 */

const STATES = 0x8000 // state ids wrap around
/** True if a state id is newer than another one. @param {number} id @param {number} other */
const isNewer = (id, other) => id !== other && ((id - other) & (STATES - 1)) < STATES / 2

export class Window {
  /**
   * @param {object} options @param {string} options.type such as minecraft:generic_9x3
   * @param {string} options.title @param {Slot[]} options.slots
   * @param {(slot: Slot, index: number) => Slot[]} options.quickMoveTargets
   * @param {() => void} [options.onClose]
   * @param {() => [number, number][]} [options.properties] progress bars: number and value
   */
  constructor({ type, title, slots, quickMoveTargets, onClose, properties }) {
    this.id = 0
    this.type = type
    this.title = title
    this.slots = slots
    this.onClose = onClose
    this.properties = properties
    /** @type {Item | null} */
    this.cursor = null
    this.drag = noDrag()
    this.stateId = 0
    /** @type {(Item | null)[]} what the client believes to be in each slot */
    this.known = new Array(slots.length).fill(null)
    /** Slots that changed while the window was open, other than by clicks. @type {Set<number>} */
    this.told = new Set()
    /** Slots to send whatever the client believes. @type {Set<number>} */
    this.unsure = new Set()
    /** True if all slots must be sent because a click failed. */
    this.isLost = false
    /** @type {Map<number, number>} */
    this.knownProperties = new Map()
    this.quickMoveTargets = (/** @type {Slot} */ slot) =>
      quickMoveTargets(slot, slots.indexOf(slot))
    /** Crafting results are always sent: after a click in a grid, Mineflayer waits for slot 0. */
    this.isResultDue = false
  }

  /** @param {WindowClick} click @param {import('./clicks.js').Hand} hand @param {Client} client */
  click(click, hand, client) {
    const isQuestion = click.stateId < 0
    const isBehind = isQuestion || isNewer(this.stateId, click.stateId)
    // a client that has just opened the window may have missed the first values
    this.knownProperties.clear()
    playClick(this, click, hand)
    for (const { location, item } of click.changedSlots) {
      if (location in this.known) this.known[location] = itemFrom(item)
    }
    if (isBehind || !isEqual(itemFrom(click.cursorItem), this.cursor))
      this.sendAll(client, isQuestion)
    else this.sendChanges(client)
  }

  /** @param {Client} client @param {boolean} [isQuestion] if it learns nothing, it is not behind */
  sendAll(client, isQuestion = false) {
    const isNews = this.slots.some(({ item }, index) => !isEqual(item, this.known[index]))
    if (!isQuestion || isNews || this.isLost || this.unsure.size) this.advance(client)
    this.isLost = false
    this.known = this.slots.map((slot) => slot.item)
    this.unsure.clear()
    this.isResultDue = false
    const [items, carriedItem] = [this.known.map(client.toNotch), client.toNotch(this.cursor)]
    const { id: windowId, stateId } = this
    client.write('window_items', { windowId, stateId, items, carriedItem })
    this.knownProperties.clear()
    this.sendProperties(client)
  }

  /** @param {Client} client */
  sendChanges(client) {
    if (this.isLost) return this.sendAll(client)
    const isAnyDue = this.isResultDue || this.unsure.size > 0
    for (let index = 0; index < this.slots.length; index++) {
      const { item } = this.slots[index]
      if (item === this.known[index] && !isAnyDue) continue // as nearly all slots in each tick
      const isDue = this.unsure.has(index) || (index === 0 && this.isResultDue)
      const isKnown = isEqual(this.known[index], item) && !isDue
      this.known[index] = item
      if (isKnown) continue
      this.told.add(index)
      this.advance(client)
      const { id: windowId, stateId } = this
      client.write('set_slot', { windowId, stateId, slot: index, item: client.toNotch(item) })
    }
    this.unsure.clear()
    this.isResultDue = false
    this.sendProperties(client)
  }

  /** @param {Client} client */
  sendProperties(client) {
    for (const [property, value] of this.properties?.() ?? []) {
      if (this.knownProperties.get(property) === value) continue
      this.knownProperties.set(property, value)
      client.write('craft_progress_bar', { windowId: this.id, property, value })
    }
  }

  /** @param {Client} client */
  advance(client) {
    this.stateId = client.stateId = (client.stateId + 1) % STATES
  }

  /**
   * Take over what the client knows about the slots that this window shares with another one.
   * A client that closes a window ignores pending updates for it, so those slots are sent again.
   * @param {Window} other
   */
  learnFrom(other) {
    this.slots.forEach((slot, index) => {
      const theirs = other.slots.findIndex((s) => s.store === slot.store && s.index === slot.index)
      if (theirs < 0) return
      this.known[index] = other.known[theirs]
      if (other.told.has(theirs)) this.unsure.add(index)
    })
  }
}

/** Return the player's 36 slots that end every container window. @param {Store} inventory */
export const carriedSlots = (inventory) =>
  [...MAIN, ...HOTBAR].map((index) => new Slot(inventory, index))

/**
 * Shift-click for windows whose slots are those of a container followed by the player's 36.
 * @param {Slot[]} slots @param {number} size of the container
 * @param {(item: Item) => Slot[]} wanted container slots for an item from the inventory, best first
 */
export function betweenContainerAndInventory(slots, size, wanted) {
  const [main, hotbar] = [slots.slice(size, size + 27), slots.slice(size + 27)]
  return (/** @type {Slot} */ slot, /** @type {number} */ index) => {
    if (index < size) return [...main, ...hotbar].reverse()
    const targets = slot.item ? wanted(slot.item) : []
    if (targets.length) return targets
    return index < size + 27 ? hotbar : main
  }
}
