import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { recordBlockChanges } from '../block-changes.js'

const require = createRequire(import.meta.url)
const registry = require('prismarine-registry')('1.20.4')

/** @param {import("node:test").TestContext} context */
function recorded(context) {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const client = new EventEmitter()
  const bot = Object.assign(new EventEmitter(), {
    registry,
    _client: client,
    entity: { position: { x: 0, y: 64, z: 0 } }
  })
  /** @type {any[]} */
  const told = []
  recordBlockChanges(/** @type {any} */ (bot), (event) => told.push(event))
  const change = (/** @type {number} */ x, /** @type {number} */ type, z = 0) =>
    client.emit('block_change', { location: { x, y: 64, z }, type })
  return { bot, client, told, change, second: () => context.mock.timers.tick(1000) }
}

/** @param {string} name @param {number} [step] of its states */
const state = (name, step = 0) => registry.blocksByName[name].minStateId + step

test('block changes are reported once a second with their final state, including the age of a crop', (context) => {
  const { told, change, second } = recorded(context)
  change(1, state('slime_block'))
  change(1, state('air'))
  change(2, state('wheat', 3))
  second()
  second()
  assert.deepEqual(told, [
    {
      kind: 'blocks_changed',
      blocks: [
        ['air', 1, 64, 0],
        ['wheat[age=3]', 2, 64, 0]
      ]
    }
  ])
})

test('distant changes are not reported, and large numbers of changes are split into several reports', (context) => {
  const { told, change, second } = recorded(context)
  change(49, state('stone'))
  for (let x = 0; x < 20; x++) for (let z = 0; z < 20; z++) change(x, state('stone'), z)
  second()
  second()
  second()
  const counts = told.map(({ blocks }) => blocks.length)
  assert.deepEqual(counts, [300, 100])
})

test('changes of a whole section are reported with their positions', (context) => {
  const { client, told, second } = recorded(context)
  const record = (state('stone') << 12) | (5 << 8) | (7 << 4) | 9
  client.emit('multi_block_change', {
    chunkCoordinates: { x: -1, y: 4, z: 0 },
    records: [record]
  })
  second()
  assert.deepEqual(told[0].blocks, [['stone', -11, 73, 7]])
})

test('a bot that has left reports no more changes', (context) => {
  const { bot, told, change, second } = recorded(context)
  change(1, state('stone'))
  bot.emit('end')
  second()
  assert.deepEqual(told, [])
})
