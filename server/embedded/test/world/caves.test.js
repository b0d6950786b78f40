/** Caves: determined by the seed, connected, walkable, and without draining lakes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import { hasCaves } from '../../world/terrain/index.js'
import { naturalTerrain } from '../../world/terrain/natural.js'
import { S } from '../../world/terrain/states.js'

/** @import { Column, Land, Manifest } from '../../types/index.d.ts' */

const SEEDS = [1, 3, 7]
const COLUMNS = 14
const SIDE = COLUMNS * 16
const [LOW, HIGH] = [-64, 128]
const BESIDE = [1, -1, SIDE, -SIDE]
const LEVEL = SIDE * SIDE
const DEEPEST_DROP = 3

/** Return the block states around the centre, indexed by `at`. @param {Land} land */
function statesOf(land) {
  const states = new Uint16Array(LEVEL * (HIGH - LOW))
  for (let chunk = 0; chunk < COLUMNS ** 2; chunk++) {
    const [cx, cz] = [chunk % COLUMNS, Math.floor(chunk / COLUMNS)]
    const column = land.column(cx - COLUMNS / 2, cz - COLUMNS / 2)
    for (let y = LOW; y < HIGH; y++) {
      for (let i = 0; i < 256; i++) {
        const [x, z] = [i & 15, i >> 4]
        states[at(cx * 16 + x, y, cz * 16 + z)] = column.getBlockStateId({ x, y, z })
      }
    }
  }
  return states
}

/** @param {number} x @param {number} y @param {number} z from the corner */
const at = (x, y, z) => (y - LOW) * LEVEL + z * SIDE + x

/** @param {Column} column */
function digest(column) {
  const hash = createHash('sha256')
  for (let y = LOW; y < HIGH; y++) {
    const row = new Uint16Array(256)
    for (let i = 0; i < 256; i++) row[i] = column.getBlockStateId({ x: i & 15, y, z: i >> 4 })
    hash.update(row)
  }
  return hash.digest('hex').slice(0, 16)
}

const isOpen = registry.blocksArray.map(({ boundingBox }) => boundingBox === 'empty')

/** Return true if a body can be in a block of this state without swimming. @param {number} state */
const isFree = (state) => state !== S.water && isOpen[registry.blocksByStateId[state].id]

/**
 * Return the cells reachable by walking, swimming over lakes, jumping up one block and falling
 * three, and those from which there is a way back.
 * @param {Uint16Array} states @param {number} start
 */
function reached(states, start) {
  /** Predecessors of each position. @type {Map<number, number[]>} */
  const before = new Map()
  const stands = (/** @type {number} */ place) =>
    isFree(states[place]) && isFree(states[place + LEVEL]) && bears(states[place - LEVEL])
  const seen = new Set([start])
  const queue = [start]
  for (const place of queue) {
    for (const step of BESIDE) {
      if (isAtEdge(place + step)) continue
      let next = place + step + LEVEL
      if (!isFree(states[place + 2 * LEVEL])) next -= LEVEL
      while (next > place - DEEPEST_DROP * LEVEL && isFree(states[next]) && !stands(next)) {
        next -= LEVEL
      }
      if (!stands(next)) continue
      const known = before.get(next)
      if (known) known.push(place)
      else before.set(next, [place])
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(next)
    }
  }
  const back = new Set([start])
  for (const place of back) for (const from of before.get(place) ?? []) back.add(from)
  return back
}

/** @param {number} state */
const bears = (state) => !isFree(state)

/** @param {Uint16Array} states @param {number} place */
const isOpenAt = (states, place) => isOpen[registry.blocksByStateId[states[place]].id]

/** @param {number} place */
function isAtEdge(place) {
  const [x, z] = [place % SIDE, Math.floor(place / SIDE) % SIDE]
  return x < 1 || z < 1 || x > SIDE - 2 || z > SIDE - 2
}

test('caves depend only on the seed, not on the order of columns', () => {
  for (const seed of SEEDS) {
    const [one, other] = [naturalTerrain(seed), naturalTerrain(seed)]
    /** @type {[number, number][]} */
    const places = [
      [0, 0],
      [40, -3],
      [-200, 77],
      [1, 0]
    ]
    const made = new Map(places.map(([x, z]) => [`${x},${z}`, digest(one.column(x, z))]))
    for (const [x, z] of places.reverse()) {
      assert.equal(digest(other.column(x, z)), made.get(`${x},${z}`))
    }
    assert.equal(new Set(made.values()).size, places.length)
  }
})

test('land without caves is the same as on servers from before caves existed', () => {
  // Made with the server of 23 November 2026: block states of these columns, rows of 256.
  const before = {
    7: '099ff8dda58c83fa',
    42: 'fe7c38b4f1b663f8'
  }
  for (const [seed, expected] of Object.entries(before)) {
    assert.equal(digest(naturalTerrain(Number(seed), false).column(3, -4)), expected)
    assert.notEqual(digest(naturalTerrain(Number(seed), true).column(3, -4)), expected)
  }
  const kept = /** @type {Manifest} */ ({ seed: 7, terrain: 'natural' })
  assert.deepEqual(
    [hasCaves(null), hasCaves(kept), hasCaves({ ...kept, caves: true })],
    [true, false, true]
  )
})

for (const seed of SEEDS) {
  test(`caves of seed ${seed} are connected and lead to ores, with no water next to them`, () => {
    const [with_, without] = [naturalTerrain(seed), naturalTerrain(seed, false)]
    const [states, solid] = [statesOf(with_), statesOf(without)]
    /** @type {number[]} */
    const hollow = []
    for (let place = LEVEL; place < states.length - LEVEL; place++) {
      if (states[place] === 0 && !isOpenAt(solid, place)) hollow.push(place)
    }
    assert.ok(hollow.length > 100 * COLUMNS ** 2, `${hollow.length} blocks of caves`)
    for (const place of hollow) {
      assert.notEqual(solid[place], S.bedrock)
      assert.notEqual(states[place + LEVEL], S.water, 'water above a cave')
      if (isAtEdge(place)) continue
      for (const step of BESIDE) assert.notEqual(states[place + step], S.water, 'a lake runs out')
    }

    const spawn = with_.spawn()
    assert.deepEqual(spawn, without.spawn())
    const start = surfaceBelow(states, spawn)
    const places = reached(states, start)
    const inCaves = hollow.filter((place) => !isAtEdge(place) && !isOpenAt(states, place - LEVEL))
    const share = inCaves.filter((place) => places.has(place)).length / inCaves.length
    assert.ok(share > 0.8, `${share} of the cave floors are reachable from the spawn and lead back`)

    /** @type {Record<string, number>} */
    const ores = {}
    for (const place of inCaves) {
      if (!places.has(place)) continue
      for (const step of [...BESIDE, -LEVEL]) {
        const { name } = registry.blocksByStateId[states[place + step]]
        ores[name] = (ores[name] ?? 0) + 1
      }
    }
    const [coal, iron] = [ores.coal_ore ?? 0, (ores.iron_ore ?? 0) + (ores.deepslate_iron_ore ?? 0)]
    assert.ok(coal > 20 && iron > 20, JSON.stringify(ores))
    assert.ok((ores.deepslate_diamond_ore ?? 0) > 0, JSON.stringify(ores))
  })
}

/**
 * Return a position to stand on under the open sky.
 * @param {Uint16Array} states @param {Vec3} position
 */
function surfaceBelow(states, position) {
  const { x, y, z } = position.floored().offset(SIDE / 2, 0, SIDE / 2)
  assert.ok(
    isFree(states[at(x, y, z)]) && !isOpenAt(states, at(x, y - 1, z)),
    'a hole at the spawn'
  )
  return at(x, y, z)
}
