/** Light equals a brute-force computation that repeats over all cells until nothing changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Column, registry } from '../../minecraft/index.js'
import { stateOf } from '../../blocks/blocks.js'
import { LightField } from '../../world/light/field.js'
import { EMISSION, isShut, OPACITY, SHAPE } from '../../world/light/states.js'

/** @import { Column as ColumnType } from '../../types/index.d.ts' */

const BOTTOM = -64
const HEIGHTS = 384
const named = (/** @type {string} */ name, wanted = {}) =>
  stateOf(registry.blocksByName[name], wanted)
/** Blocks of random lands: opaque, clear, luminous, and partly opaque. */
const BLOCKS = [
  0,
  0,
  0,
  ...['stone', 'dirt', 'glass', 'oak_leaves', 'water', 'torch', 'glowstone', 'farmland'].map(
    (name) => named(name)
  ),
  named('oak_slab', { type: 'top' }),
  named('oak_slab', { type: 'bottom' }),
  named('oak_slab', { type: 'double' }),
  named('oak_slab', { type: 'bottom', waterlogged: 'true' }),
  named('oak_stairs', { facing: 'north', half: 'bottom' }),
  named('oak_stairs', { facing: 'east', half: 'top' }),
  named('redstone_lamp', { lit: 'true' }),
  named('redstone_lamp', { lit: 'false' }),
  named('snow', { layers: '3' })
]
/** By direction: down, up, north, south, west, east. */
const WAYS = [
  [0, -1, 0],
  [0, 1, 0],
  [0, 0, -1],
  [0, 0, 1],
  [-1, 0, 0],
  [1, 0, 0]
]

/** Columns by position. @typedef {Map<string, ColumnType>} Land */

/**
 * @param {Land} land @param {number} x @param {number} y @param {number} z
 * @returns {number | null} null outside the land
 */
function stateIn(land, x, y, z) {
  const column = land.get(`${x >> 4},${z >> 4}`)
  if (!column || y < BOTTOM || y >= BOTTOM + HEIGHTS) return null
  return column.getBlockStateId({ x: x & 15, y, z: z & 15 })
}

/**
 * Cell: its position, block state, and by direction the index of the neighbour (-1: none) and its
 * state.
 * @typedef {{x: number, y: number, z: number, state: number, near: number[], states: number[]}} Cell
 */

/**
 * Return all cells between two heights, from the top down at each position.
 * @param {Land} land @param {number} low @param {number} high @returns {Cell[]}
 */
function survey(land, low, high) {
  const columns = [...land.keys()]
  /** @param {number} x @param {number} y @param {number} z */
  const number = (x, y, z) => {
    const column = y < low || y > high ? -1 : columns.indexOf(`${x >> 4},${z >> 4}`)
    return column < 0
      ? -1
      : ((column << 8) | ((z & 15) << 4) | (x & 15)) * (high - low + 1) + high - y
  }
  /** @type {Cell[]} */
  const cells = []
  for (const id of columns) {
    const [chunkX, chunkZ] = id.split(',').map(Number)
    for (let place = 0; place < 256; place++) {
      const [x, z] = [chunkX * 16 + (place & 15), chunkZ * 16 + (place >> 4)]
      for (let y = high; y >= low; y--) {
        const beside = WAYS.map(([dx, dy, dz]) => /** @type {const} */ ([x + dx, y + dy, z + dz]))
        const near = beside.map((there) => number(...there))
        const states = beside.map((there) => stateIn(land, ...there) ?? 0)
        cells.push({ x, y, z, state: stateIn(land, x, y, z) ?? 0, near, states })
      }
    }
  }
  return cells
}

/**
 * Return the light of each cell by the rules alone, with air above and stone below.
 * @param {Cell[]} cells @param {'sky' | 'blocks'} kind @param {number} high @returns {number[]}
 */
function bruteForce(cells, kind, high) {
  let [isOpen, above] = [true, 0]
  const levels = cells.map(({ y, state }) => {
    if (y === high) [isOpen, above] = [true, 0]
    isOpen &&= OPACITY[state] === 0 && !isShut(SHAPE[above], SHAPE[state], 0)
    above = state
    return kind === 'sky' ? (isOpen ? 15 : 0) : EMISSION[state]
  })
  for (let isDone = false; !isDone;) {
    isDone = true
    for (const [id, { y, state, near, states }] of cells.entries()) {
      for (const [direction, from] of near.entries()) {
        const isSky = kind === 'sky' && y + WAYS[direction][1] >= BOTTOM + HEIGHTS
        const level = from >= 0 ? levels[from] : isSky ? 15 : 0
        const left = level - Math.max(1, OPACITY[state])
        if (left <= levels[id]) continue
        if (isShut(SHAPE[states[direction]], SHAPE[state], direction ^ 1)) continue
        levels[id] = left
        isDone = false
      }
    }
  }
  return levels
}

/** @param {LightField} field @param {Land} land @param {number} low @param {number} high */
function check(field, land, low, high) {
  field.settle()
  const cells = survey(land, low, high)
  for (const kind of /** @type {const} */ (['sky', 'blocks'])) {
    for (const [id, level] of bruteForce(cells, kind, high).entries()) {
      const { x, y, z } = cells[id]
      const column = field.lit(x >> 4, z >> 4)
      const cell = ((y - BOTTOM) << 8) | ((z & 15) << 4) | (x & 15)
      assert.equal(column?.[kind].get(cell), level, `${kind} at ${x},${y},${z}`)
    }
  }
}

/** @param {number} seed @returns {() => number} */
function drawn(seed) {
  let state = seed | 1
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

/**
 * Create a column with stone below `low` and random blocks up to `high`.
 * @param {() => number} random @param {number} low @param {number} high
 * @param {number} share of blocks that are not air
 */
function drawnColumn(random, low, high, share) {
  const column = new Column()
  for (let place = 0; place < 256; place++) {
    const [x, z] = [place & 15, place >> 4]
    if (low > BOTTOM) column.setBlockStateId({ x, y: low - 1, z }, named('stone'))
    for (let y = low; y < high; y++) {
      if (random() >= share) continue
      column.setBlockStateId({ x, y, z }, BLOCKS[Math.floor(random() * BLOCKS.length)])
    }
  }
  return column
}

/** Heights of random lands: within a section, across two, at the top and at the bottom of the world. */
const HEIGHT_RANGES = [
  [2, 10],
  [10, 22],
  [BOTTOM + HEIGHTS - 6, BOTTOM + HEIGHTS],
  [BOTTOM, BOTTOM + 6]
]

test('light in random lands follows the rules after each edit and as columns load one by one', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(...HEIGHT_RANGES),
      fc.constantFrom(0.1, 0.35, 0.7),
      (seed, [low, high], share) => {
        const random = drawn(seed)
        /** @type {Land} */
        const land = new Map()
        const field = new LightField((x, z) => land.get(`${x},${z}`))
        const places = ['0,0', '1,0', '0,1', '-1,0'].slice(0, 1 + Math.floor(random() * 4))
        const lowest = Math.max(BOTTOM, low - 1)
        for (const id of places) {
          const [x, z] = id.split(',').map(Number)
          land.set(id, drawnColumn(random, low, high, share))
          field.light(x, z)
          edit(field, land, random, low, high, 1 + Math.floor(random() * 6))
          if (random() < 0.5) check(field, land, lowest, Math.min(high + 16, BOTTOM + HEIGHTS - 1))
        }
        for (let round = 0; round < 3; round++) {
          edit(field, land, random, low, high, 1 + Math.floor(random() * 40))
          check(field, land, lowest, Math.min(high + 16, BOTTOM + HEIGHTS - 1))
        }
      }
    ),
    { numRuns: Number(process.env.LIGHT_RUNS ?? 6) }
  )
})

/**
 * @param {LightField} field @param {Land} land @param {() => number} random @param {number} low
 * @param {number} high @param {number} count
 */
function edit(field, land, random, low, high, count) {
  const ids = [...land.keys()]
  for (let index = 0; index < count; index++) {
    const id = ids[Math.floor(random() * ids.length)]
    const [x, z] = id.split(',').map(Number)
    // Half of them at borders.
    const along = () => (random() < 0.5 ? (random() < 0.5 ? 0 : 15) : Math.floor(random() * 16))
    const at = { x: along(), y: low + Math.floor(random() * (high - low)), z: along() }
    const column = /** @type {ColumnType} */ (land.get(id))
    const [before, after] = [
      column.getBlockStateId(at),
      BLOCKS[Math.floor(random() * BLOCKS.length)]
    ]
    column.setBlockStateId(at, after)
    field.change(x, z, ((at.y - BOTTOM) << 8) | (at.z << 4) | at.x, before, after)
    // process only a part of the changes
    if (random() < 0.3) field.settle(Math.floor(random() * 400))
  }
}

test('emission and opacity of blocks match minecraft.wiki', () => {
  const light = (/** @type {string} */ name, wanted = {}) => {
    const state = named(name, wanted)
    return [EMISSION[state], OPACITY[state]]
  }
  assert.deepEqual(light('torch'), [14, 0])
  assert.deepEqual(light('furnace'), [0, 15])
  assert.deepEqual(light('furnace', { lit: 'true' }), [13, 15])
  assert.deepEqual(light('redstone_torch', { lit: 'false' }), [0, 0])
  assert.deepEqual(light('campfire'), [15, 0])
  assert.deepEqual(light('soul_campfire', { lit: 'false' }), [0, 0])
  assert.deepEqual(light('candle', { lit: 'true', candles: '3' }), [9, 0])
  assert.deepEqual(light('sea_pickle', { pickles: '4', waterlogged: 'true' }), [15, 1])
  assert.deepEqual(light('sea_pickle', { pickles: '4', waterlogged: 'false' })[0], 0)
  assert.deepEqual(light('light', { level: '7' }), [7, 0])
  assert.deepEqual(light('glow_lichen', { up: 'true' })[0], 7)
  assert.deepEqual(light('redstone_wire', { power: '15' }), [0, 0])
  assert.deepEqual(light('respawn_anchor', { charges: '4' }), [15, 15])
  assert.deepEqual(light('oak_leaves'), [0, 1])
  assert.deepEqual(light('oak_slab', { type: 'double' }), [0, 15])
  assert.deepEqual(light('oak_fence', { waterlogged: 'true' }), [0, 1])
  assert.deepEqual(light('snow', { layers: '8' }), [0, 15])
  assert.deepEqual(light('tinted_glass'), [0, 15])
})

test('slabs, stairs and fields let light pass through their open faces', () => {
  const [down, up, north, south] = [0, 1, 2, 3]
  const shape = (/** @type {string} */ name, wanted = {}) => SHAPE[named(name, wanted)]
  const [low, high] = ['bottom', 'top'].map((type) => shape('oak_slab', { type }))
  assert.ok(isShut(low, 0, down) && !isShut(low, 0, up) && !isShut(low, 0, north))
  assert.ok(isShut(high, 0, up) && !isShut(high, 0, down))
  assert.ok(isShut(low, high, north), 'two halves fill the face')
  assert.ok(!isShut(low, low, north))
  const stairs = shape('oak_stairs', { facing: 'north' })
  assert.ok(isShut(stairs, 0, north) && !isShut(stairs, 0, south) && isShut(stairs, 0, down))
  assert.ok(isShut(shape('farmland'), 0, down) && !isShut(shape('farmland'), 0, up))
  assert.equal(shape('oak_fence'), 0)
  assert.equal(shape('stone'), 0)
})
