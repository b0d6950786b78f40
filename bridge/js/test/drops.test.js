import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropSeen, dropsAt, sweep } from '../primitives/drops.js'

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.20.4')

const PLACE = new Vec3(0, 64, 0)

/** @param {number} id */
const drop = (id) => ({
  id,
  name: 'item',
  position: new Vec3(0.5, 64, 0.5),
  getDroppedItem: () => ({ count: 1 })
})

function context() {
  const bot = /** @type {any} */ ({
    registry,
    entities: { 1: drop(1) },
    entity: { position: new Vec3(0.5, 64, 0.5) },
    time: { age: 100 },
    pathfinder: { setGoal: () => {}, goto: async () => {} }
  })
  return /** @type {any} */ ({ bot, signal: new AbortController().signal, digs: true })
}

/** @param {Promise<unknown>} promise */
async function isSettledAfter(promise, ms = 100) {
  let settled = false
  promise.then(() => (settled = true))
  await sleep(ms)
  return settled
}

test('an older drop beside the dug block is not taken for its drop', async () => {
  const mining = context()
  const seen = dropSeen(mining, { name: 'dirt', position: PLACE }, dropsAt(mining.bot, PLACE))
  assert.equal(await isSettledAfter(seen), false)
  mining.bot.entities[2] = drop(2)
  assert.equal(await isSettledAfter(seen), true)
})

test('the bot waits for a pickup until the server has played enough ticks', async () => {
  const mining = context()
  const swept = sweep(mining, [PLACE])
  assert.equal(await isSettledAfter(swept, 3_000), false, 'the server has played no tick')
  delete mining.bot.entities[1]
  assert.equal(await isSettledAfter(swept), true)
})
