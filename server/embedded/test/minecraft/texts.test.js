/** Texts in packets, and names of things. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSnbt } from '../../minecraft/snbt.js'
import { stackOf } from '../../minecraft/items.js'
import { inBrackets } from '../../minecraft/item-names.js'
import { nbt, registry } from '../../minecraft/index.js'
import { priceOf } from '../../workshops/trading.js'
import { packed, plain, translated } from '../../minecraft/texts.js'

/** @param {import('../../types/index.d.ts').Component} component */
const simple = (component) => nbt.simplify(/** @type {any} */ (packed(component)))

test('a text without a style is sent as a string, as in vanilla', () => {
  assert.deepEqual(packed({ text: 'T' }), { type: 'string', value: 'T' })
  assert.deepEqual(packed({ text: '', extra: [] }), { type: 'string', value: '' })
  assert.equal(packed({ text: 'T', color: 'red' }).type, 'compound')
  const said = translated('chat.type.text', 'Ada', 'hello')
  assert.deepEqual(simple(said), { translate: 'chat.type.text', with: ['Ada', 'hello'] })
})

test('a string among compounds becomes a member without a name', () => {
  const said = translated('chat.type.text', { text: 'Ada', color: 'red' }, 'hello')
  const wanted = [{ text: 'Ada', color: 'red' }, { '': 'hello' }]
  assert.deepEqual(simple(said), { translate: 'chat.type.text', with: wanted })
})

test('an item’s name is its custom name, its title, or follows from its content', () => {
  const called = (/** @type {string} */ name, /** @type {string} */ tag) =>
    plain(inBrackets(stackOf(registry.itemsByName[name].id, 1, parseSnbt(tag))))
  assert.equal(called('stone_sword', '{}'), '[Stone Sword]')
  assert.equal(called('stone_sword', `{display:{Name:'"Two Words"'}}`), '[Two Words]')
  assert.equal(called('stone_sword', `{display:{Name:'{"text":"Edge"}'}}`), '[Edge]')
  assert.equal(called('written_book', '{title:"The Law",author:"A"}'), '[The Law]')
  assert.equal(called('written_book', '{}'), '[Written Book]')
  assert.equal(called('potion', '{Potion:"minecraft:healing"}'), '[Potion of Healing]')
  assert.equal(
    called('splash_potion', '{Potion:"strong_swiftness"}'),
    '[Splash Potion of Swiftness]'
  )
  assert.equal(called('tipped_arrow', '{Potion:"minecraft:long_poison"}'), '[Arrow of Poison]')
  assert.equal(called('potion', '{}'), '[Uncraftable Potion]')
  assert.equal(called('player_head', '{SkullOwner:"Ada"}'), "[Ada's Head]")
  assert.equal(called('shield', '{BlockEntityTag:{Base:14}}'), '[Red Shield]')
})

test('demand and special prices raise and lower a trade’s price', () => {
  const price = (
    /** @type {number} */ count,
    /** @type {number} */ demand,
    multiplier = 0.05,
    special = 0
  ) => {
    const buy = stackOf(registry.itemsByName.emerald.id, count)
    const rest = { at: 0, buyB: null, sell: buy, most: 4, uses: 0, xp: 1, isRewarded: true }
    return priceOf({ buy, demand, multiplier, special, ...rest }).count
  }
  assert.equal(price(2, 60, 0.05, -4), 4)
  assert.equal(price(2, 60), 8)
  assert.equal(price(2, -60), 2)
  assert.equal(price(2, 0, 0.05, -4), 1)
  assert.equal(price(40, 60), 64)
})
