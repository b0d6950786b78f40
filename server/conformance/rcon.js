/** Minimal RCON client: one command at a time. */
import { connect } from 'node:net'

const [LOGIN, COMMAND] = [3, 2]
const REFUSED = -1
const TIMEOUT_MS = 15_000
const PART_LENGTH = 4096

/** @typedef {{command: (line: string) => Promise<string>, end: () => void}} Rcon */

/** @param {{host: string, port: number, password: string}} address @returns {Promise<Rcon>} */
export async function openRcon({ host, port, password }) {
  const socket = connect(port, host)
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined))
    socket.once('error', reject)
  })
  let pending = Buffer.alloc(0)
  /** @type {((packet: {id: number, body: Buffer}) => void) | null} */
  let onPacket = null
  socket.on('data', (data) => {
    pending = Buffer.concat([pending, /** @type {Buffer} */ (data)])
    while (pending.length >= 4 && pending.length >= 4 + pending.readInt32LE(0)) {
      const end = 4 + pending.readInt32LE(0)
      onPacket?.({ id: pending.readInt32LE(4), body: pending.subarray(12, end - 2) })
      pending = pending.subarray(end)
    }
  })

  let nextId = 1
  let last = Promise.resolve('')

  /** @param {number} type @param {string} text @returns {Promise<string>} */
  function exchange(type, text) {
    const id = nextId++
    const body = Buffer.from(text)
    const packet = Buffer.alloc(14 + body.length)
    packet.writeInt32LE(10 + body.length, 0)
    packet.writeInt32LE(id, 4)
    packet.writeInt32LE(type, 8)
    body.copy(packet, 12)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to: ${text}`)), TIMEOUT_MS)
      /** @type {Buffer[]} */
      const parts = []
      onPacket = (packet) => {
        parts.push(packet.body)
        if (packet.id !== REFUSED && packet.body.toString().length >= PART_LENGTH) return
        clearTimeout(timer)
        if (packet.id === REFUSED) reject(new Error('RCON refuses the password'))
        else resolve(Buffer.concat(parts).toString())
      }
      socket.write(packet)
    })
  }

  await exchange(LOGIN, password)
  return {
    command: (line) => {
      last = last.catch(() => '').then(() => exchange(COMMAND, line))
      return last
    },
    end: () => socket.destroy()
  }
}
