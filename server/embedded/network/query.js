/**
 * Query protocol, which vanilla speaks over UDP if enabled: players and server information
 * (minecraft.wiki: Query). A request needs a token that was sent to the same address, so that
 * forged addresses cannot redirect answers to others.
 */
import { createSocket } from 'node:dgram'
import { createHmac, randomBytes } from 'node:crypto'
import { MINECRAFT_VERSION } from '../minecraft/index.js'

/** @import { Server } from '../types/index.d.ts' */
/** @import { RemoteInfo } from 'node:dgram' */

const MAGIC = 0xfefd
const STAT = 0
const HANDSHAKE = 9
/**
 * Handshake: magic number, type, session. A basic request also has the token, and a full one has
 * four more bytes.
 */
const BYTES = { handshake: 7, basic: 11, full: 15 }
const SESSION_MASK = 0x0f0f0f0f
const MAP = 'world'

/**
 * @param {Server} serv @param {{host: string, port: number, motd: string}} options
 * @returns {Promise<{close: () => void} | null>} null if the UDP port is taken
 */
export async function startQuery(serv, { host, port, motd }) {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const secret = randomBytes(32)
  socket.on('message', (packet, from) => {
    const answer = answerTo(serv, packet, { token: tokenFor(secret, from), host, port, motd })
    if (answer) socket.send(answer, from.port, from.address)
  })
  const isBound = await new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind(port, host, () => resolve(true))
  })
  if (!isBound) {
    serv.warn(`UDP port ${port} is taken: queries are not answered`)
    return null
  }
  socket.on('error', (error) => serv.err(error))
  return { close: () => socket.close() }
}

/** @param {Buffer} secret @param {RemoteInfo} from @returns {number} */
const tokenFor = (secret, { address, port }) =>
  createHmac('sha256', secret).update(`${address} ${port}`).digest().readUInt32BE(0) >>> 1

/**
 * @param {Server} serv @param {Buffer} packet
 * @param {{token: number, host: string, port: number, motd: string}} own
 * @returns {Buffer | null} the reply; null for invalid requests
 */
function answerTo(serv, packet, own) {
  if (packet.length < BYTES.handshake || packet.readUInt16BE(0) !== MAGIC) return null
  const type = packet[2]
  const session = packet.readUInt32BE(3) & SESSION_MASK
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeUInt32BE(session >>> 0, 1)
  if (type === HANDSHAKE) return Buffer.concat([head, Buffer.from(`${own.token}\0`)])
  const isKnown = packet.length >= BYTES.basic && packet.readUInt32BE(7) === own.token
  if (type !== STAT || !isKnown) return null
  const body = packet.length >= BYTES.full ? fullStat(serv, own) : basicStat(serv, own)
  return Buffer.concat([head, body])
}

/** @param {Server} serv @param {{host: string, port: number, motd: string}} own */
function basicStat(serv, { host, port, motd }) {
  const texts = [motd, 'SMP', MAP, serv.players.length, serv._server.maxPlayers]
  const tail = Buffer.alloc(2)
  tail.writeUInt16LE(port)
  return Buffer.concat([Buffer.from(`${texts.join('\0')}\0`), tail, Buffer.from(`${host}\0`)])
}

/** @param {Server} serv @param {{host: string, port: number, motd: string}} own */
function fullStat(serv, { host, port, motd }) {
  const pairs = {
    hostname: motd,
    gametype: 'SMP',
    game_id: 'MINECRAFT',
    version: MINECRAFT_VERSION,
    plugins: '',
    map: MAP,
    numplayers: serv.players.length,
    maxplayers: serv._server.maxPlayers,
    hostport: port,
    hostip: host
  }
  const names = serv.players.map(({ username }) => `${username}\0`).join('')
  const fields = Object.entries(pairs).map(([key, value]) => `${key}\0${value}\0`)
  return Buffer.from(`splitnum\0\x80\0${fields.join('')}\0\x01player_\0\0${names}\0`, 'latin1')
}
