/** Windows of workstations with inputs and a result: enchanting tables, anvils and traders. */
import { Slot } from '../windows/slot.js'
import { isSameKind, Store } from '../windows/store.js'
import { betweenContainerAndInventory, carriedSlots, Window } from '../windows/window.js'

/** @import { Item } from '../types/index.d.ts' */
/** @import { Hand } from '../windows/clicks.js' */

/**
 * Behaviour of a window with two inputs and a result.
 * @typedef {object} Craft
 * @property {(inputs: (Item | null)[]) => Item | null} result
 * @property {() => boolean} [mayTake]
 * @property {(inputs: Store, taken: Item) => void} onTake consumes the inputs
 * @property {() => [number, number][]} [properties]
 */

/** Return the items of a closing window to the player. @param {Store} store @param {Hand} hand */
function giveBack(store, hand) {
  for (const item of store.empty()) {
    const left = hand.give(item)
    if (left) hand.drop(left)
  }
}

/**
 * Return a window with two inputs and a result, for anvils and traders.
 * @param {{type: string, title: string, inventory: Store, hand: Hand, craft: Craft}} options
 * @returns {{window: Window, inputs: Store, refresh: () => void}}
 */
export function makingWindow({ type, title, inventory, hand, craft }) {
  const inputs = new Store(2)
  const result = new Store(1)
  let isTaking = false
  const refresh = () => {
    if (!isTaking) result.set(0, craft.result(inputs.slots))
  }
  inputs.on('change', refresh)
  const onTake = (/** @type {Item} */ taken) => {
    isTaking = true
    craft.onTake(inputs, taken)
    isTaking = false
    refresh()
  }
  const own = [
    new Slot(inputs, 0),
    new Slot(inputs, 1),
    new Slot(result, 0, { mayPlace: () => false, isWhole: true, onTake, mayTake: craft.mayTake })
  ]
  const slots = [...own, ...carriedSlots(inventory)]
  const quickMoveTargets = betweenContainerAndInventory(slots, own.length, () => own.slice(0, 2))
  const onClose = () => giveBack(inputs, hand)
  const { properties } = craft
  const window = new Window({ type, title, slots, quickMoveTargets, onClose, properties })
  return { window, inputs, refresh }
}

/**
 * Return the window of an enchanting table: the item and the lapis lazuli.
 * @param {{inventory: Store, hand: Hand, properties: () => [number, number][]}} options
 */
export function enchantingWindow({ inventory, hand, properties }) {
  const inputs = new Store(2)
  const isLapis = (/** @type {Item} */ item) => item.name === 'lapis_lazuli'
  const own = [new Slot(inputs, 0, { limit: 1 }), new Slot(inputs, 1, { mayPlace: isLapis })]
  const slots = [...own, ...carriedSlots(inventory)]
  const quickMoveTargets = betweenContainerAndInventory(slots, own.length, (item) =>
    isLapis(item) ? [own[1]] : inputs.slots[0] ? [] : [own[0]]
  )
  const onClose = () => giveBack(inputs, hand)
  const [type, title] = ['minecraft:enchantment', 'Enchant']
  const window = new Window({ type, title, slots, quickMoveTargets, onClose, properties })
  return { window, inputs }
}

/**
 * Move a trade's input from the inventory into its slot.
 * @param {Store} inputs @param {number} index @param {Store} inventory @param {Item | null} wanted
 */
export function fillInput(inputs, index, inventory, wanted) {
  if (!wanted) return
  for (let at = 9; at < 45; at++) {
    const there = inventory.slots[at]
    const held = inputs.slots[index]
    if (!there || there.type !== wanted.type || (held && !isSameKind(held, there))) continue
    const rest = new Slot(inputs, index).insert(there)
    inventory.set(at, rest)
  }
}
