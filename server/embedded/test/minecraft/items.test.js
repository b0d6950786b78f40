/** Items from clients, commands and files have reliable types, whatever their tags contain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSnbt, snbtOf } from '../../minecraft/snbt.js'
import { itemFrom, itemOf, soundTag, stackOf } from '../../minecraft/items.js'
import { Item, registry } from '../../minecraft/index.js'

/** @import { PacketItem, Tag } from '../../types/index.d.ts' */

const SWORD = registry.itemsByName.diamond_sword.id
const KEYS = ['Enchantments', 'StoredEnchantments', 'display', 'Damage', 'RepairCost', 'Potion']
const MORE = ['id', 'lvl', 'Name', 'Lore', 'Charged', 'ChargedProjectiles', 'pages', 'mine']

/** Tags of any type, with the names of items' tags. */
const { tag } = fc.letrec((/** @type {any} */ tie) => ({
  tag: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constant('string'), value: fc.string() }),
    fc.record({ type: fc.constantFrom('byte', 'short', 'int', 'double'), value: fc.integer() }),
    fc
      .array(fc.string(), { maxLength: 3 })
      .map((value) => ({ type: 'list', value: { type: 'string', value } })),
    fc
      .array(tie('compound'), { maxLength: 3 })
      .map((all) => /** @type {Tag[]} */ (all).map(({ value }) => value))
      .map((value) => ({ type: 'list', value: { type: 'compound', value } })),
    tie('compound')
  ),
  compound: fc
    .dictionary(fc.constantFrom(...KEYS, ...MORE), tie('tag'), { maxKeys: 5 })
    .map((value) => ({ type: 'compound', value }))
}))

test('an item with any tag can be read', () => {
  fc.assert(
    fc.property(tag, (drawn) => {
      for (const name of ['diamond_sword', 'enchanted_book']) {
        const item = stackOf(registry.itemsByName[name].id, 1, /** @type {Tag} */ (drawn))
        for (const { name: kind, lvl } of item.enchants) {
          assert.equal(typeof kind, 'string')
          assert.equal(typeof lvl, 'number')
        }
        assert.ok(['string', 'object'].includes(typeof item.customName))
        assert.equal(typeof (item.nbt?.value?.Damage?.value ?? 0), 'number')
      }
    }),
    { numRuns: 2000 }
  )
})

test('valid tags stay unchanged', () => {
  const text =
    '{Damage: 3, Enchantments: [{id: "minecraft:sharpness", lvl: 2s}], display: {Name: "Edge"}, mine: [1b]}'
  const tag = parseSnbt(text)
  assert.equal(snbtOf(/** @type {any} */ (soundTag(tag))), snbtOf(tag))
  assert.deepEqual(stackOf(SWORD, 1, tag).enchants, [{ name: 'sharpness', lvl: 2 }])
})

test('only the field with a wrong type is left out', () => {
  const tag = parseSnbt('{Enchantments: "x", Damage: 3, display: {Name: 3, Lore: ["a"]}}')
  assert.equal(
    snbtOf(/** @type {any} */ (soundTag(tag))),
    snbtOf(parseSnbt('{Damage: 3, display: {Lore: ["a"]}}'))
  )
})

test('the same restrictions apply to clients and commands', () => {
  const packet = /** @type {PacketItem} */ (Item.toNotch(new Item(SWORD, 1)))
  const bad = {
    type: 'compound',
    name: '',
    value: { Enchantments: { type: 'string', value: 'x' } }
  }
  assert.deepEqual(itemFrom(/** @type {any} */ ({ ...packet, nbtData: bad }))?.enchants, [])
})

test('counts are bytes', () => {
  const counted = (/** @type {string} */ count) =>
    itemOf(parseSnbt(`{id: "minecraft:diamond", Count: ${count}}`))?.count
  assert.deepEqual(['3b', '64', '300', '-1b', '"x"'].map(counted), [
    3,
    64,
    44,
    undefined,
    undefined
  ])
})
