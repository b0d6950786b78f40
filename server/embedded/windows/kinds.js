/** Kinds of windows: their slots in the protocol's order, and the rules of shift-click. */
import { craft, lessOf, remainderOf } from '../workshops/recipes.js'
import { Slot } from './slot.js'
import { fuelTicks, smeltedFrom } from '../workshops/smelting.js'
import { Store } from './store.js'
import {
  betweenContainerAndInventory,
  carriedSlots,
  HOTBAR,
  MAIN,
  OFF_HAND,
  Window
} from './window.js'

/** @typedef {import('./store.js').Item} Item */

const ARMOUR = [
  { index: 5, name: /_helmet$|^carved_pumpkin$|_(head|skull)$/ },
  { index: 6, name: /_chestplate$|^elytra$/ },
  { index: 7, name: /_leggings$/ },
  { index: 8, name: /_boots$/ }
]

/** Window types by number of slots. @type {Record<number, string>} */
const SMALL = { 5: 'minecraft:hopper', 9: 'minecraft:generic_3x3' }

/**
 * Return a crafting grid with its result, which is kept up to date.
 * @param {Store} grid
 * @param {import('./clicks.js').Hand} hand receives remainders that do not fit into the grid
 */
function craftingSlots(grid, hand) {
  const result = new Store(1)
  const size = grid.slots.length
  /** @type {() => void} */
  let onResult = () => {}
  let isConsuming = false
  const refresh = () => {
    if (isConsuming) return
    result.set(0, craft(grid.slots))
    onResult()
  }
  grid.on('change', refresh)

  const consume = (/** @type {Item} */ taken) => {
    hand.crafted(taken)
    isConsuming = true
    for (let index = 0; index < size; index++) {
      const item = grid.slots[index]
      if (!item) continue
      const remainder = remainderOf(item)
      grid.set(index, lessOf(item, 1))
      if (remainder) putBack(index, remainder)
    }
    isConsuming = false
    refresh()
  }

  /** @param {number} index @param {Item} remainder */
  function putBack(index, remainder) {
    if (!grid.slots[index]) return grid.set(index, remainder)
    const left = hand.give(remainder)
    if (left) hand.drop(left)
  }

  const slots = [
    new Slot(result, 0, { mayPlace: () => false, isWhole: true, onTake: consume }),
    ...grid.slots.map((_, index) => new Slot(grid, index))
  ]
  return { slots, whenResult: (/** @type {() => void} */ call) => (onResult = call) }
}

/**
 * The player's own window: 2×2 grid, armour, inventory, hotbar, off hand.
 * @param {Store} inventory @param {Store} grid @param {import('./clicks.js').Hand} hand
 */
export function inventoryWindow(inventory, grid, hand) {
  const crafting = craftingSlots(grid, hand)
  const armour = ARMOUR.map(
    ({ index, name }) =>
      new Slot(inventory, index, { limit: 1, mayPlace: (item) => name.test(item.name) })
  )
  const carried = carriedSlots(inventory)
  const offHand = new Slot(inventory, OFF_HAND)
  const slots = [...crafting.slots, ...armour, ...carried, offHand]
  const [main, hotbar] = [carried.slice(0, MAIN.length), carried.slice(MAIN.length)]
  /** @param {Slot} slot @param {number} index */
  const quickMoveTargets = (slot, index) => {
    if (index === 0) return [...carried].reverse()
    if (index < 9 || index === OFF_HAND) return carried
    const worn = armour.find((place) => slot.item && !place.item && place.mayPlace(slot.item))
    if (worn) return [worn]
    if (slot.item?.name === 'shield' && !offHand.item) return [offHand]
    return HOTBAR.includes(index) ? main : hotbar
  }
  const window = new Window({ type: 'minecraft:inventory', title: '', slots, quickMoveTargets })
  crafting.whenResult(() => (window.isResultDue = true))
  return window
}

/** @param {Store} inventory @param {import('./clicks.js').Hand} hand */
export function craftingWindow(inventory, hand) {
  const grid = new Store(9)
  const crafting = craftingSlots(grid, hand)
  const carried = carriedSlots(inventory)
  const slots = [...crafting.slots, ...carried]
  const [main, hotbar] = [carried.slice(0, 27), carried.slice(27)]
  /** @param {Slot} _slot @param {number} index */
  const quickMoveTargets = (_slot, index) => {
    if (index === 0) return [...carried].reverse()
    if (index < 10) return carried
    return [...crafting.slots.slice(1), ...(index < 37 ? hotbar : main)]
  }
  const onClose = () => {
    for (const item of grid.empty()) {
      const left = hand.give(item)
      if (left) hand.drop(left)
    }
  }
  const options = {
    type: 'minecraft:crafting',
    title: 'Crafting',
    slots,
    quickMoveTargets,
    onClose
  }
  const window = new Window(options)
  crafting.whenResult(() => (window.isResultDue = true))
  return window
}

/**
 * Return the window of a chest, barrel, hopper or dispenser.
 * @param {Store[]} stores the container, or the two halves of a double chest @param {string} title
 * @param {Store} inventory @param {() => void} onClose
 * @param {(item: Item) => boolean} [mayPlace] restricts the items
 */
export function chestWindow(stores, title, inventory, onClose, mayPlace) {
  const own = stores.flatMap((store) =>
    store.slots.map((_, index) => new Slot(store, index, { mayPlace }))
  )
  const slots = [...own, ...carriedSlots(inventory)]
  const quickMoveTargets = betweenContainerAndInventory(slots, own.length, () => own)
  const isBox = title.endsWith('Shulker Box')
  const type = isBox
    ? 'minecraft:shulker_box'
    : (SMALL[own.length] ?? `minecraft:generic_9x${own.length / 9}`)
  return new Window({ type, title, slots, quickMoveTargets, onClose })
}

/**
 * @param {import('../workshops/furnaces.js').Furnace} furnace @param {Store} inventory
 * @param {() => void} onClose @param {() => void} onTake called when a smelted item is taken out
 */
export function furnaceWindow(furnace, inventory, onClose, onTake) {
  const { store, kind } = furnace
  const isFuel = (/** @type {Item} */ item) => fuelTicks(kind, item.name) > 0
  const own = [
    new Slot(store, 0),
    new Slot(store, 1, { mayPlace: (item) => isFuel(item) || item.name === 'bucket' }),
    new Slot(store, 2, { mayPlace: () => false, onTake })
  ]
  const slots = [...own, ...carriedSlots(inventory)]
  const quickMoveTargets = betweenContainerAndInventory(slots, own.length, (item) => {
    if (smeltedFrom(kind, item.name)) return [own[0]]
    return isFuel(item) ? [own[1]] : []
  })
  const properties = () => furnace.progress()
  return new Window({
    type: `minecraft:${kind}`,
    title: furnace.title,
    slots,
    quickMoveTargets,
    onClose,
    properties
  })
}
