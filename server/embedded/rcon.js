/**
 * RCON, the Source remote console protocol as vanilla speaks it.
 *
 * A packet is length, id, type (all int32 little endian), body, two zero bytes. A client logs in
 * with type 3 and sends commands with type 2; answers come as type 0, cut every 4096 bytes.
 */
import { timingSafeEqual, createHash } from 'node:crypto'
import { createServer } from 'node:net'

const LOGIN = 3
const COMMAND = 2
const ANSWER = 0
const MAX_REQUEST_BYTES = 65_536
const MAX_ANSWER_BYTES = 4096

/**
 * @param {object} options
 * @param {string} options.host
 * @param {number} options.port
 * @param {string} options.password
 * @param {(line: string) => Promise<string>} options.run
 * @returns {Promise<{port: number, close: () => Promise<void>}>}
 */
export async function startRcon({ host, port, password, run }) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    serve(socket, password, run)
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

/**
 * @param {import('node:net').Socket} socket
 * @param {string} password
 * @param {(line: string) => Promise<string>} run
 */
function serve(socket, password, run) {
  let pending = Buffer.alloc(0)
  let loggedIn = false
  let last = Promise.resolve()

  socket.on('data', (data) => {
    pending = Buffer.concat([pending, /** @type {Buffer} */ (data)])
    while (pending.length >= 4) {
      const length = pending.readInt32LE(0)
      if (length < 10 || length > MAX_REQUEST_BYTES) return void socket.destroy()
      if (pending.length < 4 + length) return
      const id = pending.readInt32LE(4)
      const type = pending.readInt32LE(8)
      const body = pending.toString('utf8', 12, 4 + length - 2)
      pending = pending.subarray(4 + length)
      last = last.then(() => handle(id, type, body))
    }
  })

  /** @param {number} id @param {number} type @param {string} body */
  async function handle(id, type, body) {
    if (type === LOGIN) {
      loggedIn = samePassword(body, password)
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
    const bytes = Buffer.from(text, 'utf8')
    for (let start = 0; start === 0 || start < bytes.length; start += MAX_ANSWER_BYTES) {
      send(socket, id, ANSWER, bytes.subarray(start, start + MAX_ANSWER_BYTES))
    }
  }
}

/** @param {string} given @param {string} expected */
function samePassword(given, expected) {
  const hash = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/**
 * @param {import('node:net').Socket} socket
 * @param {number} id
 * @param {number} type
 * @param {string | Buffer} body
 */
function send(socket, id, type, body) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body, 'utf8')
  const packet = Buffer.alloc(14 + bytes.length)
  packet.writeInt32LE(10 + bytes.length, 0)
  packet.writeInt32LE(id, 4)
  packet.writeInt32LE(type, 8)
  bytes.copy(packet, 12)
  socket.write(packet)
}
