/** Results of anvils, with vanilla's numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemNamed, nbt } from '../../minecraft/index.js'
import { workOf } from '../../workshops/anvil-work.js'

/** @import { Item } from '../../types/index.d.ts' */

const PLAYER = { name: null, isCreative: false }
/**
 * @param {string} name
 * @param {{enchants?: Record<string, number>, wear?: number, repairCost?: number, count?: number}} [options]
 */
function thing(name, { enchants = {}, wear, repairCost, count = 1 } = {}) {
  const item = itemNamed(name, count)
  item.enchants = Object.entries(enchants).map(([kind, lvl]) => ({ name: kind, lvl }))
  if (repairCost) item.repairCost = repairCost
  if (wear && item.nbt) item.nbt.value.Damage = nbt.int(wear)
  return item
}
/** @param {Item | null} item */
const wearOf = (item) => item?.nbt?.value.Damage?.value

test('renaming gives a JSON component, costs a level, and does not raise later costs', () => {
  const { item, cost } = workOf(thing('diamond_sword'), null, { ...PLAYER, name: 'Edge' })
  assert.deepEqual(JSON.parse(item?.customName ?? ''), { text: 'Edge' })
  assert.deepEqual([cost, item?.repairCost], [1, 0])
  // Its current name costs nothing and gives no result; an empty one removes it.
  assert.equal(workOf(item, null, { ...PLAYER, name: 'Edge' }).item, null)
  assert.equal(workOf(item, null, { ...PLAYER, name: '' }).item?.customName, null)
  const usual = workOf(thing('diamond_sword'), null, { ...PLAYER, name: 'Diamond Sword' })
  assert.equal(usual.item, null)
})

test('renaming alone never costs more than 39 levels', () => {
  const old = thing('diamond_sword', { repairCost: 63 })
  const { item, cost } = workOf(old, null, { ...PLAYER, name: 'Edge' })
  assert.deepEqual([cost, item?.repairCost], [39, 63])
  const book = thing('enchanted_book', { enchants: { sharpness: 1 } })
  assert.equal(workOf(old, book, PLAYER).item, null, 'too expensive')
  assert.equal(workOf(old, book, { ...PLAYER, isCreative: true }).item?.repairCost, 127)
})

test('tools are repaired with their material or with each other', () => {
  const pickaxe = thing('iron_pickaxe', { wear: 200 }) // of 250
  const byIron = workOf(pickaxe, thing('iron_ingot', { count: 9 }), PLAYER)
  assert.deepEqual([byIron.cost, byIron.used, wearOf(byIron.item)], [4, 4, 0])
  const little = workOf(pickaxe, thing('iron_ingot'), PLAYER)
  assert.deepEqual([little.cost, little.used, wearOf(little.item)], [1, 1, 138])
  const joined = workOf(pickaxe, thing('iron_pickaxe', { wear: 230 }), PLAYER)
  assert.deepEqual([joined.cost, joined.used, wearOf(joined.item)], [2, Infinity, 150])
  assert.equal(joined.item?.repairCost, 1)
  assert.equal(workOf(thing('iron_pickaxe'), thing('iron_ingot'), PLAYER).item, null)
  assert.equal(workOf(pickaxe, thing('diamond'), PLAYER).item, null)
})

test('combining enchantments costs levels by rarity, half as many from books', () => {
  const sword = thing('diamond_sword', { enchants: { sharpness: 4 } })
  const enchanted = (/** @type {Item} */ two, isCreative = false) => {
    const { item, cost } = workOf(sword, two, { name: null, isCreative })
    return [cost, item && Object.fromEntries(item.enchants.map(({ name, lvl }) => [name, lvl]))]
  }
  const book = (/** @type {Record<string, number>} */ enchants) =>
    thing('enchanted_book', { enchants })
  assert.deepEqual(enchanted(book({ sharpness: 4 })), [5, { sharpness: 5 }])
  assert.deepEqual(enchanted(book({ looting: 3 })), [6, { sharpness: 4, looting: 3 }])
  const other = thing('diamond_sword', { enchants: { looting: 3 } })
  assert.deepEqual(enchanted(other), [12, { sharpness: 4, looting: 3 }])
  assert.deepEqual(enchanted(book({ smite: 1 }))[1], null, 'they exclude each other')
  assert.deepEqual(enchanted(book({ efficiency: 1 }))[1], null, 'not for swords')
  assert.deepEqual(enchanted(book({ efficiency: 1 }), true)[1], { sharpness: 4, efficiency: 1 })
  assert.deepEqual(sword.enchants, [{ name: 'sharpness', lvl: 4 }], 'the sword itself is unchanged')
})
