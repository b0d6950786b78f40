/** Pacing: update rates depend on distance and crowd, and the last update is always sent. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import { Vec3 } from '../../minecraft/index.js'
import { server } from '../../entities/pacing.js'

/**
 * Let a walker be seen at a distance, in a crowd, and return the ticks of its updates.
 * @param {{away: number, seen: number, id: number, walks: number, ticks: number}} options
 */
function sentTicks({ away, seen, id, walks, ticks }) {
  /** @type {number[]} */
  const told = []
  const serv = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      tickCount: 0,
      encode: () => Buffer.alloc(1),
      sendBytes: () => told.push(serv.tickCount)
    })
  )
  const still = () => ({
    position: new Vec3(0, 0, 0),
    movedTick: -1,
    turnedTick: -1,
    yaw: 0,
    pitch: 0
  })
  const walker = { ...still(), id: 1, position: new Vec3(away, 0, 0) }
  const others = Array.from({ length: seen - 1 }, () => [still(), 0])
  serv.entities = { 1: walker }
  const seenTicks = new Map(/** @type {[object, number][]} */ ([[walker, 0], ...others]))
  serv.players = [{ id, spawned: true, position: new Vec3(0, 0, 0), seen: seenTicks }]
  server(serv)
  for (serv.tickCount = 1; serv.tickCount <= ticks; serv.tickCount++) {
    serv.emit('tick')
    if (serv.tickCount <= walks) walker.movedTick = serv.tickCount
  }
  return told
}

/** Return the longest interval between a player's turns, in ticks. @param {number} crowd */
const turn = (crowd) => (crowd === 1 ? 1 : 2 * crowd)

const CASES = fc.record({
  away: fc.constantFrom(3, 11.9, 12.1, 31.9, 32.1, 79),
  seen: fc.constantFrom(1, 49, 50, 99, 199, 499),
  id: fc.nat(1000)
})

test('update rates depend on distance and crowd', () => {
  fc.assert(
    fc.property(CASES, ({ away, seen, id }) => {
      const crowd = 1 + Math.floor(seen / 50)
      const pace = (away < 12 ? 2 : away < 32 ? 4 : 10) * crowd
      const told = sentTicks({ away, seen, id, walks: 20 * pace, ticks: 20 * pace })
      assert.ok(told[0] <= pace + turn(crowd))
      told.slice(1).forEach((tick, at) => assert.equal(tick - told[at], pace))
      assert.ok(told.length >= 18)
    })
  )
})

test('the final position is sent, however large the crowd', () => {
  fc.assert(
    fc.property(CASES, fc.integer({ min: 1, max: 300 }), ({ away, seen, id }, walks) => {
      const crowd = 1 + Math.floor(seen / 50)
      const pace = (away < 12 ? 2 : away < 32 ? 4 : 10) * crowd
      const told = sentTicks({ away, seen, id, walks, ticks: walks + 2 * pace + 1 })
      const last = told[told.length - 1]
      assert.ok(last > walks && last <= walks + pace + turn(crowd))
    })
  )
})

test('entities that stand still cause no updates', () => {
  assert.deepEqual(sentTicks({ away: 5, seen: 10, id: 3, walks: 0, ticks: 100 }), [])
})
