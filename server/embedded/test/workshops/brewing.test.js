/** Brewing stands, tick by tick, on a server whose ticks are run by hand. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { itemNamed, registry, Vec3 } from '../../minecraft/index.js'
import { stateAt, propertiesOf, stateOf } from '../../blocks/blocks.js'
import { brew, potionNamed, potionOf } from '../../workshops/brewing.js'
import { startManualServer } from '../by-hand.js'

const STAND = new Vec3(0, 100, 0)
const BREW_TICKS = 400

const { serv, tick, close } = await startManualServer()
after(close)
serv.loadBox(STAND.offset(-16, 0, -16), STAND.offset(16, 0, 16))

/**
 * Create a stand with these items.
 * @param {(import('../../types/index.d.ts').Item | null)[]} items
 */
function stand(items) {
  serv.setBlock(STAND, 0)
  for (const drop of [...serv.drops.values()]) serv.removeDrop(drop)
  serv.setBlock(STAND, registry.blocksByName.brewing_stand.defaultState)
  const store = /** @type {import('../../windows/store.js').Store} */ (
    serv.containerAt(STAND)?.store
  )
  items.forEach((item, index) => store.set(index, item))
  return store
}

/**
 * Return the result of a chain of ingredients, starting with water.
 * @param {string[]} ingredients
 */
const chain = (...ingredients) =>
  ingredients.reduce(
    (/** @type {import('../../types/index.d.ts').Item | null} */ bottle, name) =>
      brew(bottle, itemNamed(name)),
    potionNamed('water')
  )

test('ingredients give the same potions as in vanilla', () => {
  const wart = 'nether_wart'
  assert.equal(potionOf(chain(wart)), 'awkward')
  assert.equal(potionOf(chain(wart, 'sugar', 'redstone')), 'long_swiftness')
  assert.equal(potionOf(chain(wart, 'glistering_melon_slice', 'glowstone_dust')), 'strong_healing')
  assert.equal(
    potionOf(chain(wart, 'glistering_melon_slice', 'glowstone_dust', 'fermented_spider_eye')),
    'strong_harming'
  )
  assert.equal(potionOf(chain('fermented_spider_eye')), 'weakness')
  const splash = chain(wart, 'spider_eye', 'gunpowder')
  assert.equal(splash?.name, 'splash_potion')
  assert.equal(potionOf(splash), 'poison')
  assert.equal(chain('stick'), null)
  assert.equal(chain('golden_carrot'), null)
  assert.equal(chain(wart, 'magma_cream', 'glowstone_dust'), null)
})

test('a brewing stand uses one powder for twenty brews, and one ingredient for three bottles', () => {
  const water = () => potionNamed('water')
  const wart = itemNamed('nether_wart', 2)
  const store = stand([water(), null, water(), wart, itemNamed('blaze_powder', 2)])
  tick(BREW_TICKS)
  assert.equal(potionOf(store.slots[0]), 'water')
  assert.equal(store.slots[4]?.count, 1)
  const { has_bottle_0: one, has_bottle_1: two } = propertiesOf(stateAt(serv.overworld, STAND))
  assert.deepEqual([one, two], ['true', 'false'])
  tick(1)
  assert.deepEqual(store.slots.slice(0, 3).map(potionOf), ['awkward', '', 'awkward'])
  assert.equal(store.slots[3]?.count, 1)
  tick(2 * BREW_TICKS)
  assert.equal(store.slots[3]?.count, 1, 'nothing comes of wart and awkward potions')
  assert.equal(serv.standAt(STAND)?.fuel, 19)
})

test('a brew is cancelled if its ingredient is removed', () => {
  const items = [
    potionNamed('water'),
    null,
    null,
    itemNamed('nether_wart'),
    itemNamed('blaze_powder')
  ]
  const store = stand(items)
  tick(BREW_TICKS / 2)
  store.set(3, null)
  tick(BREW_TICKS)
  assert.equal(potionOf(store.slots[0]), 'water')
  store.set(3, itemNamed('nether_wart'))
  tick(BREW_TICKS - 1)
  assert.equal(potionOf(store.slots[0]), 'water', 'it began anew')
  tick(3)
  assert.equal(potionOf(store.slots[0]), 'awkward')
})

test('hoppers fill a brewing stand from above and the side, and empty it from below', () => {
  const store = stand([])
  const hopper = (
    /** @type {Vec3} */ at,
    /** @type {string} */ facing,
    /** @type {import('../../types/index.d.ts').Item[]} */ ...items
  ) => {
    serv.setBlock(at, stateOf(registry.blocksByName.hopper, { facing }))
    items.forEach((item, index) => serv.containerAt(at)?.store.set(index, item))
  }
  hopper(STAND.offset(0, 1, 0), 'down', itemNamed('stick'), itemNamed('nether_wart'))
  hopper(STAND.offset(1, 0, 0), 'west', potionNamed('water'), itemNamed('blaze_powder'))
  tick(60)
  assert.deepEqual(
    store.slots.map((item) => item?.name),
    ['potion', undefined, undefined, 'nether_wart', undefined]
  )
  assert.equal(serv.standAt(STAND)?.fuel, 19)
  tick(BREW_TICKS)
  hopper(STAND.offset(0, -1, 0), 'down')
  tick(20)
  const below = serv.containerAt(STAND.offset(0, -1, 0))?.store.slots
  assert.equal(potionOf(below?.[0] ?? null), 'awkward')
  for (const [x, y] of [
    [0, 1],
    [1, 0],
    [0, -1]
  ])
    serv.setBlock(STAND.offset(x, y, 0), 0)
})

test('a brewing stand’s items are saved and restored', () => {
  stand([potionNamed('swiftness'), null, null, null, itemNamed('blaze_powder', 3)])
  const data = serv.containersData()
  serv.emptyContainer(STAND)
  serv.containers.clear()
  serv.restoreContainers(JSON.parse(JSON.stringify(data)))
  const slots = serv.standAt(STAND)?.store.slots
  assert.equal(potionOf(slots?.[0] ?? null), 'swiftness')
  assert.equal(slots?.[4]?.count, 3)
})
