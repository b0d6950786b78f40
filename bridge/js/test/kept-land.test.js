import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Kept, sharing } from '../kept-land.js'

const require = createRequire(import.meta.url)
const Column = require('prismarine-chunk')('1.20.4')
const Shared = sharing(Column)
const [STONE, DIRT, AIR] = [1, 10, 0]
const BOTTOM = -64
const PARTS = ['sections', 'biomes', 'skyLightSections', 'blockLightSections']

/** Return a deterministic sequence of pseudo-random numbers. @param {number} seed */
function randomly(seed) {
  return (/** @type {number} */ below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
}

/** Return a server's packet for a column with some land. @param {number} seed */
function sent(seed) {
  const random = randomly(seed)
  const column = new Column()
  for (let k = 0; k < 500; k++) {
    const place = { x: random(16), y: BOTTOM + random(100), z: random(16) }
    column.setBlockStateId(place, random(2) ? STONE : DIRT)
    column.setBiome(place, random(5))
    column.setSkyLight(place, random(16))
    column.setBlockLight(place, random(16))
  }
  return { data: column.dump(), light: column.dumpLight() }
}

/** @param {any} Class @param {ReturnType<typeof sent>} packet */
function loaded(Class, { data, light }) {
  const column = new Class()
  column.load(data)
  tellLight(column, light)
  return column
}

/** @param {any} column @param {any} light */
function tellLight(column, light) {
  const { skyLightMask, blockLightMask, emptySkyLightMask, emptyBlockLightMask } = light
  const masks = [skyLightMask, blockLightMask, emptySkyLightMask, emptyBlockLightMask]
  column.loadParsedLight(light.skyLight, light.blockLight, ...masks)
}

/** Return the whole content of a column as it is sent. @param {any} column */
const read = (column) => ({ data: column.dump(), light: column.dumpLight() })

/** @param {any} one @param {any} other */
const inCommon = (one, other) =>
  PARTS.flatMap((name) =>
    one[name].filter(
      (/** @type {any} */ part, /** @type {number} */ k) => part && part === other[name][k]
    )
  ).length

test('columns from the same packets share all parts, and match upstream’s columns', () => {
  const packet = sent(1)
  const [one, other] = [loaded(Shared, packet), loaded(Shared, packet)]
  assert.deepEqual(read(one), read(loaded(Column, packet)))
  assert.deepEqual(read(other), read(one))
  assert.equal(inCommon(one, other), PARTS.flatMap((name) => one[name].filter(Boolean)).length)
  assert.equal(inCommon(one, loaded(Shared, sent(2))), 0)
})

test('writing to a column works as upstream and does not affect other columns', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomly(seed)
    const packet = sent(seed)
    const [plain, written, other] = [Column, Shared, Shared].map((Class) => loaded(Class, packet))
    for (let k = 0; k < 200; k++) {
      const place = { x: random(16), y: BOTTOM + random(384), z: random(16) }
      const state = [AIR, STONE, 2000 + random(3000)][random(3)]
      const [light, biome, what] = [random(16), random(50), random(4)]
      for (const column of [plain, written]) {
        if (what === 0) column.setBlockStateId(place, state)
        if (what === 1) column.setBiome(place, biome)
        if (what === 2) column.setSkyLight(place, light)
        if (what === 3) column.setBlockLight(place, light)
      }
      assert.equal(written.getBlockStateId(place), plain.getBlockStateId(place))
    }
    tellLight(plain, sent(seed + 50).light)
    tellLight(written, sent(seed + 50).light)
    assert.deepEqual(read(written), read(plain))
    assert.deepEqual(read(other), read(loaded(Column, packet)))
    // the stored copy has not changed either
    assert.deepEqual(read(loaded(Shared, packet)), read(other))
  }
})

test('setting a block to the same state makes no copy', () => {
  const packet = sent(3)
  const [one, other] = [loaded(Shared, packet), loaded(Shared, packet)]
  const before = inCommon(one, other)
  const place = { x: 3, y: 0, z: 4 }
  one.setBlockStateId(place, one.getBlockStateId(place))
  assert.equal(inCommon(one, other), before)
  one.setBlockStateId(place, one.getBlockStateId(place) ? AIR : STONE)
  assert.equal(inCommon(one, other), before - 1)
})

test('parts that no column uses are dropped', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const kept = new Kept()
  const held = kept.get('held', () => ({ sections: [{}] }))
  kept.get('dropped', () => ({ sections: [{}] }))
  assert.equal(kept.byDigest.size, 2)
  while (kept.byDigest.size > 1) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  assert.equal(kept.get('held', assert.fail), held)
})
