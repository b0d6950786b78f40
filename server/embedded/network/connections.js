/**
 * Connections: how many an address may hold, how long one may take to join, how much one may
 * announce before it has said it, what a player may be called, and what clients of before 1.7 are answered.
 *
 * All limits are of the wall's clock, and hold for honest clients by far.
 */
import { wall } from '@voxpolis/clock'
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Connection, Options, Server } from '../types/index.d.ts' */

/** Bytes of one packet that a client sends: before it plays, and then. */
const LONGEST_FRAME = { joining: 4096, playing: 65_536 }
/** Of one address: besides as many players as there may be, and of those that have not joined yet. */
const MOST_BESIDES = 100
const MOST_JOINING = 250
/**
 * Of those that have not joined, so many that came first may have to go for a new one. The others may not,
 * however much the first ones say: who joins has as many others as that come after it to do it in.
 */
const FIRST_TO_GO = 50
/** A client that joins may be silent for so long, and take as long as so many silences. */
const JOIN_SILENCE_MS = 30_000
const MOST_SILENCES = 20
/** How often it is looked at within a silence: what a held-up server has not read yet counts. */
const LOOKS = 6
/** Bytes that wait for a client that does not read them. */
const MOST_UNREAD = 64 * 2 ** 20
const UNREAD_CHECK_TICKS = 20
const LENGTH_BYTES = 3
const LEGACY_PING = 0xfe
const LEGACY_ANSWER = 0xff
/** Comes after it from 1.4 on. */
const WITH_VERSION = 1
/** No version before 1.7 has it, so that they show that they do not fit. */
const LEGACY_PROTOCOL = 127
/** Mojang's rule for names, but for the shortest: a vanilla server admits those, too. */
const NAME = /^[A-Za-z0-9_]{1,16}$/

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  /** @type {Map<string, Set<Connection>>} in the order in which they came */
  const byAddress = new Map()
  /** When something was heard of each the last time, counted in such moments. @type {WeakMap<Connection, number>} */
  const heard = new WeakMap()
  let moments = 0

  serv._server.on('connection', (client) => {
    const { socket } = client
    const address = socket.remoteAddress ?? ''
    const theirs = byAddress.get(address) ?? new Set()
    const joining = [...theirs].filter((other) => other.state !== 'play')
    const most = options['max-players'] + MOST_BESIDES
    if (theirs.size >= most || joining.length >= MOST_JOINING) {
      const silent = mostSilent(joining, heard)
      if (!silent) return void socket.destroy()
      theirs.delete(silent)
      silent.socket.destroy()
    }
    byAddress.set(address, theirs.add(client))
    let [looks, silence] = [0, 0]
    const hear = () => {
      silence = 0
      heard.set(client, ++moments)
    }
    hear()
    socket.on('data', hear)
    const look = wall.setInterval(() => {
      if (client.state === 'play') return clearInterval(look)
      if (++silence >= LOOKS || ++looks >= LOOKS * MOST_SILENCES) socket.destroy()
    }, JOIN_SILENCE_MS / LOOKS)
    socket.once('close', () => {
      clearInterval(look)
      theirs.delete(client)
      if (!theirs.size) byAddress.delete(address)
    })
    boundFrames(client, (withVersion) => legacyAnswer(serv, withVersion))
    checkName(client)
  })

  serv.on('tick', () => {
    if (serv.tickCount % UNREAD_CHECK_TICKS !== 0) return
    for (const { _client: client } of serv.players) {
      if (client.socket.writableLength > MOST_UNREAD) client.socket.destroy()
    }
  })
}

/**
 * Which goes for a new one, so that nobody keeps others out by holding what it does not use: of the first to
 * go the one that has been silent the longest. Whether it has said hello is no matter: a flood can do so, too.
 *
 * @param {Connection[]} joining in the order in which they came @param {WeakMap<Connection, number>} heard
 */
function mostSilent(joining, heard) {
  const moment = (/** @type {Connection} */ client) => heard.get(client) ?? 0
  const [first, ...more] = joining.slice(0, FIRST_TO_GO)
  return more.reduce((least, next) => (moment(next) < moment(least) ? next : least), first)
}

/** Puts our reader of frames in place of the library's, which keeps what is announced. @param {Connection} client @param {(withVersion: boolean) => Buffer} answer to a ping of before 1.7 */
function boundFrames(client, answer) {
  client.splitter._transform = function (chunk, _encoding, done) {
    const data = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk
    const longest = client.state === 'play' ? LONGEST_FRAME.playing : LONGEST_FRAME.joining
    const isLegacy = this.recognizeLegacyPing && data[0] === LEGACY_PING
    const rest = isLegacy ? null : pushFrames(data, longest, (frame) => this.push(frame))
    this.buffer = rest ?? Buffer.alloc(0)
    if (isLegacy) client.socket.end(answer(data[1] === WITH_VERSION))
    else if (!rest) client.socket.destroy()
    done()
  }
}

/**
 * What clients of before 1.7 read of a server, as vanilla still tells them.
 * @param {Server} serv @param {boolean} withVersion
 */
function legacyAnswer(serv, withVersion) {
  const { motd, playerCount, maxPlayers } = serv._server
  const text = withVersion
    ? `\u00a71\0${[LEGACY_PROTOCOL, MINECRAFT_VERSION, motd, playerCount, maxPlayers].join('\0')}`
    : [motd, playerCount, maxPlayers].join('\u00a7')
  const bytes = Buffer.from(`   ${text}`, 'utf16le').swap16().subarray(3)
  bytes[0] = LEGACY_ANSWER
  bytes.writeUInt16BE(text.length, 1)
  return bytes
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
