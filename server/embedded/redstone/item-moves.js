/**
 * Automatic moves of items between containers: what each side accepts and releases, and in which
 * order, as in vanilla. A move is complete when the function returns, so that no item is lost or
 * duplicated.
 */
import { itemNamed } from '../minecraft/index.js'
import { fuelTicks } from '../workshops/smelting.js'
import { FUEL as POWDER, isBottle, isIngredient, PLACE } from '../workshops/brewing.js'
import { copyOf, isSameKind } from '../windows/store.js'
import { BrewingStand } from '../workshops/brewing-stands.js'
import { halvesAt } from '../windows/chests.js'
import { BOX } from '../windows/containers.js'
import { Furnace } from '../workshops/furnaces.js'

/** @import { Item, Server, Vec3 } from '../types/index.d.ts' */
/** @import { Container } from '../types/additions.d.ts' */
/** @import { Store } from '../windows/store.js' */

/**
 * One slot of a container.
 * @typedef {{store: Store, index: number, mayPut(item: Item): boolean, mayTake(item: Item): boolean}} Place
 */

const [INPUT, FUEL, OUTPUT] = [0, 1, 2]
/** Containers that hoppers cannot access. */
const OUT_OF_REACH = /campfire$|^lectern$/
const anything = () => true
const nothing = () => false

/**
 * Return the slots of a container that can be accessed from a side; null if there is no container.
 * @param {Server} serv @param {Vec3} position @param {'up' | 'down' | 'side'} side of the container
 * @returns {Place[] | null}
 */
export function placesAt(serv, position, side) {
  const found = halvesAt(serv, position).map(serv.containerAt)
  const containers = found
    .filter((container) => container !== null)
    .filter(({ name }) => !OUT_OF_REACH.test(name))
  return containers.length ? containers.flatMap((container) => placesOf(container, side)) : null
}

/** @param {Container | Furnace} container @param {'up' | 'down' | 'side'} side @returns {Place[]} */
function placesOf(container, side) {
  const { store, name } = container
  if (container instanceof BrewingStand) return placesOfStand(store, side)
  if (!(container instanceof Furnace)) {
    const mayPut = BOX.test(name) ? (/** @type {Item} */ item) => !BOX.test(item.name) : anything
    return store.slots.map((_, index) => ({ store, index, mayPut, mayTake: anything }))
  }
  if (side === 'up') return [{ store, index: INPUT, mayPut: anything, mayTake: anything }]
  const burns = (/** @type {Item} */ item) =>
    fuelTicks(container.kind, item.name) > 0 ||
    (item.name === 'bucket' && store.slots[FUEL]?.name !== 'bucket')
  const fuel = { store, index: FUEL, mayPut: burns, mayTake: anything }
  if (side === 'side') return [fuel]
  const isEmptied = (/** @type {Item} */ { name: held }) => /^(water_)?bucket$/.test(held)
  const output = { store, index: OUTPUT, mayPut: nothing, mayTake: anything }
  return [output, { ...fuel, mayPut: nothing, mayTake: isEmptied }]
}

/**
 * @param {Store} store @param {'up' | 'down' | 'side'} side
 * @returns {Place[]} slots of a brewing stand
 */
function placesOfStand(store, side) {
  const mayPut = isIngredient
  const ingredient = { store, index: PLACE.ingredient, mayPut, mayTake: nothing }
  if (side === 'up') return [ingredient]
  const bottles = PLACE.bottles.map((index) => ({
    store,
    index,
    mayPut: (/** @type {Item} */ item) => side === 'side' && isBottle(item) && !store.slots[index],
    mayTake: anything
  }))
  const isEmptied = (/** @type {Item} */ { name }) => name === 'glass_bottle'
  if (side === 'down') return [...bottles, { ...ingredient, mayPut: nothing, mayTake: isEmptied }]
  const burns = (/** @type {Item} */ { name }) => name === POWDER
  return [...bottles, { store, index: PLACE.fuel, mayPut: burns, mayTake: anything }]
}

/**
 * Put a stack into the first slots that have room, as much of it as fits.
 * @param {Place[]} places @param {Item} item @returns {Item | null} the rest
 */
export function put(places, item) {
  /** @type {Item | null} */
  let left = item
  for (const { store, index, mayPut } of places) {
    if (!left) break
    const held = store.slots[index]
    if (!mayPut(left) || (held && !isSameKind(held, left))) continue
    const moved = Math.min(left.count, left.stackSize - (held?.count ?? 0))
    if (moved <= 0) continue
    store.set(index, copyOf(left, (held?.count ?? 0) + moved))
    left = copyOf(left, left.count - moved)
  }
  return left
}

/** Move one item. @param {Place[]} from @param {Place[]} to @returns {boolean} true if one moved */
export function moveOne(from, to) {
  for (const { store, index, mayTake } of from) {
    const held = store.slots[index]
    if (!held || !mayTake(held)) continue
    const one = /** @type {Item} */ (copyOf(held, 1))
    if (put(to, one)) continue
    store.set(index, copyOf(held, held.count - 1))
    return true
  }
  return false
}

/**
 * Replace one item of a stack with another item.
 * @param {Store} store @param {number} index @param {string} name
 * @returns {Item | null} the new item if there is no room for it
 */
export function exchangeOne(store, index, name) {
  const held = store.slots[index]
  const made = itemNamed(name)
  store.set(index, copyOf(held, (held?.count ?? 0) - 1))
  return put(
    store.slots.map((_, at) => ({ store, index: at, mayPut: anything, mayTake: anything })),
    made
  )
}
