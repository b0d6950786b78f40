/**
 * Connections: how many an address may hold, how long one may take to join, how much one may
 * announce before it has said it, and what a player may be called.
 *
 * All limits are of the wall's clock, and hold for honest clients by far.
 */
import { wall } from '../../../clock.js'

/** @import { Connection, Options, Server } from '../types.d.ts' */

/** Bytes of one packet that a client sends: before it plays, and then. */
const LONGEST_FRAME = { joining: 4096, playing: 65_536 }
/** Of one address: besides as many players as there may be, and of those that have not joined yet. */
const MOST_BESIDES = 100
const MOST_JOINING = 250
const JOIN_TIMEOUT_MS = 30_000
/** Bytes that wait for a client that does not read them. */
const MOST_UNREAD = 64 * 2 ** 20
const UNREAD_CHECK_TICKS = 20
const LENGTH_BYTES = 3
const LEGACY_PING = 0xfe
/** Mojang's rule for names, but for the shortest: a vanilla server admits those, too. */
const NAME = /^[A-Za-z0-9_]{1,16}$/

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  /** @type {Map<string, Set<Connection>>} */
  const byAddress = new Map()

  serv._server.on('connection', (client) => {
    const { socket } = client
    const address = socket.remoteAddress ?? ''
    const theirs = byAddress.get(address) ?? new Set()
    const joining = [...theirs].filter((other) => other.state !== 'play')
    const most = options['max-players'] + MOST_BESIDES
    if (theirs.size >= most || joining.length >= MOST_JOINING) {
      // who says nothing does not keep others out: the one that is silent the longest goes
      const silent = joining.find((other) => other.state === 'handshaking') ?? joining[0]
      if (!silent) return void socket.destroy()
      theirs.delete(silent)
      silent.socket.destroy()
    }
    byAddress.set(address, theirs.add(client))
    const late = wall.setTimeout(() => client.state !== 'play' && socket.destroy(), JOIN_TIMEOUT_MS)
    socket.once('close', () => {
      clearTimeout(late)
      theirs.delete(client)
      if (!theirs.size) byAddress.delete(address)
    })
    boundFrames(client)
    checkName(client)
  })

  serv.on('tick', () => {
    if (serv.tickCount % UNREAD_CHECK_TICKS !== 0) return
    for (const { _client: client } of serv.players) {
      if (client.socket.writableLength > MOST_UNREAD) client.socket.destroy()
    }
  })
}

/** Puts our reader of frames in place of the library's, which keeps what is announced. @param {Connection} client */
function boundFrames(client) {
  client.splitter._transform = function (chunk, _encoding, done) {
    const data = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk
    const longest = client.state === 'play' ? LONGEST_FRAME.playing : LONGEST_FRAME.joining
    const isLegacy = this.recognizeLegacyPing && data[0] === LEGACY_PING
    const rest = isLegacy ? null : pushFrames(data, longest, (frame) => this.push(frame))
    this.buffer = rest ?? Buffer.alloc(0)
    if (!rest) client.socket.destroy()
    done()
  }
}

/**
 * @param {Buffer} data @param {number} longest bytes of a frame @param {(frame: Buffer) => void} push
 * @returns {Buffer | null} what is left for later; null where a frame's length is none or too much
 */
export function pushFrames(data, longest, push) {
  let at = 0
  for (;;) {
    const head = readLength(data, at)
    if (head === 'partial') return data.subarray(at)
    if (!head || head.length < 1 || head.length > longest) return null
    const end = at + head.bytes + head.length
    if (end > data.length) return data.subarray(at)
    push(data.subarray(at + head.bytes, end))
    at = end
  }
}

/** A frame's length, of at most three bytes. @param {Buffer} data @param {number} at */
function readLength(data, at) {
  let length = 0
  for (let index = 0; index < LENGTH_BYTES; index++) {
    const byte = data[at + index]
    if (byte === undefined) return 'partial'
    length |= (byte & 0x7f) << (7 * index)
    if (!(byte & 0x80)) return { length, bytes: index + 1 }
  }
  return null
}

/** Lets only those log in whose name may be a player's. @param {Connection} client */
function checkName(client) {
  const logIn = client.listeners('login_start')
  client.removeAllListeners('login_start')
  client.once('login_start', (packet) => {
    if (!NAME.test(packet.username)) return client.end('Invalid characters in username')
    for (const listener of logIn) listener.call(client, packet)
  })
}
