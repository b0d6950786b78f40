/** Invalid and overlong packets: their sender is kicked, and they have no effect. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as chat from '../../players/chat.js'
import * as decoding from '../../network/decoding.js'
import * as movement from '../../players/movement.js'

/** @import { Player, Server } from '../../types/index.d.ts' */

const require = createRequire(import.meta.url)
const { createDeserializer } = require('minecraft-protocol')
const POSITION = 0x17
const NO_PACKET = 0x77

/** Create a player whose messages, packets and log lines are recorded. */
function joined() {
  /** @type {string[]} */
  const noted = []
  const options = { isServer: true, version: '1.20.4', state: 'play', noErrorLogging: true }
  const deserializer = createDeserializer(/** @type {any} */ (options))
  const client = Object.assign(new EventEmitter(), {
    deserializer,
    socket: { destroy: () => {} },
    end: (/** @type {string} */ reason) => noted.push(`kicked: ${reason}`)
  })
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ ({
      players: [],
      warn: (/** @type {string} */ line) => noted.push(line),
      broadcast: () => noted.push('said')
    })
  )
  const player = /** @type {Player} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        username: 'Ada',
        uuid: '-',
        _client: client,
        isAstray: () => true
      })
    )
  )
  decoding.player(player, serv)
  movement.player(player, serv)
  chat.player(player, serv)
  deserializer.on('data', (/** @type {any} */ { data }) => noted.push(`read: ${data.name}`))
  return { noted, client, deserializer }
}

const whole = Buffer.from([POSITION, ...Array(25).fill(0)])

test('a client that sends an unknown packet number is kicked, and no more of its input is read', async () => {
  const { noted, deserializer } = joined()
  for (const sent of [whole, Buffer.from([NO_PACKET]), whole]) deserializer.write(sent)
  await new Promise((done) => deserializer.end(done))
  assert.deepEqual(noted.slice(0, 1), ['read: position'])
  assert.equal(noted.length, 3)
  const fault = 'Bad packet id 119'
  assert.ok(noted[1].startsWith(`Ada was kicked for a packet that cannot be read: ${fault}`))
  assert.ok(noted[2].startsWith(`kicked: Internal Exception: ${fault}`), noted[2])
})

test('truncated and overlong packets are logged once per kind, without a kick', async () => {
  const { noted, deserializer } = joined()
  const short = Buffer.from([POSITION, 0, 0, 0])
  const long = Buffer.from([POSITION, ...Array(40).fill(0)])
  for (const sent of [short, short, long, long, whole]) deserializer.write(sent)
  await new Promise((done) => deserializer.end(done))
  assert.deepEqual(noted, [
    'Ada sent a packet that ends too early',
    'Ada sent a packet position with extra bytes',
    ...Array(3).fill('read: position')
  ])
})

test('a chat line of 256 characters is sent, and a longer one is not', () => {
  const { noted, client } = joined()
  client.emit('chat_message', { message: 'y'.repeat(256) })
  assert.ok(noted.length === 1 && noted[0] === 'said')
  client.emit('chat_message', { message: 'y'.repeat(257) })
  client.emit('chat_message', { message: 'still here' })
  assert.equal(noted[1], 'Ada was kicked for a message of 257 characters')
  assert.equal(noted.length, 3)
})

test('a client that reports an invalid position is kicked', () => {
  const { noted, client } = joined()
  client.emit('position', { x: 1e9, y: 0, z: 0, onGround: true })
  assert.deepEqual(noted, [])
  client.emit('position', { x: NaN, y: 0, z: 0, onGround: true })
  assert.deepEqual(noted, [
    'Ada was kicked for an invalid position',
    'kicked: Invalid move player packet received'
  ])
})
