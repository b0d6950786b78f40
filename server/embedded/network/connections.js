/**
 * Limits on connections: number per address, time to join, packet length, and player names; and
 * replies before a client has joined: to pings, to clients older than 1.7 and of other versions.
 *
 * All limits use the wall clock and are far above what honest clients need.
 */
import { wall } from '@voxpolis/clock'
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Connection, Options, Server } from '../types/index.d.ts' */

/** Maximum bytes of a client's packet, before it has joined and afterwards. */
const LONGEST_FRAME = { joining: 4096, playing: 65_536 }
/**
 * Connections per address: how many more than the maximum number of players, and how many that have
 * not joined yet.
 */
const MOST_BESIDES = 100
const MOST_JOINING = 250
/**
 * When a new connection arrives, the server may drop one of this many oldest connections that have
 * not joined. It drops no other connection, however active the oldest are, so a joining client has
 * as much time as this many later arrivals take.
 */
const FIRST_TO_GO = 50
/**
 * Maximum time without a packet from a joining client; the whole join may take `MOST_SILENCES`
 * times as long.
 */
const JOIN_SILENCE_MS = 30_000
const MOST_SILENCES = 20
/**
 * Number of checks in that time. A stalled server makes no checks, so packets that it has not read
 * yet still count.
 */
const LOOKS = 6
/** Maximum bytes pending for a client that does not read. */
const MOST_UNREAD = 64 * 2 ** 20
const UNREAD_CHECK_TICKS = 20
const LENGTH_BYTES = 3
const LEGACY_PING = 0xfe
const LEGACY_ANSWER = 0xff
/** Byte that follows the ping in clients from 1.4 on. */
const WITH_VERSION = 1
/** A protocol number that no version before 1.7 has, which marks the server as incompatible. */
const LEGACY_PROTOCOL = 127
const [STATUS, LOGIN] = [1, 2]
/** Clients with a protocol older than this one (1.16.4) are told that their version is "outdated". */
const FIRST_TELLING = 754
/** Mojang's rule for names, without its minimum length: vanilla servers also admit shorter names. */
const NAME = /^[A-Za-z0-9_]{1,16}$/

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  /** @type {Map<string, Set<Connection>>} in order of arrival */
  const byAddress = new Map()
  /**
   * Time of each connection's last packet, counted in checks.
   * @type {WeakMap<Connection, number>}
   */
  const heard = new WeakMap()
  let moments = 0

  serv._server.on('connection', (client) => {
    const { socket } = client
    const address = socket.remoteAddress ?? ''
    const theirs = byAddress.get(address) ?? new Set()
    const joining = [...theirs].filter((other) => other.state !== 'play')
    const most = options['max-players'] + MOST_BESIDES
    if (theirs.size >= most || joining.length >= MOST_JOINING) {
      const silent = longestSilent(joining, heard)
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
    answerPings(client)
    refuseOthers(serv, client)
  })

  serv.on('tick', () => {
    if (serv.tickCount % UNREAD_CHECK_TICKS !== 0) return
    for (const { _client: client } of serv.players) {
      if (client.socket.writableLength > MOST_UNREAD) client.socket.destroy()
    }
  })
}

/**
 * Return the connection to drop for a new one: of the oldest, the one that has been silent longest.
 * Idle connections thus cannot keep others out. A login packet earns no privilege, because a flood
 * of connections can also send it.
 * @param {Connection[]} joining in order of arrival @param {WeakMap<Connection, number>} heard
 */
function longestSilent(joining, heard) {
  const moment = (/** @type {Connection} */ client) => heard.get(client) ?? 0
  const [first, ...more] = joining.slice(0, FIRST_TO_GO)
  return more.reduce((least, next) => (moment(next) < moment(least) ? next : least), first)
}

/**
 * Replace the library's frame reader, which buffers frames of any announced length.
 * @param {Connection} client
 * @param {(withVersion: boolean) => Buffer} answer reply to a ping from a client older than 1.7
 */
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
 * Return vanilla's reply to clients older than 1.7.
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
 * @param {Buffer} data @param {number} longest bytes of a frame
 * @param {(frame: Buffer) => void} push
 * @returns {Buffer | null} the incomplete rest; null if a frame's length is invalid or too large
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

/** Read a frame's length, of at most three bytes. @param {Buffer} data @param {number} at */
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

/** Refuse logins with invalid player names. @param {Connection} client */
const checkName = (client) =>
  checkFirst(client, 'login_start', ({ username }) => {
    if (!NAME.test(username)) client.end('Invalid characters in username')
    return NAME.test(username)
  })

/** Answer pings; the library does so only after a status request. @param {Connection} client */
function answerPings(client) {
  let isAsked = false
  client.once('ping_start', () => (isAsked = true))
  client.once('ping', ({ time }) => {
    if (isAsked) return
    client.write('ping', { time })
    client.end('')
  })
}

/**
 * Refuse clients of other versions and with unknown intentions, which the library would leave waiting.
 * @param {Server} serv @param {Connection} client
 */
function refuseOthers(serv, client) {
  checkFirst(client, 'set_protocol', ({ protocolVersion, nextState }) => {
    const isLogin = nextState === LOGIN
    if (nextState === STATUS || (isLogin && protocolVersion === serv._server.mcversion.version))
      return true
    client.removeAllListeners('login_start')
    client.state = 'login'
    const word = protocolVersion < FIRST_TELLING ? 'outdated_client' : 'incompatible'
    // The version is a bare string, which clients of all versions can read.
    const reason = { translate: `multiplayer.disconnect.${word}`, with: [MINECRAFT_VERSION] }
    if (isLogin) client.write('disconnect', { reason: JSON.stringify(reason) })
    client._end?.('another version')
    return false
  })
}

/**
 * Let the library handle a packet only if it passes a check.
 * @param {Connection} client @param {'login_start' | 'set_protocol'} name
 * @param {(packet: any) => boolean} isFine
 */
function checkFirst(client, name, isFine) {
  const listeners = client.listeners(name)
  client.removeAllListeners(name) // in an event of this packet they would be called all the same
  client.once(name, (/** @type {any} */ packet) => {
    if (isFine(packet)) for (const listener of listeners) listener.call(client, packet)
  })
}
