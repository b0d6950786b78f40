/** Lockstep: which clients the clock waits for, and for how long. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { CLOCK_CHANNEL, now, setSpeedAndGrant, wall } from '@voxpolis/clock'
import { player as addTo, server as begin } from '../../network/lockstep.js'
import { TICK_MS } from '../../world/ticks.js'

const SPEED = 10
const folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
setSpeedAndGrant(SPEED, wall.now(), join(folder, 'test.clock'))
after(() => rmSync(folder, { recursive: true }))

/** Minimal server for the plugin, with a tick whenever the clock has reached one. @type {any} */
const serv = Object.assign(new EventEmitter(), { players: [], tickCount: 0, nextTick: now() })
begin(serv)
let ticks = 0
const beat = wall.setInterval(() => {
  if (now() < serv.nextTick) return
  ticks += 1
  serv.nextTick += TICK_MS
  serv.emit('tickEnd')
}, 1)
after(() => clearInterval(beat))
afterEach(() => serv.players.splice(0))

/** @param {boolean} follows @returns {any} a client that was pinged and does not answer */
function silentClient(follows) {
  /** @type {any} */
  const client = { _client: Object.assign(new EventEmitter(), { write: () => {} }), asked: null }
  addTo(client)
  if (follows) client._client.emit('custom_payload', { channel: CLOCK_CHANNEL })
  client.asked = { tick: 0, at: now(), looks: 0 }
  serv.players.push(client)
  return client
}

/** @param {number} ms of wall time @returns {Promise<number>} elapsed game time */
async function passed(ms) {
  const before = now()
  await new Promise((resolve) => wall.setTimeout(resolve, ms))
  return now() - before
}

test('the clock does not wait for a client that does not follow it', async () => {
  silentClient(false)
  assert.ok((await passed(300)) > 200)
})

test('the clock waits five seconds for a follower, and then not again for a while', async () => {
  const client = silentClient(true)
  const asked = client.asked.at
  while ((await passed(50)) > 0);
  const stands = now()
  assert.ok(stands >= asked + 3 * TICK_MS)
  const since = wall.now()
  while (now() === stands) await passed(1)
  assert.ok(wall.now() - since > 4000)
  client.asked = { tick: 1, at: now(), looks: 0 }
  assert.ok((await passed(400)) > 3 * TICK_MS)
})

test('an answer makes the clock continue', async () => {
  const client = silentClient(true)
  while ((await passed(50)) > 0);
  const stands = now()
  client.asked = null
  serv.grantTime()
  while (now() === stands) await passed(1)
  assert.ok(now() > stands)
})

test('a frozen clock waits longer than any timeout, and clients get keep-alives', async () => {
  let heard = 0
  serv.players.push({
    mayPass: () => Infinity,
    asked: null,
    _client: { write: () => (heard += 1) }
  })
  serv.freeze(true)
  while ((await passed(50)) > 0);
  assert.equal(await passed(6000), 0)
  assert.ok(heard >= 1)
  serv.freeze(false)
  assert.ok((await passed(300)) > 0)
})

test('a server that is late still runs all ticks', async () => {
  const [before, began] = [ticks, now()]
  const busy = wall.setInterval(() => {
    for (const until = wall.now() + 8; wall.now() < until;); // more than a tick's length
    serv.grantTime() // as when a bot answers
  }, 1)
  while (ticks < before + 40) await passed(1)
  clearInterval(busy)
  assert.ok(now() - began < 43 * TICK_MS, String(now() - began))
})

test('a frozen clock runs a given number of ticks and then freezes again', async () => {
  serv.freeze(true)
  while ((await passed(50)) > 0);
  const before = ticks
  serv.step(3)
  while (serv.stepsLeft) await passed(1)
  await passed(200)
  assert.equal(ticks - before, 3)
  serv.freeze(false)
  assert.ok((await passed(100)) > 0)
})
