/** Conductors of power, as in vanilla, on a test server. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import { blockAt, propertiesOf, stateAt, stateOf } from '../../blocks/blocks.js'
import { startManualServer } from '../by-hand.js'

const AT = new Vec3(0, 150, 0)

const { serv, tick, close } = await startManualServer()
after(close)
serv.loadBox(AT.offset(-16, 0, -16), AT.offset(16, 0, 16))

/**
 * Return true if a lever on a block lights a lamp behind it.
 * @param {string} name @param {Record<string, string>} [properties]
 */
function leadsThrough(name, properties = {}) {
  const place = (/** @type {Vec3} */ at, /** @type {string} */ what, properties = {}) =>
    serv.setBlock(at, stateOf(registry.blocksByName[what], properties))
  const [lever, lamp] = [AT.offset(0, 1, 0), AT.offset(1, 0, 0)]
  for (const at of [lever, lamp, AT]) serv.setBlock(at, 0)
  place(AT, name, properties)
  place(lamp, 'redstone_lamp')
  place(lever, 'lever', { face: 'floor', facing: 'north', powered: 'true' })
  tick()
  assert.equal(blockAt(serv, lamp).name, 'redstone_lamp')
  return propertiesOf(stateAt(serv.overworld, lamp)).lit === 'true'
}

for (const name of ['stone', 'oak_planks', 'packed_ice', 'soul_sand', 'mud', 'smooth_stone']) {
  test(`power goes through ${name}`, () => assert.ok(leadsThrough(name)))
}
for (const name of ['glass', 'red_stained_glass', 'oak_leaves', 'glowstone', 'ice', 'hopper']) {
  test(`power does not pass through ${name}`, () => assert.ok(!leadsThrough(name)))
}
test('power passes through a double slab, but not through a single slab', () => {
  assert.ok(leadsThrough('oak_slab', { type: 'double' }))
  assert.ok(!leadsThrough('oak_slab', { type: 'top' }))
})
