import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { readName } from '../primitives/names.js'
import { findNear } from '../primitives/search.js'

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.20.4')
const Chunk = require('prismarine-chunk')(registry)

/** Maximum CPU time of a search or a wrong name, in milliseconds. */
const MOST_MS = 50
const RADIUS_CHUNKS = 9
const { signal } = new AbortController()

/**
 * Create a bot in a land of stone and air, with some blocks.
 * @param {Record<string, string>} blocks
 */
function botIn(blocks = {}) {
  const columns = new Map()
  for (let x = -RADIUS_CHUNKS; x <= RADIUS_CHUNKS; x++) {
    for (let z = -RADIUS_CHUNKS; z <= RADIUS_CHUNKS; z++) {
      const column = new Chunk({ minY: 0, worldHeight: 256 })
      column.setBlockStateId(new Vec3(1, 60, 1), registry.blocksByName.stone.defaultState)
      columns.set(`${x},${z}`, column)
    }
  }
  for (const [place, name] of Object.entries(blocks)) {
    const [x, y, z] = place.split(',').map(Number)
    const column = columns.get(`${x >> 4},${z >> 4}`)
    column.setBlockStateId(new Vec3(x & 15, y, z & 15), registry.blocksByName[name].defaultState)
  }
  const world = {
    getColumn: (/** @type {number} */ x, /** @type {number} */ z) => columns.get(`${x},${z}`)
  }
  const entity = { position: new Vec3(0.5, 64, 0.5) }
  return /** @type {any} */ ({ world, entity, registry, game: { minY: 0, height: 256 } })
}

/** @param {() => unknown} work @returns {Promise<number>} its CPU time in milliseconds */
async function cost(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('the nearest blocks are found, nearest first', async () => {
  const bot = botIn({ '20,64,0': 'oak_log', '-5,64,0': 'oak_log', '0,64,120': 'oak_log' })
  const kind = registry.blocksByName.oak_log
  const places = (await findNear({ bot, signal }, kind, 32, 9)).map(String)
  assert.deepEqual(places, ['(-5, 64, 0)', '(20, 64, 0)'])
  assert.equal((await findNear({ bot, signal }, kind, 128, 9)).length, 3)
  assert.deepEqual((await findNear({ bot, signal }, kind, 128, 1)).map(String), ['(-5, 64, 0)'])
})

test('a search for a missing block is fast', async () => {
  const bot = botIn()
  const search = () => findNear({ bot, signal }, registry.blocksByName.diamond_ore, 128, 1)
  assert.deepEqual(await search(), [])
  assert.ok((await cost(search)) < MOST_MS)
})

test('a wrong name is refused immediately, with the most similar name', async () => {
  const refused = (/** @type {string} */ name) => () =>
    readName('block', registry.blocksByName, name)
  assert.throws(refused('oak_logs'), /there is no block named oak_logs; do you mean oak_log\?/)
  assert.throws(refused('Oak Log'), /do you mean oak_log\?/)
  assert.throws(refused('irn_ore'), /do you mean iron_ore\?/)
  assert.throws(refused('toString'), /there is no block named toString/)
  assert.throws(refused('zzzzzzzzzzzzzzzzzzzzzzzzzz'), /named z+$/)
  assert.equal(readName('block', registry.blocksByName, 'minecraft:stone').name, 'stone')
  assert.ok((await cost(() => assert.throws(refused('oka_lgo')))) < MOST_MS)
})

test('a search ends with its run, and so do searches queued behind it', async () => {
  const over = new AbortController()
  const bot = botIn()
  const kind = registry.blocksByName.stone
  const searches = Array.from({ length: 3 }, () =>
    findNear({ bot, signal: over.signal }, kind, 128, 9)
  )
  over.abort()
  const ends = await Promise.allSettled(searches)
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected']
  )
  assert.equal((await findNear({ bot, signal }, kind, 32, 1)).length, 1)
})
