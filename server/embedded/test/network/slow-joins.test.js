/** Joining on a slow machine: slow joins succeed, and stuck joins are given up. */
import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { BotHandle } from '../../../../bridge/js/bot-handle.js'
import { createBot } from '../../../../bridge/js/bot.js'
import { createEmbeddedServer } from '../../server.js'

const PATIENCE_MS = 600
const PIECE_MS = 200
const PIECE_BYTES = 80_000

/** @type {Awaited<ReturnType<typeof createEmbeddedServer>>} */
let running
before(async () => {
  const ports = { host: '127.0.0.1', port: 0, rconPort: 0, rconPassword: 'test' }
  running = await createEmbeddedServer({ ...ports, seed: 1, terrain: 'superflat', strict: false })
})
after(() => running.close())

/**
 * Join through a connection that delivers one piece at a time.
 * @param {number} most number of pieces, after which none follow
 * @param {(where: {host: string, port: number, version: string, patienceMs: number}) => Promise<void>} join
 */
async function joinSlowly(most, join) {
  const proxy = createServer((client) => {
    const server = connect(running.port, '127.0.0.1')
    let waiting = Buffer.alloc(0)
    let pieces = 0
    server.on('data', (data) => (waiting = Buffer.concat([waiting, /** @type {Buffer} */ (data)])))
    const carry = setInterval(() => {
      if (pieces >= most || !waiting.length) return
      pieces += 1
      client.write(waiting.subarray(0, PIECE_BYTES))
      waiting = waiting.subarray(PIECE_BYTES)
    }, PIECE_MS)
    client.pipe(server)
    const end = () => {
      clearInterval(carry)
      server.destroy()
      client.destroy()
    }
    for (const socket of [client, server]) socket.on('close', end).on('error', end)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address())
  const began = performance.now()
  try {
    await join({ host: '127.0.0.1', port, version: '1.20.4', patienceMs: PATIENCE_MS })
  } finally {
    proxy.close()
  }
  return performance.now() - began
}

test('a join that makes progress may take any time', async () => {
  const took = await joinSlowly(Infinity, async (where) => {
    const bot = await createBot({ bot: 'Slow', ...where }, () => {})
    bot.end()
  })
  assert.ok(took > PATIENCE_MS * 1.5, `it took ${took} ms`)
})

test('a join that makes no progress is given up, and the error says how far it came', async () => {
  const clock = { speed: 1, anchor_ms: 0, clock_file: '' }
  const kinds = { movement: 'careful', primitives: 'strict', refereed: false, listens: false }
  const join = async (/** @type {object} */ where) => {
    const options = /** @type {any} */ ({ bot: 'Stuck', ...where, ...clock, ...kinds })
    const mailboxes = /** @type {any} */ ({ open() {}, cancelWaits() {} })
    const handle = new BotHandle(options, { mailboxes, record() {} })
    await handle.start().finally(() => handle.end())
  }
  const why =
    /could not join .*: too slow: .*, and no progress for 0\.6 s \(bots joining or playing: 1, cores: \d+\)/
  await assert.rejects(joinSlowly(1, join), why)
})

test('a bot whose timers fire late misses no packet while it joins', async () => {
  const { setTimeout } = globalThis
  // Timers of 0 ms fire late, as in a process that is busy while the server answers.
  const late = (/** @type {any} */ call, /** @type {number} */ ms, /** @type {any[]} */ ...rest) =>
    setTimeout(call, ms || 300, ...rest)
  Object.assign(globalThis, { setTimeout: late })
  try {
    const where = { host: '127.0.0.1', port: running.port, version: '1.20.4' }
    const bot = await createBot({ bot: 'Late', ...where, patienceMs: 5000 }, () => {})
    assert.equal(bot.game.dimension, 'overworld')
    bot.end()
  } finally {
    Object.assign(globalThis, { setTimeout })
  }
})
