/** Protection of RCON and the game's port against attackers. */
import assert from 'node:assert'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { CHAT } from '../../../../bridge/js/sandbox/chat.js'
import { Spam } from '../../players/chat.js'
import { pushFrames } from '../../network/connections.js'
import { rotate } from '../../process/log-file.js'
import { escaped } from '../../process/log.js'
import { LIMITS, startRcon } from '../../network/rcon.js'

const PASSWORD = 'open sesame'
/** Normally no test reaches these limits; each test shortens the limit that it checks. */
const NEVER_MS = 3_600_000
const NONE = { ...LIMITS, lockoutMs: NEVER_MS, loginMs: NEVER_MS, unreadMs: NEVER_MS }
const SOON_MS = 60

/** @param {number} type @param {string} body */
function packet(type, body) {
  const bytes = Buffer.alloc(14 + Buffer.byteLength(body))
  bytes.writeInt32LE(bytes.length - 4, 0)
  bytes.writeInt32LE(7, 4)
  bytes.writeInt32LE(type, 8)
  bytes.write(body, 12)
  return bytes
}
const LOGIN = packet(3, PASSWORD)
const WRONG = packet(3, 'guess')

/**
 * @param {import('node:test').TestContext} t @param {Partial<typeof LIMITS>} [limits]
 * @param {object} [options]
 */
async function rcon(t, limits = {}, options = {}) {
  const run = async (/** @type {string} */ line) => (line === 'long' ? 'x'.repeat(5e6) : line)
  const host = '127.0.0.1'
  const server = await startRcon({
    host,
    port: 0,
    password: PASSWORD,
    run,
    limits: { ...NONE, ...limits },
    ...options
  })
  /** @type {import('node:net').Socket[]} */
  const opened = []
  t.after(() => {
    for (const socket of opened) socket.destroy() // an open connection would keep the process alive
    return server.close()
  })
  return () => {
    const socket = connect(server.port, host).on('error', () => {})
    opened.push(socket)
    return socket
  }
}

/**
 * Wait until a connection is closed, gracefully or not.
 * @param {import('node:net').Socket} socket
 */
const closing = (socket) => new Promise((resolve) => socket.once('close', resolve))

/** Return the id in the answer to a login, or null if the connection is closed. */
async function login(/** @type {import('node:net').Socket} */ socket, sent = LOGIN) {
  socket.write(sent)
  /** @type {Promise<Buffer>} */
  const answered = new Promise((resolve) => socket.once('data', resolve))
  const data = await Promise.race([answered, closing(socket).then(() => null)])
  return data && data.readInt32LE(4)
}

/** Send wrong passwords until the address is refused. @param {import('node:net').Socket} socket */
async function guess(socket) {
  for (let tries = 0; tries < NONE.failures; tries++) {
    assert.equal(await login(socket, WRONG), -1)
  }
}

test('an address that guesses passwords is refused, even if it then sends the right one', async (t) => {
  const open = await rcon(t)
  const before = open()
  assert.equal(await login(before), 7)
  const guessing = open()
  await guess(guessing)
  assert.equal(await login(guessing), -1)
  assert.equal(await login(open()), null)
  before.write(packet(2, 'existing sessions stay open'))
  const [answer] = await once(before, 'data')
  assert.match(String(answer), /existing sessions stay open/)
})

test('after a while, an address that guessed passwords is admitted again', async (t) => {
  const open = await rcon(t, { lockoutMs: SOON_MS })
  await guess(open())
  let id = null
  while (id === null) id = await login(open())
  assert.equal(id, 7)
})

test('a connection that does not log in is closed', async (t) => {
  const open = await rcon(t, { loginMs: SOON_MS })
  await closing(open().resume())
})

test('the number of connections is limited', async (t) => {
  const open = await rcon(t, { connections: 3 })
  const sockets = Array.from({ length: 3 }, open)
  for (const socket of sockets) assert.equal(await login(socket), 7)
  assert.equal(await login(open()), null)
  sockets[0].destroy()
  await closing(sockets[0])
  let id = null
  while (id === null) id = await login(open())
})

test('silent connections do not block others, and logged-in connections are kept', async (t) => {
  const open = await rcon(t, { connections: 3 })
  const before = open()
  assert.equal(await login(before), 7)
  const silent = Array.from({ length: 10 }, open)
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  assert.equal(await login(open()), 7)
  assert.equal(await login(open()), 7)
  assert.equal(await login(open()), null)
  assert.equal(await login(before), 7)
})

test('a client that does not read its answers is slowed down, then closed', async (t) => {
  let ran = 0
  const run = async () => 'x'.repeat(1e6) + ++ran
  const open = await rcon(t, { unreadMs: SOON_MS, connections: 1 }, { run })
  const socket = open()
  assert.equal(await login(socket), 7)
  socket.pause()
  socket.write(Buffer.concat(Array(2000).fill(packet(2, 'list'))))
  let id = null
  while (id === null) id = await login(open()) // once the only free connection is available
  assert.ok(ran < 100, `${ran} commands ran for a client that does not read`)
})

test('an overlong answer is truncated', async (t) => {
  const open = await rcon(t)
  const socket = open()
  assert.equal(await login(socket), 7)
  socket.write(Buffer.concat([packet(2, 'long'), packet(2, 'end')]))
  let length = 0
  let last = ''
  for await (const data of socket) {
    length += data.length
    last = (last + data).slice(-10)
    if (last.endsWith('end\0\0')) break
  }
  assert.ok(length > 1e6 && length < 1.1e6, `${length} bytes`)
})

test('frames are reassembled from pieces of any size, and an overlong frame is not buffered', () => {
  /** @param {Buffer} body */
  const frame = (body) => {
    const head = []
    let left = body.length
    for (; left > 127; left >>= 7) head.push((left & 127) | 128)
    return Buffer.concat([Buffer.from([...head, left]), body])
  }
  const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 400 }), { maxLength: 8 })
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(300)), (sent, cuts) => {
      let rest = Buffer.concat(sent.map((body) => frame(Buffer.from(body))))
      /** @type {Buffer} */
      let pending = Buffer.alloc(0)
      /** @type {Buffer[]} */
      const got = []
      for (const cut of [...cuts, rest.length]) {
        pending = Buffer.concat([pending, rest.subarray(0, cut)])
        rest = rest.subarray(cut)
        pending = pushFrames(pending, 400, (body) => got.push(Buffer.from(body))) ?? assert.fail()
      }
      assert.deepEqual(Buffer.concat(got), Buffer.concat(sent.map((body) => Buffer.from(body))))
      assert.equal(got.length, sent.length)
    })
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      const left = pushFrames(Buffer.from(bytes), 400, () => {})
      assert.ok(left === null || left.length < 403)
    })
  )
  for (const head of [
    [0x80, 0x80, 0x80, 0x80, 0x08],
    [0xff, 0xff, 0xff, 0xff, 0x0f],
    [0],
    [0x91, 3]
  ]) {
    assert.equal(
      pushFrames(Buffer.from(head), 400, () => {}),
      null
    )
  }
})

test('agents at their chat limit never count as spam, at any speed, even after a stall of 30 s', () => {
  for (const speed of [0.1, 1, 5, 20]) {
    const spam = new Spam(speed)
    const every = 1000 / CHAT.perSecond
    for (let line = 0; line < CHAT.burst; line++) assert.equal(spam.isTooMuch(0), false)
    for (let now = every; now < 3_600_000; now += every) {
      const read = Math.ceil(now / (30_000 * speed)) * 30_000 * speed
      assert.equal(spam.isTooMuch(read), false)
    }
  }
})

test('a flood of lines counts as spam at any speed', () => {
  for (const speed of [0.1, 1, 20]) {
    const spam = new Spam(speed)
    const lines = Array.from({ length: 10_000 }, (_, line) => spam.isTooMuch(line * 0.1 * speed))
    assert.equal(lines.includes(true), true)
  }
})

test('text from clients cannot forge a log line', () => {
  assert.equal(
    escaped('a\n2026 INFO \x1b[2J\u202eb\ud800 é 🙂'),
    'a\\u000a2026 INFO \\u001b[2J\\u202eb\\ud800 é 🙂'
  )
  assert.equal(escaped('x'.repeat(1e6)).length < 2000, true)
})

test('a log keeps its newest lines and one older file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const path = join(folder, 'server.log')
  const file = openSync(path, 'a')
  t.after(() => {
    closeSync(file)
    rmSync(folder, { recursive: true })
  })
  for (let line = 0; line < 1000; line++) {
    writeSync(file, `${line}\n`)
    rotate(file, path, 100)
  }
  const kept = readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')
  assert.ok(kept.length <= 210, `${kept.length} bytes`)
  const lines = kept.trim().split('\n').map(Number)
  assert.deepEqual(
    lines,
    lines.map((_, at) => 1000 - lines.length + at)
  )
  assert.ok(lines.length > 20)
})
