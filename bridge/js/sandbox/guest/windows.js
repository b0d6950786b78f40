/** Inside the engine: the inventory, containers and furnaces, with Mineflayer's methods. */
import { act, ask, call, incoming, makers, once, refer } from './wire.js'

/** Window: a snapshot of the inventory, or a live view of an open window. */
class Window {
  /** @param {any} seen */
  constructor(seen) {
    Object.assign(this, seen)
  }

  /** @param {number} start @param {number} end @returns {any[]} */
  itemsRange(start, end) {
    return slotsOf(this).slice(start, end).filter(Boolean)
  }

  items() {
    return this.itemsRange(startOf(this), endOf(this))
  }

  containerItems() {
    return this.itemsRange(0, startOf(this))
  }

  /**
   * @param {number} start @param {number} end @param {number} type
   * @param {number | null} [metadata]
   */
  countRange(start, end, type, metadata) {
    return this.itemsRange(start, end)
      .filter((item) => item.type === type && matches(item, metadata))
      .reduce((sum, item) => sum + item.count, 0)
  }

  /** @param {number | string} type @param {number | null} [metadata] */
  count(type, metadata) {
    return this.countRange(startOf(this), endOf(this), parseInt(String(type), 10), metadata)
  }

  /** @param {number | string} type @param {number | null} [metadata] */
  containerCount(type, metadata) {
    return this.countRange(0, startOf(this), parseInt(String(type), 10), metadata)
  }

  /**
   * @param {number} start @param {number} end @param {number | string} what
   * @param {number | null} [metadata] @param {boolean} [notFull]
   */
  findItemsRange(start, end, what, metadata, notFull) {
    return this.itemsRange(start, end).filter(
      (item) =>
        (typeof what === 'number' ? item.type === what : item.name === what) &&
        matches(item, metadata) &&
        (!notFull || item.count < item.stackSize)
    )
  }

  /**
   * @param {number} start @param {number} end @param {number | string} what
   * @param {number | null} [metadata] @param {boolean} [notFull]
   */
  findItemRange(start, end, what, metadata, notFull) {
    return this.findItemsRange(start, end, what, metadata, notFull)[0] ?? null
  }

  /** @param {number | string} what @param {number | null} [metadata] @param {boolean} [notFull] */
  findInventoryItem(what, metadata, notFull) {
    return this.findItemRange(startOf(this), endOf(this), what, metadata, notFull)
  }

  /** @param {number | string} what @param {number | null} [metadata] @param {boolean} [notFull] */
  findContainerItem(what, metadata, notFull) {
    return this.findItemRange(0, startOf(this), what, metadata, notFull)
  }

  emptySlotCount() {
    return slotsOf(this)
      .slice(startOf(this), endOf(this))
      .filter((item) => item === null).length
  }

  firstEmptyHotbarSlot() {
    return firstEmpty(this, endOf(this) - 9, endOf(this))
  }

  firstEmptyContainerSlot() {
    return firstEmpty(this, 0, startOf(this))
  }

  firstEmptyInventorySlot(hotbarFirst = true) {
    const inHotbar = hotbarFirst ? this.firstEmptyHotbarSlot() : null
    return inHotbar ?? firstEmpty(this, startOf(this), endOf(this))
  }
}
Object.defineProperty(Window.prototype, 'constructor', { value: undefined })
Object.freeze(Window.prototype)

/** @param {any} window @returns {any[]} */
const slotsOf = (window) => window.slots
const startOf = (/** @type {any} */ window) => window.inventoryStart
const endOf = (/** @type {any} */ window) => window.inventoryEnd

/** @param {any} item @param {number | null | undefined} metadata */
const matches = (item, metadata) => metadata == null || item.metadata === metadata

/** @param {Window} window @param {number} start @param {number} end */
function firstEmpty(window, start, end) {
  const index = slotsOf(window).indexOf(null, start)
  return index >= 0 && index < end ? index : null
}

const ACTIONS = ['close', 'deposit', 'withdraw', 'putFuel', 'putInput']
ACTIONS.push('takeFuel', 'takeInput', 'takeOutput')
const FIELDS = ['slots', 'selectedItem', 'fuel', 'fuelSeconds', 'totalFuel']
FIELDS.push('progress', 'progressSeconds', 'totalProgress')

/** The bot's own window, as a snapshot. @param {any} seen */
makers.w = ({ seen, open }) => {
  const window = new Window(incoming(seen))
  refer(window, { $: 'w', id: seen.id })
  return open ? opened(window, seen.id) : Object.freeze(window)
}

/**
 * Return an open window: it accepts actions and shows its current content.
 * @param {any} window @param {number} id
 */
function opened(window, id) {
  let last = { ...window }
  const look = () => once(`window ${id}`, () => (last = ask('window', id) ?? last))
  for (const name of FIELDS) {
    Object.defineProperty(window, name, { get: () => look()[name], enumerable: true })
  }
  for (const name of ACTIONS) {
    window[name] = (/** @type {unknown[]} */ ...args) => call('windowAct', id, name, args)
  }
  window.inputItem = () => window.slots[0]
  window.fuelItem = () => window.slots[1]
  window.outputItem = () => window.slots[2]
  return Object.freeze(window)
}

/** @param {any} window @returns {Promise<void>} */
export const closeWindow = async (window) => act('closeWindow', window)
