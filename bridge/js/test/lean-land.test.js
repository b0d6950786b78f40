import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { leanLand, withLeanLand } from '../lean-land.js'

const require = createRequire(import.meta.url)
const registry = require('prismarine-registry')('1.20.4')
const Chunk = require('prismarine-chunk')(registry)
const World = require('prismarine-world')(registry)
const { Vec3 } = require('vec3')

/** Create a minimal bot that knows four columns around the origin. */
function makeBot() {
  const bot = /** @type {any} */ (Object.assign(new EventEmitter(), { registry }))
  bot.enter = () => {
    bot.world = new World(null).sync
    for (const event of ['chunkColumnLoad', 'chunkColumnUnload']) {
      bot.world.on(event, (/** @type {unknown} */ corner) => bot.emit(event, corner))
    }
  }
  bot.blockAt = (/** @type {any} */ at) => bot.world.getBlock(at)
  bot.load = (/** @type {number} */ x, /** @type {number} */ z) =>
    bot.world.setColumn(x, z, new Chunk({ minY: -64, worldHeight: 384 }), false)
  bot.enter()
  for (const x of [-1, 0]) for (const z of [-1, 0]) bot.load(x, z)
  return bot
}

const LEFT_OUT = ['light', 'skyLight', 'biome', 'entity']

/** Return all compared properties, without a sign's own functions. @param {any} block */
function lean(block) {
  if (!block) return block
  const told = Object.entries(block).filter(
    ([name, value]) => !LEFT_OUT.includes(name) && typeof value !== 'function'
  )
  return [told, block.getProperties(), block.digTime(null, false, false, false)]
}

const place = fc.integer({ min: -18_000, max: 18_000 }).map((milli) => milli / 1000)
const height = fc.integer({ min: -70_000, max: 330_000 }).map((milli) => milli / 1000)
const state = fc.integer({ min: 0, max: 26_643 })
const column = fc.integer({ min: -1, max: 0 })
const DEED = fc.oneof(
  fc.record({ what: fc.constant('set'), x: place, y: height, z: place, state }),
  fc.record({ what: fc.constantFrom('load', 'unload'), x: column, z: column }),
  fc.record({ what: fc.constant('leave') })
)

test('lean blocks match the bot’s own blocks after any change to the land', () => {
  const property = fc.property(fc.array(DEED), fc.infiniteStream(place), (deeds, places) => {
    const bot = makeBot()
    const [land, seer] = [leanLand(bot), withLeanLand(bot)]
    for (const { what, x, y, z, state } of /** @type {any[]} */ (deeds)) {
      if (what === 'set') bot.world.setBlockStateId(new Vec3(x, y, z), state)
      if (what === 'load') bot.load(x, z)
      if (what === 'unload') bot.world.unloadColumn(x, z)
      if (what === 'leave') bot.enter()
      const there = [new Vec3(x ?? 0, y ?? 0, z ?? 0), new Vec3(places.next().value, 4, -0.1)]
      for (const at of [...there, ...there]) {
        const expected = lean(bot.blockAt(at))
        assert.deepEqual(lean(land.getBlock(at)), expected)
        assert.deepEqual(lean(seer.blockAt(at, false)), expected)
      }
    }
  })
  fc.assert(property)
})
