/** The game's clock and its timers: grants, waits, and the order of events. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import {
  followsGrants,
  grant,
  isGranting,
  now,
  setSpeed,
  setSpeedAndGrant,
  wall
} from '../clock.js'

const SPEED = 20
const folder = mkdtempSync(join(tmpdir(), 'clock-'))
const path = join(folder, 'test.clock')
after(() => rmSync(folder, { recursive: true }))

/** @param {number} ms of the wall's clock @returns {Promise<void>} */
const pause = (ms) => new Promise((resolve) => wall.setTimeout(resolve, ms))

test('the clock waits at the end of a grant, continues from there, and never takes a grant back', async () => {
  setSpeedAndGrant(SPEED, wall.now(), path)
  assert.deepEqual([isGranting(), followsGrants()], [true, false])
  const began = now()
  grant(began + 400)
  while (now() < began + 400) await pause(1)
  await pause(20)
  assert.equal(now(), began + 400)
  assert.equal(Date.now(), Math.floor(began + 400))
  grant(began + 100)
  assert.equal(now(), began + 400)
  grant(began + 500)
  while (now() < began + 500) await pause(1)
  assert.equal(now(), began + 500)
})

test('timers wait with the clock and fire in time order', async () => {
  const began = now()
  /** @type {string[]} */
  const order = []
  const done = new Promise((resolve) => setTimeout(() => resolve(order.push('d')), 90))
  setTimeout(() => order.push('b'), 60)
  setTimeout((/** @type {string} */ name) => order.push(name), 50, 'a')
  setTimeout(() => order.push('c'), 60)
  const cleared = setTimeout(() => order.push('never'), 55)
  clearTimeout(cleared)
  const byNumber = setTimeout(() => order.push('never'), 55)
  clearTimeout(Number(byNumber))
  const disposed = setTimeout(() => order.push('never'), 55)
  disposed[Symbol.dispose]()
  grant(began + 45)
  await pause(30)
  assert.deepEqual(order, [])
  await new Promise((resolve) => setTimeout(resolve)) // a timer without a delay fires immediately
  grant(began + 200)
  await done
  assert.deepEqual(order, ['a', 'b', 'c', 'd'])
})

test('promises that a timer settles are handled before the next timer', async () => {
  grant(now() + 1000)
  /** @type {string[]} */
  const order = []
  setTimeout(() => {
    order.push('first')
    Promise.resolve().then(() => order.push('its promise'))
  }, 10)
  await new Promise((resolve) => setTimeout(() => resolve(order.push('second')), 10))
  assert.deepEqual(order, ['first', 'its promise', 'second'])
  assert.equal(await promisify(setTimeout)(10, 'value'), 'value')
})

test('timers that are due together fire in one turn of the event loop', async () => {
  grant(now() + 1_000_000) // for as long as a slow machine may need
  const TIMERS = 30
  let turn = 0
  const count = () => {
    turn += 1
    if (turns.length < TIMERS) setImmediate(count)
  }
  /** @type {number[]} */
  const turns = []
  for (let k = 0; k < TIMERS; k++) setTimeout(() => turns.push(turn), 20 + k)
  const until = now() + 20 + TIMERS
  while (now() < until); // as a search for a path does
  setImmediate(count)
  while (turns.length < TIMERS) await pause(1)
  const spread = Number(turns.at(-1)) - turns[0]
  assert.ok(spread <= 1, `${TIMERS} timers took ${spread} turns`)
})

test('intervals keep their period and can be ended', async () => {
  const began = now()
  grant(began + 10_000)
  /** @type {number[]} */
  const times = []
  await new Promise((resolve) => {
    const beat = setInterval(() => {
      times.push(now() - began)
      if (times.length < 10) return
      clearInterval(beat)
      resolve(undefined)
    }, 100)
  })
  await pause(30)
  assert.equal(times.length, 10)
  for (const [index, time] of times.entries()) assert.ok(time >= 100 * (index + 1), String(times))
})

/** @param {string} body code that uses the clock, in a thread that follows the grants */
function borrower(body) {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.clock).then(({ now, setSpeed }) => {
      setSpeed(workerData.speed, workerData.anchor, workerData.path)
      ${body}
    })`
  const clock = import.meta.resolve('../clock.js')
  const workerData = { clock, path, speed: SPEED, anchor: wall.now() }
  return new Worker(code, { eval: true, workerData })
}

test('an error in one timer does not stop the others', async () => {
  const thread = borrower(`
    process.on('uncaughtException', (error) => parentPort.postMessage(error.message))
    setTimeout(() => { throw new Error('its own fault') }, 10)
    setTimeout(() => parentPort.postMessage('the other'), 10)`)
  /** @type {string[]} */
  const told = []
  thread.on('message', (text) => told.push(text))
  const beat = wall.setInterval(() => grant(now() + 1000), 5)
  await once(thread, 'exit')
  clearInterval(beat)
  assert.deepEqual(told, ['its own fault', 'the other'])
})

test('refresh restarts a timer, even among many cancelled timers', async () => {
  grant(now() + 2000)
  for (let count = 0; count < 10_000; count++) clearTimeout(setTimeout(() => {}, 1e9))
  let at = 0
  const late = setTimeout(() => (at = now()), 200)
  const asked = now()
  assert.equal(late.refresh(), late)
  while (!at) await pause(1)
  assert.ok(at >= asked + 200)
})

test('a follower waits when the server waits, but not if the server is gone', async () => {
  setSpeedAndGrant(SPEED, wall.now(), path) // earlier grants reach a minute ahead
  grant(now() + 100)
  const until = grantedUntil()
  const thread = borrower(`
    parentPort.postMessage(now())
    setInterval(() => parentPort.postMessage(now()), 10)`)
  let heard = 0
  thread.on('message', (time) => (heard = Math.max(heard, time)))
  await once(thread, 'message')
  while (now() < until) await pause(1)
  await pause(50)
  assert.ok(heard <= until)
  const stood = wall.now()
  grant(until + 300)
  while (heard <= until) await pause(1)
  while (now() < until + 300) await pause(1)
  await pause(20)
  assert.ok(heard <= until + 300)
  while (heard <= until + 300) await pause(10)
  assert.ok(wall.now() - stood > 4000)
  await thread.terminate()
})

/** Return the content of the file. */
function grantedUntil() {
  return new Float64Array(new Uint8Array(readFileSync(path)).buffer)[2]
}

test('a half-written grant is ignored, and a missing server does not stop the clock', () => {
  const half = join(folder, 'half.clock')
  writeFileSync(half, Buffer.from(new Float64Array([wall.now(), 5, 6, 7]).buffer))
  setSpeed(SPEED, wall.now(), half)
  assert.equal(followsGrants(), true)
  assert.ok(now() > wall.now() - 1000)
  setSpeed(SPEED, wall.now(), join(folder, 'nothing.clock'))
  assert.equal(followsGrants(), false)
})
