/** Rules without a server: recipes, smelting, loot, terrain, strict packets. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { itemNamed, registry } from '../minecraft/index.js'
import { Furnace } from '../workshops/furnaces.js'
import { lootOf } from '../blocks/loot.js'
import { propertiesOf, stateOf } from '../blocks/blocks.js'
import { checkPacket, play } from '../network/strict.js'
import { naturalTerrain } from '../world/terrain/natural.js'
import { superflatTerrain } from '../world/terrain/superflat.js'
import { craft, remainderOf } from '../workshops/recipes.js'
import { fuelTicks, smeltedFrom } from '../workshops/smelting.js'

/** @import { Fields, Ingredient, Item } from '../types/index.d.ts' */

const require = createRequire(import.meta.url)
const { createSerializer } = require('minecraft-protocol')

/** @param {string} rows item initials @param {Record<string, string>} names */
const grid = (rows, names) =>
  [...rows.replaceAll(' ', '')].map((letter) => (letter === '.' ? null : itemNamed(names[letter])))

test('recipes are found anywhere in the grid, mirrored and with different kinds of wood', () => {
  const names = { o: 'oak_planks', b: 'birch_planks', s: 'stick', c: 'cobblestone', l: 'oak_log' }
  assert.equal(craft(grid('l. ..', names))?.name, 'oak_planks')
  assert.equal(craft(grid('.. .l', names))?.count, 4)
  assert.equal(craft(grid('oob o.o boo', names))?.name, 'chest')
  assert.equal(craft(grid('cc. cs. .s.', names))?.name, 'stone_axe')
  assert.equal(craft(grid('cc. sc. s..', names))?.name, 'stone_axe')
  assert.equal(craft(grid('ccc .s. .s.', names))?.name, 'stone_pickaxe')
  assert.equal(craft(grid('ccc .s. s..', names)), null)
  assert.equal(craft(grid('.. ..', names)), null)
})

test('every recipe in minecraft-data is found', () => {
  const lost = Object.values(registry.recipes)
    .flat()
    .filter((recipe) => {
      const cells = new Array(9).fill(null)
      const put = (/** @type {number} */ at, /** @type {Ingredient} */ cell) => {
        if (cell === null) return
        const id = typeof cell === 'object' ? cell.id : cell
        cells[at] = itemNamed(registry.items[id].name)
      }
      recipe.inShape?.forEach((row, y) => row.forEach((cell, x) => put(y * 3 + x, cell)))
      recipe.ingredients?.forEach((cell, at) => put(at, cell))
      const made = craft(cells)
      return made?.type !== recipe.result.id || made?.count !== recipe.result.count
    })
    .map((recipe) => registry.items[recipe.result.id].name)
  assert.deepEqual(lost, [])
})

test('buckets stay behind', () => {
  assert.equal(remainderOf(itemNamed('milk_bucket'))?.name, 'bucket')
  assert.equal(remainderOf(itemNamed('stick')), null)
})

test('a furnace smelts eight items with one coal, in 200 ticks each', () => {
  const furnace = new Furnace('furnace', { x: 0, y: 0, z: 0 })
  furnace.store.set(0, itemNamed('raw_iron', 10))
  furnace.store.set(1, itemNamed('coal', 1))
  const output = () => furnace.store.slots[2]?.count ?? 0
  for (let tick = 0; tick < 199; tick++) furnace.tick()
  assert.equal(output(), 0)
  furnace.tick()
  assert.equal(output(), 1)
  for (let tick = 0; tick < 5000; tick++) furnace.tick()
  assert.deepEqual([output(), furnace.store.slots[0]?.count, furnace.store.slots[1]], [8, 2, null])
})

test('a furnace whose output is full stops and burns no fuel', () => {
  const furnace = new Furnace('smoker', { x: 0, y: 0, z: 0 })
  furnace.store.set(0, itemNamed('beef', 3))
  furnace.store.set(1, itemNamed('coal', 5))
  furnace.store.set(2, itemNamed('cooked_beef', 64))
  for (let tick = 0; tick < 500; tick++) furnace.tick()
  assert.deepEqual(
    furnace.store.slots.map((item) => item?.count),
    [3, 5, 64]
  )
})

test('each kind of furnace accepts the right inputs and fuels', () => {
  assert.equal(smeltedFrom('furnace', 'sand'), 'glass')
  assert.equal(smeltedFrom('blast_furnace', 'sand'), undefined)
  assert.equal(smeltedFrom('smoker', 'raw_iron'), undefined)
  assert.equal(fuelTicks('furnace', 'coal'), 1600)
  assert.equal(fuelTicks('smoker', 'coal'), 800)
  assert.equal(fuelTicks('furnace', 'oak_planks'), 300)
  assert.equal(fuelTicks('furnace', 'stick'), 100)
  for (const name of [
    'stone',
    'iron_ingot',
    'crimson_planks',
    'iron_door',
    'stone_button',
    'apple'
  ]) {
    assert.equal(fuelTicks('furnace', name), 0, name)
  }
  for (const kind of /** @type {const} */ (['furnace', 'blast_furnace', 'smoker'])) {
    for (const name of Object.keys(registry.itemsByName)) {
      const made = smeltedFrom(kind, name)
      assert.ok(made === undefined || registry.itemsByName[made], `${name} → ${made}`)
    }
  }
})

/**
 * Return the mean number of an item in a thousand drops.
 * @param {string} block @param {string} item @param {Item | null} [tool]
 * @param {Record<string, string>} [properties]
 */
function average(block, item, tool = null, properties = {}) {
  let state = 1
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647
  const serv = { randomSequence: () => random }
  const kind = registry.blocksByName[block]
  let sum = 0
  for (let dig = 0; dig < 4000; dig++) {
    for (const drop of lootOf(serv, kind, stateOf(kind, properties), tool)) {
      if (drop.name === item) sum += drop.count
    }
  }
  return sum / 4000
}

/** @param {string} name @param {Record<string, number>} enchantments */
function enchanted(name, enchantments) {
  const tool = itemNamed(name)
  tool.enchants = Object.entries(enchantments).map(([enchantment, lvl]) => ({
    name: enchantment,
    lvl
  }))
  return tool
}

test('loot has the same counts and chances as in vanilla', () => {
  const pickaxe = itemNamed('iron_pickaxe')
  assert.equal(average('diamond_ore', 'diamond', itemNamed('stone_pickaxe')), 0)
  assert.equal(average('diamond_ore', 'diamond', pickaxe), 1)
  assert.equal(average('iron_ore', 'raw_iron', itemNamed('stone_pickaxe')), 1)
  assert.equal(average('stone', 'cobblestone', pickaxe), 1)
  assert.equal(average('stone', 'cobblestone'), 0)
  const near = (/** @type {number} */ value, /** @type {number} */ expected) =>
    assert.ok(Math.abs(value - expected) < expected * 0.15 + 0.005, `${value}, not ${expected}`)
  near(average('redstone_ore', 'redstone', pickaxe), 4.5)
  near(average('lapis_ore', 'lapis_lazuli', pickaxe), 6.5)
  near(average('gravel', 'flint'), 0.1)
  near(average('oak_leaves', 'oak_sapling'), 0.05)
  near(average('oak_leaves', 'apple'), 0.005)
  near(average('red_mushroom_block', 'red_mushroom'), 1 / 3)
  near(average('diamond_ore', 'diamond', enchanted('diamond_pickaxe', { fortune: 3 })), 2.2)
  assert.equal(
    average('diamond_ore', 'diamond_ore', enchanted('diamond_pickaxe', { silk_touch: 1 })),
    1
  )
  assert.equal(average('oak_leaves', 'oak_leaves', itemNamed('shears')), 1)
  near(average('wheat', 'wheat_seeds', null, { age: '7' }), 2.5)
  assert.equal(average('wheat', 'wheat', null, { age: '3' }), 0)
  const grass = registry.blocksByName.short_grass ? 'short_grass' : 'grass'
  near(average(grass, 'wheat_seeds'), 0.125)
})

test('block states convert to properties and back', () => {
  for (const name of ['chest', 'oak_stairs', 'oak_log', 'furnace', 'redstone_wire', 'oak_door']) {
    const block = registry.blocksByName[name]
    for (let state = block.minStateId; state <= block.maxStateId; state++) {
      assert.equal(stateOf(block, propertiesOf(state)), state)
    }
  }
  assert.throws(
    () => stateOf(registry.blocksByName.chest, { colour: 'red' }),
    /does not have property/
  )
})

test('natural terrain is determined by its seed', () => {
  const dump = (/** @type {number} */ seed, /** @type {number} */ x, /** @type {number} */ z) =>
    naturalTerrain(seed).column(x, z).dump()
  assert.ok(dump(7, 3, -4).equals(dump(7, 3, -4)))
  assert.ok(!dump(7, 3, -4).equals(dump(8, 3, -4)))
  assert.ok(naturalTerrain(7).spawn().equals(naturalTerrain(7).spawn()))
})

test('natural terrain has everything that a tech tree needs, at the same depths as vanilla', () => {
  const { column } = naturalTerrain(3)
  /** @type {Record<string, number>} */
  const counts = {}
  let [deepDiamonds, highDiamonds] = [0, 0]
  for (let chunk = 0; chunk < 36; chunk++) {
    const made = column((chunk % 6) * 2, Math.floor(chunk / 6) * 2)
    for (let y = -64; y < 128; y++) {
      for (let at = 0; at < 256; at++) {
        const { name } =
          registry.blocksByStateId[made.getBlockStateId({ x: at & 15, y, z: at >> 4 })]
        counts[name] = (counts[name] ?? 0) + 1
        if (!name.endsWith('diamond_ore')) continue
        if (y < -16) deepDiamonds++
        else highDiamonds++
      }
    }
  }
  for (const name of [
    'oak_log',
    'coal_ore',
    'iron_ore',
    'water',
    'sand',
    'gravel',
    'clay',
    'grass_block',
    'copper_ore',
    'bedrock'
  ]) {
    assert.ok(counts[name] > 0, name)
  }
  assert.ok(deepDiamonds > 4 * highDiamonds, `${deepDiamonds} deep, ${highDiamonds} high`)
})

test('superflat columns are equal and do not share data', () => {
  const { column } = superflatTerrain()
  const [one, other] = [column(), column()]
  assert.ok(one.dump().equals(other.dump()))
  one.setBlockStateId({ x: 0, y: -61, z: 0 }, 0)
  assert.notEqual(other.getBlockStateId({ x: 0, y: -61, z: 0 }), 0)
})

test('strict mode detects missing and unknown fields', () => {
  const writer = createSerializer({ ...play, isServer: true })
  const reports = (/** @type {string} */ name, /** @type {Fields} */ fields) => {
    /** @type {string[]} */
    const found = []
    const packet = writer.createPacketBuffer({ name, params: fields })
    checkPacket({ err: (text) => found.push(String(text)) }, packet, name, fields)
    return found
  }
  const location = { x: 1, y: 2, z: 3 }
  assert.deepEqual(reports('spawn_position', { location, angle: 0 }), [])
  assert.deepEqual(reports('spawn_position', { location, angle: 0, world: 1 }), [
    'strict: spawn_position: has no field world'
  ])
  assert.match(reports('held_item_slot', { slot: 1, item: 2 })[0], /has no field item/)
})
