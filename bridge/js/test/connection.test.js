/** What a bot's connection does: packets cut from bytes, and keep-alives. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { cutQuickly } from '../frames.js'
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

test('packets are cut as the library cuts them, wherever the bytes are broken', () => {
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
      cutQuickly({ splitter: quick })
      const found = packetsOf(quick, pieces)
      assert.deepEqual(found, packetsOf(createSplitter(), pieces))
      assert.equal(found.length, packets.length)
      assert.equal(quick.buffer.length, 0)
    })
  )
})

test('a server that sends no keep-alive for long is left, and one that answers is not', () => {
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
  mock.timers.tick(90_000) // before the first, it plays for nobody
  for (let id = 0; id < 5; id++) {
    client.emit('keep_alive', { keepAliveId: id })
    mock.timers.tick(29_000)
  }
  assert.deepEqual(
    said,
    [0, 1, 2, 3, 4].map((keepAliveId) => ['keep_alive', { keepAliveId }])
  )
  mock.timers.tick(10_000)
  assert.deepEqual(said.slice(5), [
    ['client timed out after 30000 milliseconds'],
    ['keepAliveError']
  ])
  mock.timers.tick(90_000)
  assert.equal(said.length, 7)
  mock.timers.reset()
})
