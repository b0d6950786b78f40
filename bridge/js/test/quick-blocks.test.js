import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { quick } from '../quick-blocks.js'

const require = createRequire(import.meta.url)
const load = require('prismarine-block')
const registry = require('prismarine-registry')('1.20.4')

const Upstream = load(registry)
const Block = quick(load(registry))

/** @param {any} block */
const told = (block) => ({
  fields: Object.getOwnPropertyDescriptors(block),
  properties: block.getProperties(),
  digTime: block.digTime(null, false, false, false)
})

test('each state of each block matches upstream’s block', () => {
  const states = Object.keys(registry.blocksByStateId).map(Number)
  assert.ok(states.length > 26_000)
  for (const state of [...states, -1, 99_999]) {
    for (const biome of [0, 5, 9999]) {
      const made = Upstream.fromStateId(state, biome)
      for (const turn of ['first', 'copied']) {
        const block = Block.fromStateId(state, biome)
        assert.ok(block instanceof Block)
        assert.deepEqual(valuesOf(block), valuesOf(made), `${made.name} ${turn}`)
        if (state % 97 === 0 || !made.name) check(block, made)
      }
    }
  }
})

/** Return its values in order; a sign's own functions by name. @param {object} block */
const valuesOf = (block) =>
  Object.entries(block).map(([key, value]) => [key, typeof value === 'function' ? key : value])

/** Compare two blocks; a sign's own functions by name. @param {any} block @param {any} made */
function check(block, made) {
  if (made.name.includes('sign')) return assert.equal(block.setSignText.name, made.setSignText.name)
  assert.deepEqual(told(block), told(made))
}

test('blocks are independent: writing to one does not affect the next', () => {
  const { minStateId } = registry.blocksByName.oak_stairs
  const [one, other] = [Block.fromStateId(minStateId, 1), Block.fromStateId(minStateId, 1)]
  one.computedStates.shape = 'mine'
  one.getProperties().facing = 'down'
  one.entity = {}
  assert.deepEqual(told(other), told(Upstream.fromStateId(minStateId, 1)))
})
