import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { mineBlock } from '../primitives/mine-block.js'

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.20.4')
const Chunk = require('prismarine-chunk')(registry)

const SAND = registry.blocksByName.sand
const PLACES = Array.from({ length: 12 }, (_, x) => new Vec3(x + 4, 64, 0))
const MOST_S = 150

test('mining gives up after a few unreachable blocks', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const column = new Chunk({ minY: 0, worldHeight: 256 })
  for (const place of PLACES) column.setBlockStateId(place, SAND.defaultState)
  const bot = /** @type {any} */ ({
    registry,
    world: {
      getColumn: (/** @type {number} */ x, /** @type {number} */ z) => (x || z ? null : column)
    },
    game: { minY: 0 },
    entity: { position: new Vec3(0.5, 64, 0.5) },
    entities: {},
    inventory: { items: () => [] },
    blockAt: (/** @type {InstanceType<typeof Vec3>} */ position) => {
      const isSand = PLACES.some((place) => place.equals(position))
      return { name: isSand ? 'sand' : 'air', position, boundingBox: isSand ? 'block' : 'empty' }
    },
    pathfinder: {
      setGoal: () => {},
      goto: async () => {
        t.mock.timers.tick(10_000)
        throw new Error('took too long')
      }
    }
  })
  const context = { bot, signal: new AbortController().signal, digs: false }
  const mining = mineBlock(/** @type {any} */ (context), 'sand')
  await assert.rejects(mining, /[23] sand within 32 blocks could not be reached or dug/)
  assert.ok(Date.now() / 1000 < MOST_S, `${Date.now() / 1000} s`)
})
