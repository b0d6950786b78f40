/**
 * Load generator for server benchmarks: many walking connections in one process, without
 * Mineflayer, world or physics, so that even hundreds of them leave most of the machine to the
 * server.
 *
 * It uses the same JSON lines as `load-bots.js`. Each walker moves straight on over flat land, a
 * fifth of a block per tick, turns at the arena's edge, and looks ahead. It reads only two kinds of
 * packets.
 */
import '@voxpolis/clock'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** @import { Socket } from 'node:net' */

const require = createRequire(import.meta.url)
const { createClient } = require('minecraft-protocol')
const { types } = require('minecraft-data')('1.20.4').protocol.play.toClient
const TICK_MS = 50
/**
 * Number of groups that move one after another within a tick, because real clients do not all move
 * at the same moment.
 */
const GROUPS = 10
/**
 * After a stall of up to this length, walkers make up for it, so that all runs have the same number
 * of steps.
 */
const MOST_BEHIND_MS = 2000
const STEP_BLOCKS = 0.2
const VIEW_CHUNKS = 2
/** Maximum number of simultaneous joins. */
const TOGETHER = 25
/** Numbers of the packets that walkers read: keep-alives and teleports. */
const KEEP_ALIVE = numberOf('keep_alive')
const TELEPORT = numberOf('position')

/** @type {Walker[]} */
const walkers = []
let isBusy = false
let steps = 0

/** @param {object} line */
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** @typedef {{low: number, high: number, y: number}} Arena */

/** @param {string} name @returns {number} */
function numberOf(name) {
  const [, [{ type }]] = types.packet
  const found = Object.entries(type[1].mappings).find(([, packet]) => packet === name)
  return Number(found?.[0])
}

class Walker {
  /** @param {any} client of minecraft-protocol, logged in @param {Arena} arena @param {string} name */
  constructor(client, arena, name) {
    this.client = client
    this.arena = arena
    this.name = name
    this.at = { x: 0, y: arena.y, z: 0 }
    this.way = Math.random() * 2 * Math.PI
    /** Received bytes of an incomplete packet, and number of bytes to skip. */
    this.rest = /** @type {Buffer} */ (Buffer.alloc(0))
    this.skipped = 0
  }

  /** Replace the library's reader: from now on, only the two kinds of packets are read. */
  takeOver() {
    const { client } = this
    const socket = /** @type {Socket} */ (client.socket)
    socket.unpipe()
    this.rest = client.splitter.buffer
    socket.on('data', (bytes) => this.read(bytes))
    socket.resume()
  }

  /** @param {Buffer} bytes */
  read(bytes) {
    let data = this.rest.length ? Buffer.concat([this.rest, bytes]) : bytes
    let from = Math.min(this.skipped, data.length)
    this.skipped -= from
    while (from < data.length) {
      const head = varInt(data, from)
      if (!head) break
      const [length, begin] = head
      const id = varInt(data, begin)
      if (!id) break
      if (id[0] !== KEEP_ALIVE && id[0] !== TELEPORT) {
        const end = begin + length
        from = Math.min(end, data.length)
        this.skipped = end - from
        continue
      }
      if (begin + length > data.length) break
      this.answer(id[0], data.subarray(id[1], begin + length))
      from = begin + length
    }
    this.rest = data.subarray(from)
  }

  /** @param {number} id @param {Buffer} body */
  answer(id, body) {
    if (id === KEEP_ALIVE) {
      this.client.write('keep_alive', { keepAliveId: body.readBigInt64BE(0) })
      return
    }
    const [x, y, z] = [0, 8, 16].map((at) => body.readDoubleBE(at))
    const [teleportId] = varInt(body, 33) ?? [0]
    this.at = { x, y, z }
    this.client.write('teleport_confirm', { teleportId })
  }

  step() {
    const { low, high } = this.arena
    const { x, y, z } = this.at
    const to = {
      x: x + STEP_BLOCKS * Math.cos(this.way),
      y,
      z: z + STEP_BLOCKS * Math.sin(this.way)
    }
    if ([to.x, to.z].some((side) => side < low || side > high)) {
      this.way = Math.atan2(-z, -x) + Math.random() - 0.5
      return
    }
    this.at = to
    this.client.write('position_look', { ...to, yaw: this.way * 57, pitch: 0, onGround: true })
    steps += 1
  }
}

/**
 * @param {Buffer} data @param {number} at
 * @returns {[number, number] | null} the number and its end offset
 */
function varInt(data, at) {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    if (at >= data.length) return null
    const byte = data[at++]
    value |= (byte & 127) << shift
    if (byte < 128) return [value, at]
  }
  throw new Error('no number')
}

/** @param {{names: string[], host: string, port: number, arena: Arena}} options */
async function join({ names, host, port, arena }) {
  for (let at = 0; at < names.length; at += TOGETHER) {
    const some = names.slice(at, at + TOGETHER)
    walkers.push(...(await Promise.all(some.map((name) => enter(name, host, port, arena)))))
  }
  say({ op: 'joined', count: walkers.length })
}

/**
 * @param {string} name @param {string} host @param {number} port @param {Arena} arena
 * @returns {Promise<Walker>}
 */
function enter(name, host, port, arena) {
  return new Promise((resolve, reject) => {
    /** @type {any} */
    const client = createClient({ username: name, host, port, version: '1.20.4', auth: 'offline' })
    const walker = new Walker(client, arena, name)
    client.on('login', () =>
      client.write('settings', {
        locale: 'en_US',
        viewDistance: VIEW_CHUNKS,
        chatFlags: 0,
        chatColors: true,
        skinParts: 0,
        mainHand: 1,
        enableTextFiltering: false,
        enableServerListing: true
      })
    )
    client.once('position', (/** @type {any} */ { x, y, z, teleportId }) => {
      walker.at = { x, y, z }
      client.write('teleport_confirm', { teleportId })
      setImmediate(() => {
        walker.takeOver()
        resolve(walker)
      })
    })
    client.on('error', reject)
    client.on('end', (/** @type {string} */ reason) => say({ op: 'lost', bot: name, reason }))
  })
}

let group = 0
let due = performance.now()
setInterval(() => {
  const now = performance.now()
  due = Math.max(due, now - MOST_BEHIND_MS)
  for (; due <= now; due += TICK_MS / GROUPS) {
    group = (group + 1) % GROUPS
    for (let at = group; isBusy && at < walkers.length; at += GROUPS) walkers[at].step()
  }
}, TICK_MS / GROUPS)

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line)
  if (message.op === 'join') {
    await join(message).catch((error) => say({ op: 'failed', error: String(error) }))
  }
  if (message.op === 'busy') isBusy = message.busy
  if (message.op === 'measure') {
    const done = { walk: steps, failed: 0 }
    say({ op: 'measured', done, rss: process.memoryUsage().rss, cpu: process.cpuUsage() })
  }
})
process.stdin.on('close', () => process.exit(0))
