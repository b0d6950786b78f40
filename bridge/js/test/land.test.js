import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { bounded } from '../bounded-events.js'
import { recordLand } from '../land.js'

const require = createRequire(import.meta.url)
const registry = require('prismarine-registry')('1.20.4')
const Chunk = require('prismarine-chunk')(registry)
const { Vec3 } = require('vec3')

/**
 * @param {any} chunk @param {number} x @param {number} z
 * @param {[string, number, number][]} runs block, from, to
 */
function fill(chunk, x, z, runs) {
  for (const [name, low, high] of runs)
    for (let y = low; y <= high; y++)
      chunk.setBlockStateId(new Vec3(x, y, z), registry.blocksByName[name].defaultState)
}

/** Create a chunk of rock with grass at height 63. */
function meadow() {
  const chunk = new Chunk({ minY: -64, worldHeight: 384 })
  for (let x = 0; x < 16; x++)
    for (let z = 0; z < 16; z++)
      fill(chunk, x, z, [
        ['stone', 40, 62],
        ['grass_block', 63, 63]
      ])
  return chunk
}

/** @param {import("node:test").TestContext} context @param {Record<string, any>} chunks by place */
function recorded(context, chunks) {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const client = new EventEmitter()
  const column = (/** @type {number} */ x, /** @type {number} */ z) => chunks[`${x},${z}`]
  const bot = Object.assign(new EventEmitter(), {
    registry,
    _client: client,
    entity: { position: { x: 8, y: 64, z: 8 } },
    world: { getColumn: column },
    blockAt: (/** @type {any} */ at) => {
      const chunk = column(Math.floor(at.x / 16), Math.floor(at.z / 16))
      return (
        chunk &&
        registry.blocksByStateId[chunk.getBlockStateId(new Vec3(at.x & 15, at.y, at.z & 15))]
      )
    }
  })
  /** @type {any[]} */
  const told = []
  recordLand(/** @type {any} */ (bot), (event) => told.push(event))
  return { bot, client, told, second: () => context.mock.timers.tick(1000) }
}

test('a chunk is reported once, with its ground and the blocks above it', (context) => {
  const chunk = meadow()
  fill(chunk, 3, 0, [['short_grass', 64, 64]])
  fill(chunk, 4, 0, [['oak_log', 64, 68], ['oak_leaves', 69, 70]]) // prettier-ignore
  fill(chunk, 5, 0, [['oak_leaves', 68, 69]])
  fill(chunk, 6, 1, [['sand', 60, 60], ['water', 61, 63]]) // prettier-ignore
  fill(chunk, 7, 1, [['oak_planks', 68, 68]]) // a roof
  const { told, second } = recorded(context, { '0,0': chunk })
  second()
  second()
  assert.equal(told.length, 1)
  const [{ kind, x, z, names, heights, tops, above }] = told
  assert.deepEqual([kind, x, z, heights.length], ['land_seen', 0, 0, 256])
  const ground = (/** @type {number} */ cx, /** @type {number} */ cz) => {
    const k = 16 * cz + cx
    return [names[tops[k]], heights[k]]
  }
  assert.deepEqual(ground(0, 0), ['grass_block', 63])
  assert.deepEqual(ground(3, 0), ['grass_block', 63])
  assert.deepEqual(ground(4, 0), ['oak_log', 68])
  assert.deepEqual(ground(6, 1), ['sand', 60])
  assert.deepEqual(ground(7, 1), ['grass_block', 63])
  assert.deepEqual(
    above.map((/** @type {number[]} */ [number, ...place]) => [names[number], ...place]),
    [
      ['short_grass', 3, 0, 64, 64],
      ['oak_leaves', 4, 0, 69, 70],
      ['oak_leaves', 5, 0, 68, 69],
      ['water', 6, 1, 61, 63],
      ['oak_planks', 7, 1, 68, 68]
    ]
  )
})

test('nearby chunks are reported first, a few per second; distant chunks never', (context) => {
  const chunk = meadow()
  const chunks = {
    '0,0': chunk,
    '1,0': chunk,
    '2,0': chunk,
    '3,0': chunk,
    '0,-1': chunk,
    '4,0': chunk
  }
  const { told, second } = recorded(context, chunks)
  second()
  assert.deepEqual(told.map(({ x }) => x).sort(), [0, 0, 16, 32])
  second()
  second()
  assert.deepEqual(told.at(-1)?.x, 48)
  assert.equal(told.length, 5)
})

test('blocks next to a dug block are reported once', (context) => {
  const chunk = meadow()
  const { client, told, second } = recorded(context, { '0,0': chunk })
  second()
  const dig = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
    chunk.setBlockStateId(new Vec3(x, y, z), 0)
    client.emit('block_change', { location: { x, y, z }, type: 0 })
  }
  fill(chunk, 5, 5, [['iron_ore', 61, 61]])
  dig(5, 63, 5)
  dig(5, 62, 5)
  second()
  second()
  const [{ kind, blocks }] = told.slice(1)
  assert.equal(told.length, 2)
  assert.equal(kind, 'blocks_bared')
  assert.deepEqual(
    new Set(blocks.map((/** @type {any[]} */ block) => block.join(' '))),
    new Set([
      'grass_block 6 63 5', 'grass_block 4 63 5', 'grass_block 5 63 6', 'grass_block 5 63 4',
      'stone 6 62 5', 'stone 4 62 5', 'stone 5 62 6', 'stone 5 62 4', 'iron_ore 5 61 5'
    ]) // prettier-ignore
  )
})

test('the blocks above a forest’s ground are split into events of limited size', (context) => {
  const chunk = meadow()
  for (let x = 0; x < 16; x++)
    for (let z = 0; z < 16; z++) fill(chunk, x, z, [['short_grass', 64, 64], ['oak_leaves', 68, 68]]) // prettier-ignore
  const { told, second } = recorded(context, { '0,0': chunk })
  second()
  assert.deepEqual(
    told.map(({ heights, above }) => [heights.length, above.length]),
    [
      [256, 300],
      [0, 212]
    ]
  )
  for (const event of told) assert.equal(bounded(event).problem, null)
})
