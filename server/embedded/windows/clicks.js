/**
 * Clicks in windows, with vanilla's rules for all seven modes of the protocol.
 *
 * A click is applied to the server's slots in one synchronous step, so no items are lost or
 * duplicated even if several players click in the same container at the same moment. The server
 * does not trust the client: an invalid click changes nothing.
 */
import { copyOf, isSameKind } from './store.js'

/** @typedef {import('./store.js').Item} Item */
/** @typedef {import('./slot.js').Slot} Slot */

/**
 * @typedef {object} Clicked the properties of a window that clicks use
 * @property {Slot[]} slots
 * @property {Item | null} cursor item on the mouse
 * @property {{phase: number, kind: number, slots: Slot[]}} drag
 * @property {(slot: Slot) => Slot[]} quickMoveTargets targets of a shift-click, best first
 *
 * @typedef {object} Hand the player who clicks
 * @property {boolean} isCreative
 * @property {(item: Item) => void} drop throws an item into the world
 * @property {(item: Item) => Item | null} give adds an item to the inventory; returns what does not
 * fit
 * @property {(item: Item) => void} crafted called with an item taken out of a crafting grid
 * @property {import('./store.js').Store} inventory
 */

const OUTSIDE = -999
const LEFT = 0
const OFF_HAND_BUTTON = 40
const OFF_HAND_INDEX = 45
const HOTBAR_INDEX = 36
const DRAG = { START: 0, ADD: 1, END: 2 }
const DRAG_KIND = { EVEN: 0, ONE_EACH: 1, CLONE: 2 }

/** The modes of a `window_click` packet, in the protocol's order. */
const MODES = [pick, quickMove, swap, clone, throwOut, dragStep, gather]
const DRAG_MODE = 5

/**
 * @param {Clicked} window @param {{slot: number, mouseButton: number, mode: number}} click
 * @param {Hand} hand
 */
export function playClick(window, { slot: number, mouseButton, mode }, hand) {
  const play = MODES[mode]
  if (!play) return
  if (mode !== DRAG_MODE && window.drag.phase !== DRAG.START - 1) return endDrag(window)
  play(window, number, mouseButton, hand)
}

/** Return a drag that has not begun. */
export const noDrag = () => ({
  phase: DRAG.START - 1,
  kind: DRAG_KIND.EVEN,
  slots: /** @type {Slot[]} */ ([])
})

/** @param {Clicked} window */
function endDrag(window) {
  window.drag = noDrag()
}

/**
 * Mode 0: left and right mouse button.
 * @param {Clicked} window @param {number} number @param {number} button @param {Hand} hand
 */
function pick(window, number, button, hand) {
  if (button > 1) return
  const { cursor } = window
  if (number === OUTSIDE) {
    if (!cursor) return
    const thrown = button === LEFT ? cursor.count : 1
    hand.drop(/** @type {Item} */ (copyOf(cursor, thrown)))
    window.cursor = copyOf(cursor, cursor.count - thrown)
    return
  }
  const slot = window.slots[number]
  if (!slot) return
  const { item } = slot
  if (!item) {
    if (cursor) window.cursor = slot.insert(cursor, button === LEFT ? cursor.count : 1)
  } else if (!cursor) {
    window.cursor = slot.take(button === LEFT ? item.count : Math.ceil(item.count / 2))
  } else if (!slot.mayPlace(cursor)) {
    if (isSameKind(item, cursor)) grow(window, slot.take(item.count, roomOn(cursor)))
  } else if (isSameKind(item, cursor)) {
    window.cursor = slot.insert(cursor, button === LEFT ? cursor.count : 1)
  } else if (cursor.count <= slot.limitFor(cursor) && slot.isDivisible) {
    slot.set(cursor)
    window.cursor = item
  }
}

/** @param {Item} cursor */
const roomOn = (cursor) => cursor.stackSize - cursor.count

/** @param {Clicked} window @param {Item | null} more items of the same kind as on the cursor */
function grow(window, more) {
  if (more) window.cursor = copyOf(more, (window.cursor?.count ?? 0) + more.count)
}

/**
 * Mode 1: shift-click. A result is crafted as often as possible.
 * @param {Clicked} window @param {number} number @param {number} button @param {Hand} hand
 */
function quickMove(window, number, button, hand) {
  const slot = window.slots[number]
  if (!slot || button > 1) return
  const kind = slot.item
  while (slot.item && isSameKind(slot.item, kind) && moveOnce(window, slot, hand)) {
    if (slot.isDivisible) return
  }
}

/**
 * @param {Clicked} window @param {Slot} slot @param {Hand} hand
 * @returns {boolean} true if anything moved
 */
function moveOnce(window, slot, hand) {
  const { item } = slot
  if (!item) return false
  const targets = window.quickMoveTargets(slot)
  const room = targets.reduce((sum, target) => sum + roomIn(target, item), 0)
  const movable = Math.min(room, item.count)
  const taken = slot.take(movable, Math.max(room, 0))
  if (!taken) return false
  const left = spread(targets, taken)
  // taking the item has already changed other slots, so what is left over must not be lost
  const lost = left && hand.give(left)
  if (lost) hand.drop(lost)
  return true
}

/** @param {Slot} slot @param {Item} item */
function roomIn(slot, item) {
  if (!slot.mayPlace(item) || (slot.item && !isSameKind(slot.item, item))) return 0
  return Math.max(0, slot.limitFor(item) - (slot.item?.count ?? 0))
}

/**
 * Add an item to stacks of its kind first, then to empty slots.
 * @param {Slot[]} slots @param {Item} item @returns {Item | null} the rest
 */
function spread(slots, item) {
  /** @type {Item | null} */
  let left = item
  for (const slot of slots) if (left && slot.item) left = slot.insert(left)
  for (const slot of slots) if (left && !slot.item) left = slot.insert(left)
  return left
}

/**
 * Mode 2: number keys and the off hand.
 * @param {Clicked} window @param {number} number @param {number} button @param {Hand} hand
 */
function swap(window, number, button, hand) {
  const slot = window.slots[number]
  const isHotbar = button >= 0 && button <= 8
  if (!slot || (!isHotbar && button !== OFF_HAND_BUTTON)) return
  const index = isHotbar ? HOTBAR_INDEX + button : OFF_HAND_INDEX
  if (slot.store === hand.inventory && slot.index === index) return
  const held = hand.inventory.slots[index]
  if (!slot.item) {
    if (held) hand.inventory.set(index, slot.insert(held))
  } else if (!held) {
    hand.inventory.set(index, slot.take(slot.item.count))
  } else if (slot.mayPlace(held) && slot.isDivisible) {
    exchange(slot, held, index, hand)
  }
}

/** @param {Slot} slot @param {Item} held @param {number} index @param {Hand} hand */
function exchange(slot, held, index, hand) {
  const fitting = Math.min(held.count, slot.limitFor(held))
  const taken = slot.take(/** @type {Item} */ (slot.item).count)
  hand.inventory.set(index, copyOf(held, held.count - fitting))
  slot.set(copyOf(held, fitting))
  if (!taken) return
  if (fitting === held.count) return hand.inventory.set(index, taken)
  const left = hand.give(taken)
  if (left) hand.drop(left)
}

/**
 * Mode 3: middle mouse button, in creative mode.
 * @param {Clicked} window @param {number} number @param {number} _button @param {Hand} hand
 */
function clone(window, number, _button, hand) {
  const item = window.slots[number]?.item
  if (hand.isCreative && item && !window.cursor) window.cursor = copyOf(item, item.stackSize)
}

/**
 * Mode 4: the drop key.
 * @param {Clicked} window @param {number} number @param {number} button @param {Hand} hand
 */
function throwOut(window, number, button, hand) {
  const slot = window.slots[number]
  if (!slot?.item || window.cursor) return
  const thrown = slot.take(button === LEFT ? 1 : slot.item.count)
  if (thrown) hand.drop(thrown)
}

/**
 * Mode 5: dragging, in three steps that arrive one by one.
 * @param {Clicked} window @param {number} number @param {number} button @param {Hand} hand
 */
function dragStep(window, number, button, hand) {
  const phase = button & 3
  const kind = (button >> 2) & 3
  const { drag, cursor } = window
  const isNext =
    phase === DRAG.START
      ? drag.phase === DRAG.START - 1
      : drag.phase === DRAG.START || drag.phase === DRAG.ADD
  if (!isNext || !cursor || phase > DRAG.END) return endDrag(window)
  if (phase === DRAG.START) {
    const isKnown = kind <= DRAG_KIND.ONE_EACH || (kind === DRAG_KIND.CLONE && hand.isCreative)
    if (isKnown) window.drag = { phase, kind, slots: [] }
  } else if (phase === DRAG.ADD) {
    const slot = window.slots[number]
    drag.phase = phase
    const hasEnough = drag.kind === DRAG_KIND.CLONE || cursor.count > drag.slots.length
    if (slot && !drag.slots.includes(slot) && hasEnough && takesDragged(slot, cursor)) {
      drag.slots.push(slot)
    }
  } else {
    endDrag(window)
    share(window, cursor, drag, hand)
  }
}

/** @param {Slot} slot @param {Item} item */
function takesDragged(slot, item) {
  return slot.mayPlace(item) && (!slot.item || isSameKind(slot.item, item))
}

/** @param {Clicked} window @param {Item} cursor @param {Clicked['drag']} drag @param {Hand} hand */
function share(window, cursor, { kind, slots }, hand) {
  if (slots.length === 0) return
  if (slots.length === 1 && kind !== DRAG_KIND.CLONE) {
    return pick(window, window.slots.indexOf(slots[0]), kind, hand)
  }
  const each = {
    [DRAG_KIND.EVEN]: Math.floor(cursor.count / slots.length),
    [DRAG_KIND.ONE_EACH]: 1
  }
  if (kind === DRAG_KIND.CLONE) {
    for (const slot of slots) slot.insert(/** @type {Item} */ (copyOf(cursor, cursor.stackSize)))
    return
  }
  for (const slot of slots) {
    if (window.cursor) window.cursor = slot.insert(window.cursor, each[kind])
  }
}

/**
 * Mode 6: a double click collects items of the same kind on the cursor, taking from full stacks
 * last.
 * @param {Clicked} window @param {number} number @param {number} button
 */
function gather(window, number, button) {
  const { cursor } = window
  if (!cursor || !window.slots[number] || window.slots[number].item) return
  const slots = button === LEFT ? window.slots : [...window.slots].reverse()
  for (const wholeStacks of [false, true]) {
    for (const slot of slots) {
      const { item } = slot
      if (!item || !slot.isDivisible || !isSameKind(item, cursor)) continue
      if (!wholeStacks && item.count === item.stackSize) continue
      grow(window, slot.take(item.count, roomOn(window.cursor ?? cursor)))
    }
  }
}
