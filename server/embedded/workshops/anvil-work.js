/** Results and costs of anvils: vanilla's rules (minecraft.wiki: Anvil mechanics, Java Edition). */
import { nameOfStack } from '../minecraft/item-names.js'
import { nbt, registry } from '../minecraft/index.js'
import { plain } from '../minecraft/texts.js'
import { copyOf } from '../windows/store.js'

/** @import { Item } from '../types/index.d.ts' */

/** Cost in levels per level of an enchantment, by its rarity. @type {Record<number, number>} */
const LEVELS_BY_WEIGHT = { 10: 1, 5: 2, 2: 4, 1: 8 }
const TOO_EXPENSIVE = 40
const REPAIR_LEVELS = 2
/** Repair per piece of material, and the bonus for joining two items. */
const SHARE = { material: 1 / 4, joined: 12 / 100 }

/**
 * @typedef {object} Work
 * @property {Item | null} item
 * @property {number} cost in levels
 * @property {number} used number of second items used up; Infinity for all
 */

/** @type {Work} */
const NOTHING = { item: null, cost: 0, used: 0 }

/** @param {Item} item */
const lifeOf = ({ type }) => registry.items[type].maxDurability ?? 0
/** @param {Item} item */
const wearOf = ({ nbt: tag }) => Number(tag?.value.Damage?.value ?? 0)
/** @param {Item} item */
const isBook = ({ name }) => name === 'enchanted_book'

/**
 * @param {Item | null} one @param {Item | null} two
 * @param {{name: string | null, isCreative: boolean}} options `name` is the typed name, or null
 * @returns {Work}
 */
export function workOf(one, two, { name, isCreative }) {
  if (!one) return NOTHING
  const made = /** @type {Item} */ (copyOf(one))
  made.nbt = one.nbt ? structuredClone(one.nbt) : nbt.comp({}) // items are immutable
  const added = two ? join(made, two, isCreative) : { levels: 0, used: 0 }
  if (!added) return NOTHING
  const nameLevels = rename(made, one, name)
  const levels = added.levels + nameLevels
  const isNameOnly = levels === nameLevels
  const asked = levels + one.repairCost + (two?.repairCost ?? 0)
  const cost = isNameOnly && nameLevels ? Math.min(asked, TOO_EXPENSIVE - 1) : asked
  if (levels === 0 || (cost >= TOO_EXPENSIVE && !isCreative)) return { ...NOTHING, cost }
  const before = Math.max(one.repairCost, two?.repairCost ?? 0)
  const after = isNameOnly ? before : before * 2 + 1
  if (after) made.repairCost = after
  if (!Object.keys(made.nbt.value).length) made.nbt = null
  return { item: made, cost, used: added.used }
}

/**
 * Repair and enchant.
 * @param {Item} made is changed @param {Item} two @param {boolean} isCreative
 * @returns {{levels: number, used: number} | null} null if the two items cannot be combined
 */
function join(made, two, isCreative) {
  const life = lifeOf(made)
  if (life && registry.items[made.type].repairWith?.includes(two.name)) return mend(made, two)
  const fromBook = isBook(two) && two.enchants.length > 0
  if (!fromBook && (made.type !== two.type || !life)) return null
  const repairLevels = life && !fromBook ? merge(made, two) : 0
  const levels = enchant(made, two, { fromBook, isCreative })
  return levels === null ? null : { levels: repairLevels + levels, used: Infinity }
}

/** Repair with pieces of the material. @param {Item} made @param {Item} material */
function mend(made, material) {
  let [wear, used] = [wearOf(made), 0]
  if (!wear) return null
  for (; wear > 0 && used < material.count; used++)
    wear -= Math.min(wear, Math.floor(lifeOf(made) * SHARE.material))
  setWear(made, wear)
  return { levels: used, used }
}

/**
 * Combine two items of the same kind.
 * @param {Item} made @param {Item} two @returns {number} levels
 */
function merge(made, two) {
  const life = lifeOf(made)
  const left = life - wearOf(made) + (life - wearOf(two)) + Math.floor(life * SHARE.joined)
  const wear = Math.max(0, life - left)
  if (wear >= wearOf(made)) return 0
  setWear(made, wear)
  return REPAIR_LEVELS
}

/** @param {Item} made @param {number} wear */
const setWear = (made, wear) => {
  if (made.nbt) made.nbt.value.Damage = nbt.int(wear)
}

/**
 * @param {Item} made @param {Item} two @param {{fromBook: boolean, isCreative: boolean}} how
 * @returns {number | null} levels; null if none of the enchantments is possible
 */
function enchant(made, two, { fromBook, isCreative }) {
  const levels = new Map(made.enchants.map(({ name, lvl }) => [name, lvl]))
  let [cost, isAnyTaken, isAnyRefused] = [0, false, false]
  for (const { name, lvl } of two.enchants) {
    const kind = registry.enchantmentsByName[name]
    if (!kind) continue
    const before = levels.get(name) ?? 0
    const level = Math.min(kind.maxLevel, before === lvl ? lvl + 1 : Math.max(lvl, before))
    const clashes = [...levels.keys()].filter((other) => kind.exclude.includes(other)).length
    cost += clashes
    const categories = registry.items[made.type].enchantCategories ?? []
    const fits = categories.includes(kind.category) || isCreative || isBook(made)
    if (!fits || clashes) {
      isAnyRefused = true
      continue
    }
    isAnyTaken = true
    levels.set(name, level)
    const weight = LEVELS_BY_WEIGHT[kind.weight] ?? 1
    cost += level * (fromBook ? Math.max(1, weight / 2) : weight)
  }
  if (isAnyRefused && !isAnyTaken) return null
  if (isAnyTaken) made.enchants = [...levels].map(([name, lvl]) => ({ name, lvl }))
  return isAnyTaken && made.count > 1 ? TOO_EXPENSIVE : cost
}

/**
 * Set or remove a custom name.
 * @param {Item} made is changed @param {Item} one @param {string | null} name
 * @returns {number} levels
 */
function rename(made, one, name) {
  if (name?.trim()) {
    if (name === plain(nameOfStack(one))) return 0
    made.customName = JSON.stringify({ text: name })
    return 1
  }
  if (one.customName === null) return 0
  const { display } = /** @type {{value: Record<string, any>}} */ (made.nbt).value
  delete display.value.Name
  if (!Object.keys(display.value).length) delete made.nbt?.value.display
  return 1
}
