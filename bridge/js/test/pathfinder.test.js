import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { AStar, goals } from '../pathfinder.js'

const load = createRequire(import.meta.url)
const Move = load('mineflayer-pathfinder/lib/move.js')
const { Vec3 } = load('vec3')

const SIZE = 6
const GOAL = new goals.GoalNear(-5, 64, -5, 0)
const MOST_PARTS = 1000

test('an interrupted search finds its goal although partial paths are shifted', () => {
  const plane = {
    getNeighbors: (/** @type {any} */ { x, y, z }) => {
      search.tickTimeout = -1 // the tick's time is over after each position
      const around = [
        [x + 1, z],
        [x - 1, z],
        [x, z + 1],
        [x, z - 1]
      ]
      const inside = around.filter((place) => place.every((axis) => Math.abs(axis) <= SIZE))
      return inside.map(([x, z]) => new Move(x, y, z, 0, 1))
    }
  }
  const search = new AStar(new Move(0, 64, 0, 0, 0), plane, GOAL, 60_000)
  let result
  let parts = 0
  do {
    search.tickTimeout = Infinity
    result = search.compute()
    for (const place of result.path) {
      place.x += 0.5
      place.z += 0.5
      place.toBreak.push('moved')
    }
    parts += 1
  } while (result.status === 'partial' && parts < MOST_PARTS)
  assert.equal(result.status, 'success')
  assert.ok(parts > 10, `${parts} parts`)
  assert.deepEqual(
    result.path.map((/** @type {any} */ place) => place.toBreak),
    result.path.map(() => ['moved'])
  )
})

test('a search ends its tick by CPU time, even while the clock is waiting', () => {
  const { now } = performance
  const endless = { getNeighbors: () => [new Move(places++, 64, 0, 0, 1)] }
  let places = 1
  performance.now = () => 0
  try {
    const far = new goals.GoalNear(-1e9, 64, 0, 0)
    const search = new AStar(new Move(0, 64, 0, 0, 0), endless, far, 50, 5)
    const parts = []
    do parts.push(search.compute().status)
    while (parts.at(-1) === 'partial')
    assert.equal(parts.at(-1), 'timeout')
    assert.ok(parts.length > 3, `${parts.length} parts`)
    assert.equal(performance.now(), 0)
  } finally {
    performance.now = now
  }
})

test('a search that has made no progress yet does not count as arrived', () => {
  const away = { getNeighbors: (/** @type {any} */ { x }) => [new Move(x + 1, 64, 0, 0, 1)] }
  const search = new AStar(new Move(0, 64, 0, 0, 0), away, GOAL, 60_000, -1)
  const { status, path } = search.compute() // the tick's time is over before the first position
  assert.equal(status, 'partial')
  assert.deepEqual([path.length, path[0]?.x], [1, 0])
})

test('the distance to a block overhead is measured from the eyes', () => {
  const log = new Vec3(0, 68, 0)
  const world = { raycast: () => ({ position: log, face: 0 }) }
  const goal = new goals.GoalLookAtBlock(log, /** @type {any} */ (world), { reach: 3.5 })
  const heights = [62, 63, 64, 65].map((y) => goal.isEnd(new Move(0, y, 0, 0, 0)))
  assert.deepEqual(heights, [false, false, true, true])
  world.raycast = () => ({ position: log.offset(0, -1, 0), face: 0 }) // another block hides it
  assert.equal(goal.isEnd(new Move(0, 65, 0, 0, 0)), false)
})
