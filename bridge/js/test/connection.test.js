/** A bot's connection: splitting bytes into packets, and keep-alives. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { Duplex } from 'node:stream'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { bypassStreams, framed } from '../frames.js'
import { keepAlive } from '../keep-alive.js'

const load = /** @type {(name: string) => any} */ (createRequire(import.meta.url))
const { createSplitter } = load('minecraft-protocol/src/transforms/framing')
const [, writeVarInt, sizeOfVarInt] = load('protodef').types.varint

/** @param {any} splitter @param {Buffer[]} pieces @returns {string[]} packets */
function packetsOf(splitter, pieces) {
  /** @type {string[]} */
  const packets = []
  splitter.push = (/** @type {Buffer} */ frame) => packets.push(frame.toString('hex'))
  for (const piece of pieces) splitter._transform(piece, 'buffer', () => {})
  return packets
}

test('packets are split as the library splits them, wherever the bytes are divided', () => {
  const packet = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }),
    fc.integer({ min: 120, max: 40_000 }).map((length) => new Uint8Array(length).fill(7))
  )
  fc.assert(
    fc.property(fc.array(packet), fc.array(fc.nat(50_000)), (packets, breaks) => {
      const bytes = Buffer.concat(
        packets.flatMap((packet) => {
          const head = Buffer.alloc(sizeOfVarInt(packet.length))
          writeVarInt(packet.length, head, 0)
          return [head, packet]
        })
      )
      const at = breaks.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)
      const pieces = [0, ...at].map((from, index) => bytes.subarray(from, at[index]))
      const quick = createSplitter()
      bypassStreams({ splitter: quick, decompressor: 'of another' })
      const found = packetsOf(quick, pieces)
      assert.deepEqual(found, packetsOf(createSplitter(), pieces))
      assert.equal(found.length, packets.length)
      assert.equal(quick.buffer.length, 0)
    })
  )
})

const Client = load('minecraft-protocol/src/client')
const { createSerializer } = load('minecraft-protocol/src/transforms/serializer')
const VERSION = '1.20.4'

/**
 * Create a playing client that logs its events and packets.
 * @param {(client: any) => void} change
 */
function playing(change) {
  const socket = new Duplex({ read() {}, write: (bytes, _, done) => done(void sent.push(bytes)) })
  const sent = /** @type {Buffer[]} */ ([])
  const told = /** @type {unknown[]} */ ([])
  const client = new Client(false, VERSION, undefined, true)
  change(client)
  client.setSocket(socket)
  client.state = 'play'
  client.on('packet', (/** @type {object} */ data, /** @type {object} */ meta) =>
    told.push([meta, data])
  )
  client.on('error', (/** @type {Error} */ error) => told.push(error.message))
  return { client, socket, told, sent: () => Buffer.concat(sent) }
}

/** @param {any} packet @returns {Buffer} */
const told = (packet) =>
  createSerializer({ isServer: true, version: VERSION, state: 'play' }).createPacketBuffer(packet)
const nothing = { x: 0, y: 0, z: 0, yaw: 0, pitch: 0 }
const FRAMES = [
  told({ name: 'entity_teleport', params: { ...nothing, entityId: 7, x: 1.5, onGround: true } }),
  told({
    name: 'rel_entity_move',
    params: { entityId: 300, dX: -5, dY: 0, dZ: 9, onGround: false }
  }),
  told({ name: 'keep_alive', params: { keepAliveId: 5n } }),
  told({ name: 'update_health', params: { health: 20, food: 20, foodSaturation: 5 } }),
  Buffer.from([0x69, 10, 99, 0, 1, 97, 5]), // text of an unknown type
  told({ name: 'update_health', params: { health: 1, food: 2, foodSaturation: 3 } }).subarray(0, 4)
].map(framed)

test('packets and errors are emitted as the library emits them', async () => {
  const indices = fc.array(fc.nat(FRAMES.length - 1), { maxLength: 30 })
  const cuts = fc.array(fc.nat(200))
  const property = fc.asyncProperty(indices, cuts, async (order, breaks) => {
    const bytes = Buffer.concat(order.map((index) => FRAMES[index]))
    const at = breaks.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)
    const [quick, library] = [playing(bypassStreams), playing(() => {})]
    for (const { socket } of [quick, library]) {
      for (const [index, from] of [0, ...at].entries()) {
        const piece = bytes.subarray(from, at[index])
        if (piece.length) socket.push(piece)
      }
      await new Promise(setImmediate)
    }
    const packets = (/** @type {any} */ { told: all }) => all.filter(Array.isArray)
    const errors = (/** @type {any} */ { told: all }) =>
      all.filter((/** @type {any} */ one) => !Array.isArray(one))
    // The library emits nothing after an error: its stream has ended.
    const before = packets(library)
    assert.deepEqual(packets(quick).slice(0, before.length), before)
    assert.deepEqual(errors(quick)[0], errors(library)[0])
    assert.equal(errors(quick).length > 0, order.includes(4))
    assert.equal(packets(quick).length, order.filter((index) => index < 4).length)
  })
  await fc.assert(property, { numRuns: 50 })
})

test('packets are sent as the library sends them, and invalid ones are reported', async () => {
  const [quick, library] = [playing(bypassStreams), playing(() => {})]
  for (const { client } of [quick, library]) {
    client.write('chat_message', {
      message: 'x'.repeat(200),
      timestamp: 1n,
      salt: 2n,
      offset: 0,
      acknowledged: Buffer.alloc(3)
    })
    client.write('position', { x: 1, y: 2, z: 3, onGround: true })
    client.write('position', { x: 1, y: 2 })
    client.write('no_such_packet', {})
    client.write('held_item_slot', { slotId: 3 })
    await new Promise(setImmediate)
    client.end('enough')
    client.write('held_item_slot', { slotId: 4 })
    clearTimeout(client.closeTimer)
  }
  assert.ok(quick.sent().length > 200)
  assert.deepEqual(quick.sent(), library.sent())
  assert.deepEqual(quick.told, library.told)
})

test('an error in a listener does not affect the next packet', async () => {
  const { client, socket, told: heard } = playing(bypassStreams)
  client.on('keep_alive', () => {
    throw new Error('a listener fails')
  })
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve))
  socket.push(Buffer.concat([FRAMES[2], FRAMES[3]]))
  assert.match(String(await thrown), /a listener fails/)
  for (const other of others) process.on('uncaughtException', other)
  assert.equal(heard.length, 2)
})

for (const last of [5, 0]) {
  test(`a bot leaves a server that stops after ${last} keep-alives, and stays while they arrive`, () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const said = /** @type {unknown[][]} */ ([])
    const client = /** @type {any} */ (
      Object.assign(new EventEmitter(), {
        write: (/** @type {unknown[]} */ ...args) => said.push(args),
        end: (/** @type {string} */ reason) => said.push([reason])
      })
    )
    client.on('error', (/** @type {Error} */ error) => said.push([error.message]))
    keepAlive(client, 30_000)
    mock.timers.tick(90_000) // before its login, the bot is not in play
    client.emit('login')
    for (let id = 0; id < last; id++) {
      client.emit('keep_alive', { keepAliveId: id })
      mock.timers.tick(29_000)
    }
    assert.deepEqual(
      said,
      Array.from({ length: last }, (_, keepAliveId) => ['keep_alive', { keepAliveId }])
    )
    mock.timers.tick(last ? 10_000 : 36_000)
    assert.deepEqual(said.slice(last), [
      ['client timed out after 30000 milliseconds'],
      ['keepAliveError']
    ])
    mock.timers.tick(90_000)
    assert.equal(said.length, last + 2)
    mock.timers.reset()
  })
}
