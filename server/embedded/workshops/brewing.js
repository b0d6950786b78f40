/** Brewing recipes of vanilla 1.20.4 (minecraft.wiki: Brewing), and the window of a brewing stand. */
import { itemNamed, nbt } from '../minecraft/index.js'
import { Slot } from '../windows/slot.js'
import { betweenContainerAndInventory, carriedSlots, Window } from '../windows/window.js'

/** @import { Item, ItemTag } from '../types/index.d.ts' */
/** @import { Store } from '../windows/store.js' */

/** Slots of a brewing stand; the first three hold bottles. */
export const PLACE = { bottles: [0, 1, 2], ingredient: 3, fuel: 4 }
export const FUEL = 'blaze_powder'
const BOTTLE = /^(potion|splash_potion)$/
const SPLASH = 'gunpowder'

/** Result by ingredient and potion. @type {Record<string, Record<string, string>>} */
const MIXES = {
  nether_wart: { water: 'awkward' },
  glistering_melon_slice: { water: 'mundane', awkward: 'healing' },
  ghast_tear: { water: 'mundane', awkward: 'regeneration' },
  rabbit_foot: { water: 'mundane', awkward: 'leaping' },
  blaze_powder: { water: 'mundane', awkward: 'strength' },
  spider_eye: { water: 'mundane', awkward: 'poison' },
  sugar: { water: 'mundane', awkward: 'swiftness' },
  magma_cream: { water: 'mundane', awkward: 'fire_resistance' },
  golden_carrot: { awkward: 'night_vision' },
  turtle_helmet: { awkward: 'turtle_master' },
  pufferfish: { awkward: 'water_breathing' },
  phantom_membrane: { awkward: 'slow_falling' },
  redstone: {
    water: 'mundane',
    ...longer(
      'night_vision invisibility fire_resistance leaping slowness turtle_master swiftness water_breathing poison regeneration strength weakness slow_falling'
    )
  },
  glowstone_dust: {
    water: 'thick',
    ...stronger(
      'leaping slowness turtle_master swiftness healing harming poison regeneration strength'
    )
  },
  fermented_spider_eye: {
    water: 'weakness',
    night_vision: 'invisibility',
    long_night_vision: 'long_invisibility',
    leaping: 'slowness',
    long_leaping: 'long_slowness',
    swiftness: 'slowness',
    long_swiftness: 'long_slowness',
    healing: 'harming',
    strong_healing: 'strong_harming',
    poison: 'harming',
    long_poison: 'harming',
    strong_poison: 'strong_harming'
  }
}

/** @param {string} names */
function longer(names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, `long_${name}`]))
}

/** @param {string} names */
function stronger(names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, `strong_${name}`]))
}

/** @param {Item} item */
export const isIngredient = ({ name }) => Object.hasOwn(MIXES, name) || name === SPLASH

/** @param {Item} item @returns true if it fits the bottle slots */
export const isBottle = ({ name }) => BOTTLE.test(name) || name === 'glass_bottle'

/**
 * @param {Item | null} item
 * @returns {string} name of its potion, such as awkward; empty if it is no potion
 */
export function potionOf(item) {
  const tag = /** @type {{value: unknown} | undefined} */ (item?.nbt?.value.Potion)
  return String(tag?.value ?? '').replace('minecraft:', '')
}

/** @param {string} name such as water @param {string} [item] such as splash_potion @returns {Item} */
export function potionNamed(name, item = 'potion') {
  const made = itemNamed(item)
  const tag = nbt.comp({ Potion: nbt.string(`minecraft:${name}`) })
  made.nbt = /** @type {ItemTag} */ (/** @type {unknown} */ ({ ...tag, name: '' }))
  return made
}

/**
 * @param {Item | null} bottle @param {Item | null} ingredient
 * @returns {Item | null} the result, or null
 */
export function brew(bottle, ingredient) {
  if (!bottle || !ingredient || !BOTTLE.test(bottle.name)) return null
  const potion = potionOf(bottle)
  if (ingredient.name === SPLASH) {
    return bottle.name === 'potion' && potion ? potionNamed(potion, 'splash_potion') : null
  }
  const made = MIXES[ingredient.name]?.[potion]
  return made ? potionNamed(made, bottle.name) : null
}

/**
 * @param {{store: Store, progress(): [number, number][]}} stand @param {Store} inventory
 * @param {() => void} onClose
 */
export function brewingWindow(stand, inventory, onClose) {
  const { store } = stand
  const isFuel = (/** @type {Item} */ { name }) => name === FUEL
  const own = [
    ...PLACE.bottles.map((index) => new Slot(store, index, { limit: 1, mayPlace: isBottle })),
    new Slot(store, PLACE.ingredient, { mayPlace: isIngredient }),
    new Slot(store, PLACE.fuel, { mayPlace: isFuel })
  ]
  const slots = [...own, ...carriedSlots(inventory)]
  const quickMoveTargets = betweenContainerAndInventory(slots, own.length, (item) => {
    if (isFuel(item)) return [own[PLACE.fuel], own[PLACE.ingredient]]
    if (isIngredient(item)) return [own[PLACE.ingredient]]
    return isBottle(item) ? PLACE.bottles.map((index) => own[index]) : []
  })
  const [type, title] = ['minecraft:brewing_stand', 'Brewing Stand']
  const properties = () => stand.progress()
  return new Window({ type, title, slots, quickMoveTargets, onClose, properties })
}
