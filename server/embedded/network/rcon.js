/**
 * RCON, the Source remote console protocol as vanilla speaks it.
 *
 * A packet is length, id, type (all int32 little endian), body, two zero bytes. A client logs in
 * with type 3 and sends commands with type 2; answers have type 0 and are split every 4096 characters.
 *
 * The server reads a connection only as fast as the client reads the answers: while a command runs
 * or answers are unread, further input waits in its socket. Limits use the wall clock.
 */
import { timingSafeEqual, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { wall } from '@voxpolis/clock'

const LOGIN = 3
const COMMAND = 2
const ANSWER = 0
const MAX_REQUEST_BYTES = 65_536
/** Characters in each part of an answer but the last one. */
const PART_LENGTH = 4096
/** Maximum length of a command's answer in characters; a longer one is truncated and marked. */
const MAX_ANSWER_LENGTH = 2 ** 20
const CUT = '… (the answer is longer)'

export const LIMITS = {
  /**
   * Maximum number of simultaneous connections from all addresses; a new connection replaces the
   * oldest one that has not logged in.
   */
  connections: 64,
  /** Number of wrong passwords in a row after which an address is refused for a while. */
  failures: 5,
  lockoutMs: 10_000,
  /** Time limits for logging in and for reading answers. */
  loginMs: 10_000,
  unreadMs: 30_000,
  idleMs: 6 * 3_600_000
}

/**
 * @param {object} options @param {string} options.host @param {number} options.port
 * @param {string} options.password @param {(line: string) => Promise<string>} options.run
 * @param {typeof LIMITS} [options.limits]
 * @returns {Promise<{port: number, close: () => Promise<void>}>}
 */
export async function startRcon({ host, port, password, run, limits = LIMITS }) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  /** @type {Set<import('node:net').Socket>} connections that have not logged in, oldest first */
  const silent = new Set()
  const forget = (/** @type {import('node:net').Socket} */ socket) => {
    sockets.delete(socket)
    silent.delete(socket)
  }
  const door = new Door(password, limits)
  const server = createServer((socket) => {
    const address = socket.remoteAddress ?? ''
    if (door.isShut(address)) return void socket.destroy()
    if (sockets.size >= limits.connections) {
      const [oldest] = silent
      if (!oldest) return void socket.destroy()
      oldest.destroy()
      forget(oldest)
    }
    sockets.add(socket)
    silent.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => forget(socket))
    socket.on('timeout', () => socket.destroy())
    const opens = (/** @type {string} */ given) => {
      const isOpen = door.opens(address, given)
      if (isOpen) silent.delete(socket)
      return isOpen
    }
    serve(socket, opens, run, limits).catch(() => socket.destroy())
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(undefined))
  })
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      })
  }
}

/** Login guard: an address that guesses passwords is refused for a while, even with the right one. */
class Door {
  /** @param {string} password @param {typeof LIMITS} limits */
  constructor(password, limits) {
    this.password = password
    this.limits = limits
    /** @type {Map<string, {failures: number, until: number}>} */
    this.guesses = new Map()
  }

  /** @param {string} address */
  isShut(address) {
    const until = this.guesses.get(address)?.until
    if (!until) return false
    if (until > wall.now()) return true
    this.guesses.delete(address)
    return false
  }

  /** @param {string} address @param {string} given @returns {boolean} true if the login succeeds */
  opens(address, given) {
    if (this.isShut(address)) return false
    if (samePassword(given, this.password)) return this.guesses.delete(address) || true
    const failures = (this.guesses.get(address)?.failures ?? 0) + 1
    const isLast = failures >= this.limits.failures
    this.guesses.set(address, { failures, until: isLast ? wall.now() + this.limits.lockoutMs : 0 })
    return false
  }
}

/**
 * @param {import('node:net').Socket} socket @param {(password: string) => boolean} opens
 * @param {(line: string) => Promise<string>} run @param {typeof LIMITS} limits
 */
async function serve(socket, opens, run, limits) {
  let pending = Buffer.alloc(0)
  let loggedIn = false
  const late = wall.setTimeout(() => loggedIn || socket.destroy(), limits.loginMs)
  socket.once('close', () => clearTimeout(late))
  socket.setTimeout(limits.idleMs)

  for await (const data of socket) {
    pending = Buffer.concat([pending, data])
    while (pending.length >= 4) {
      const length = pending.readInt32LE(0)
      if (length < 10 || length > MAX_REQUEST_BYTES) return void socket.destroy()
      if (pending.length < 4 + length) break
      const id = pending.readInt32LE(4)
      const type = pending.readInt32LE(8)
      const body = pending.toString('utf8', 12, 4 + length - 2)
      pending = pending.subarray(4 + length)
      await handle(id, type, body)
      if (!(await wasRead(socket, limits.unreadMs))) return void socket.destroy()
    }
  }

  /** @param {number} id @param {number} type @param {string} body */
  async function handle(id, type, body) {
    if (type === LOGIN) {
      loggedIn = opens(body)
      send(socket, loggedIn ? id : -1, COMMAND, '')
    } else if (!loggedIn) {
      send(socket, -1, COMMAND, '')
    } else if (type === COMMAND) {
      answer(id, await run(body))
    } else {
      answer(id, `Unknown request ${type.toString(16)}`)
    }
  }

  /** @param {number} id @param {string} text */
  function answer(id, text) {
    const isLong = text.length > MAX_ANSWER_LENGTH
    let left = isLong ? startOf(text, MAX_ANSWER_LENGTH) + CUT : text
    do {
      const part = startOf(left, PART_LENGTH)
      send(socket, id, ANSWER, part)
      left = left.slice(part.length)
    } while (left)
  }
}

/**
 * Return the start of a text; it is one unit longer if a character of two units would be cut.
 * @param {string} text @param {number} length in units of UTF-16
 */
const startOf = (text, length) =>
  text.slice(0, (text.codePointAt(length - 1) ?? 0) > 0xffff ? length + 1 : length)

/**
 * Wait until a client has read everything.
 * @param {import('node:net').Socket} socket @param {number} patienceMs
 * @returns {Promise<boolean>} false after the timeout
 */
async function wasRead(socket, patienceMs) {
  if (socket.destroyed || !socket.writable) return false
  if (!socket.writableNeedDrain) return true
  const patience = new AbortController()
  const timer = wall.setTimeout(() => patience.abort(), patienceMs)
  try {
    await once(socket, 'drain', { signal: patience.signal })
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** @param {string} given @param {string} expected */
function samePassword(given, expected) {
  const hash = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/**
 * @param {import('node:net').Socket} socket @param {number} id @param {number} type
 * @param {string} body
 */
function send(socket, id, type, body) {
  const bytes = Buffer.from(body, 'utf8')
  const packet = Buffer.alloc(14 + bytes.length)
  packet.writeInt32LE(10 + bytes.length, 0)
  packet.writeInt32LE(id, 4)
  packet.writeInt32LE(type, 8)
  bytes.copy(packet, 12)
  socket.write(packet)
}
