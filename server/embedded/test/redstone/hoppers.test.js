/** Hoppers, droppers and dispensers on a test server: vanilla's timing, and conservation of items. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { itemNamed, registry, Vec3 } from '../../minecraft/index.js'
import { stateOf } from '../../blocks/blocks.js'
import { startManualServer } from '../by-hand.js'

/** @import { Item } from '../../types/index.d.ts' */

const HOPPER_TICKS = 8
const FACINGS = ['down', 'north', 'south', 'west', 'east']
const SIDE = 4
const LOW = new Vec3(0, 150, 0)

const { serv, tick, close } = await startManualServer()
after(close)
serv.loadBox(LOW.offset(-16, 0, -16), LOW.offset(32, 0, 32))

/** @param {Vec3} position @param {string} name @param {Record<string, string>} [properties] */
const place = (position, name, properties = {}) =>
  serv.setBlock(position, stateOf(registry.blocksByName[name], properties))

/** @param {Vec3} position */
function slotsAt(position) {
  const container = serv.containerAt(position)
  assert.ok(container)
  return container.store.slots.map((item) => item && `${item.name} ${item.count}`)
}

/** @param {Vec3} position @param {number} slot @param {string} name @param {number} count */
const fill = (position, slot, name, count) =>
  serv.containerAt(position)?.store.set(slot, itemNamed(name, count))

function clear() {
  for (const drop of [...serv.drops.values()]) serv.removeDrop(drop)
  for (let x = -2; x < SIDE + 2; x++) {
    for (let z = -2; z < SIDE + 2; z++) {
      for (let y = -1; y < SIDE + 1; y++) {
        const position = LOW.offset(x, y, z)
        serv.emptyContainer(position)
        serv.setBlock(position, y < 0 ? registry.blocksByName.stone.defaultState : 0)
      }
    }
  }
}

test('a hopper moves one item every eight ticks, from above and to where it points', () => {
  clear()
  const [chest, hopper, below] = [2, 1, 0].map((y) => LOW.offset(0, y, 0))
  place(chest, 'chest', { facing: 'south' })
  place(below, 'barrel')
  fill(chest, 5, 'dirt', 10)
  place(hopper, 'hopper', { facing: 'down' })
  const arrived = () => Number(slotsAt(below)[0]?.split(' ')[1] ?? 0)
  /** @type {number[]} */
  const ticks = []
  for (let at = 0; arrived() < 10 && at < 200; at++) {
    const had = arrived()
    tick(1)
    if (arrived() > had) ticks.push(at)
  }
  const steps = ticks.slice(1).map((at, index) => at - ticks[index])
  assert.deepEqual(steps, Array(9).fill(HOPPER_TICKS))
  assert.deepEqual(slotsAt(chest).filter(Boolean), [])
})

test('furnaces accept input from above and fuel from the side, and release products below', () => {
  clear()
  const furnace = LOW.offset(1, 1, 1)
  place(furnace, 'furnace', { facing: 'south' })
  const [above, beside, below] = [
    furnace.offset(0, 1, 0),
    furnace.offset(-1, 0, 0),
    furnace.offset(0, -1, 0)
  ]
  place(above, 'hopper', { facing: 'down' })
  place(beside, 'hopper', { facing: 'east' })
  place(below, 'hopper', { facing: 'down' })
  fill(above, 0, 'raw_iron', 2)
  fill(beside, 0, 'dirt', 3)
  fill(beside, 1, 'coal', 1)
  tick(40)
  assert.deepEqual(slotsAt(beside).filter(Boolean), ['dirt 3'])
  tick(400)
  assert.deepEqual(slotsAt(below).filter(Boolean), ['iron_ingot 2'])
  assert.deepEqual(slotsAt(furnace), [null, null, null])
})

test('a hopper takes items above it, fills both halves of a chest, and is stopped by a lever', () => {
  clear()
  const hopper = LOW.offset(1, 2, 1)
  const left = LOW.offset(1, 1, 1)
  place(left, 'chest', { facing: 'north', type: 'right' })
  place(left.offset(-1, 0, 0), 'chest', { facing: 'north', type: 'left' })
  for (let slot = 0; slot < 27; slot++) fill(left, slot, 'stone', 64)
  place(hopper, 'hopper', { facing: 'down' })
  place(hopper.offset(0, 0, 1), 'lever', { face: 'wall', facing: 'south', powered: 'true' })
  place(hopper.offset(1, 0, 0), 'redstone_block')
  serv.dropItem(itemNamed('diamond', 3), hopper.offset(0.5, 1, 0.5))
  tick(30)
  assert.equal(serv.drops.size, 1)
  serv.setBlock(hopper.offset(1, 0, 0), 0)
  serv.setBlock(hopper.offset(0, 0, 1), 0)
  tick(40)
  assert.equal(serv.drops.size, 0)
  const others = [left, left.offset(-1, 0, 0)]
    .flatMap(slotsAt)
    .filter((held) => held !== 'stone 64')
  assert.deepEqual(others.filter(Boolean), ['diamond 3'])
})

test('a dropper passes items on; a dispenser drops, shoots and pours; each acts once per activation', () => {
  clear()
  const [dropper, barrel] = [LOW.offset(0, 0, 0), LOW.offset(1, 0, 0)]
  place(dropper, 'dropper', { facing: 'east' })
  place(barrel, 'barrel')
  fill(dropper, 3, 'apple', 5)
  const power = (/** @type {Vec3} */ beside) => {
    place(beside, 'redstone_block')
    tick(10)
    serv.setBlock(beside, 0)
    tick(10)
  }
  for (let time = 1; time < 4; time++) {
    power(dropper.offset(0, 1, 0))
    assert.equal(slotsAt(barrel)[0], `apple ${time}`)
  }

  const dispenser = LOW.offset(0, 0, 3)
  place(dispenser, 'dispenser', { facing: 'east' })
  fill(dispenser, 0, 'apple', 1)
  power(dispenser.offset(0, 1, 0))
  assert.deepEqual(
    [...serv.drops.values()].map(({ item }) => item.name),
    ['apple']
  )
  fill(dispenser, 0, 'arrow', 1)
  power(dispenser.offset(0, 1, 0))
  assert.deepEqual(
    [...serv.things.values()].map(({ name }) => name).filter((name) => name !== 'experience_orb'),
    ['arrow']
  )
  fill(dispenser, 0, 'water_bucket', 1)
  power(dispenser.offset(0, 1, 0))
  assert.deepEqual(slotsAt(dispenser).filter(Boolean), ['bucket 1'])
  power(dispenser.offset(0, 1, 0))
  assert.deepEqual(slotsAt(dispenser).filter(Boolean), ['water_bucket 1'])
})

/** Return deterministic numbers in [0, 1). @param {number} seed */
function drawing(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Return all items in containers and on the ground, by name. */
function total() {
  /** @type {Map<string, number>} */
  const counts = new Map()
  const add = (/** @type {Item | null} */ item) =>
    item && counts.set(item.name, (counts.get(item.name) ?? 0) + item.count)
  for (const { store } of serv.containers.values()) {
    for (const item of store.slots) {
      add(item)
      assert.ok(!item || (item.count > 0 && item.count <= item.stackSize), String(item?.count))
    }
  }
  for (const drop of serv.drops.values()) add(drop.item)
  return Object.fromEntries([...counts].sort())
}

test('items are conserved in any arrangement of containers, hoppers and droppers', () => {
  const items = ['dirt', 'egg', 'diamond_sword', 'stick', 'white_shulker_box']
  for (let seed = 1; seed <= 40; seed++) {
    clear()
    const draw = drawing(seed)
    const one = (/** @type {string[]} */ of) => of[Math.floor(draw() * of.length)]
    const positions = Array.from({ length: SIDE ** 3 }, (_, at) =>
      LOW.offset(at % SIDE, Math.floor(at / SIDE) % SIDE, Math.floor(at / SIDE ** 2))
    )
    for (const position of positions) {
      const name = one([
        'hopper',
        'hopper',
        'chest',
        'barrel',
        'dropper',
        'white_shulker_box',
        'air'
      ])
      const facing = one(name === 'chest' ? FACINGS.slice(1) : FACINGS)
      place(position, name, name === 'air' ? {} : { facing })
      const slots = serv.containerAt(position)?.store.slots.length ?? 0
      for (let slot = 0; slot < slots; slot++) {
        const item = one(items)
        const { stackSize } = registry.itemsByName[item]
        if (draw() < 0.3) fill(position, slot, item, 1 + Math.floor(draw() * stackSize))
      }
    }
    for (let lying = 0; lying < 6; lying++) {
      const { stackSize, name } = registry.itemsByName[one(items)]
      const count = 1 + Math.floor(draw() * stackSize)
      serv.dropItem(itemNamed(name, count), LOW.offset(draw() * SIDE, SIDE, draw() * SIDE))
    }
    const before = total()
    for (let turn = 0; turn < 12; turn++) {
      const switched = one(['redstone_block', 'stone'])
      const position = LOW.offset(Math.floor(draw() * SIDE), SIDE, Math.floor(draw() * SIDE))
      place(position, switched)
      tick(Math.ceil(draw() * 12))
      assert.deepEqual(total(), before, `seed ${seed}, turn ${turn}`)
      serv.setBlock(position, 0)
    }
    const broken = positions[Math.floor(draw() * positions.length)]
    const isBox = serv.containerAt(broken)?.name === 'white_shulker_box'
    if (!isBox) serv.setBlock(broken, 0)
    tick(8)
    assert.deepEqual(total(), before, `seed ${seed}, after ${broken} broke`)
  }
})
