/** Delays: which clients are pinged, and when. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { server as begin } from '../../network/delays.js'

/**
 * Return how often each client is pinged in three seconds, and in how many ticks no client is.
 * @param {number} count @param {boolean} follows @param {number} signTicks
 */
function asked(count, follows, signTicks) {
  const times = Array.from({ length: count }, () => 0)
  const players = times.map((_, id) => ({
    ...{ id, follows, spawned: true },
    askForSign: () => void (times[id] += 1)
  }))
  /** @type {any} */
  const serv = Object.assign(new EventEmitter(), { players, tickCount: 0 })
  serv.signTicks = () => signTicks
  begin(serv)
  let silent = 0
  for (let tick = 0; tick < 60; tick++, serv.tickCount++) {
    const before = times.reduce((sum, one) => sum + one)
    serv.emit('tick')
    if (times.reduce((sum, one) => sum + one) === before) silent += 1
  }
  return { times, silent }
}

test('each client is pinged once a second; if there are hundreds, each tick pings some of them', () => {
  const { times, silent } = asked(100, false, 1)
  assert.deepEqual(new Set(times), new Set([3]))
  assert.equal(silent, 0)
})

test('followers of the clock are pinged more often; if there are hundreds, each tick pings some of them', () => {
  assert.deepEqual(new Set(asked(10, true, 1).times), new Set([60]))
  const { times, silent } = asked(500, true, 25)
  assert.equal(silent, 0)
  assert.ok(Math.min(...times) >= 3 && Math.max(...times) <= 6, String(times))
})
