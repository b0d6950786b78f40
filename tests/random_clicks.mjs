/**
 * Several clients click at random in one chest, concurrently, on a real server.
 *
 * They say "done" and stay in the world until standard input ends.
 *
 * Usage: node random_clicks.mjs HOST PORT CHEST_X CHEST_Y CHEST_Z CLICKS SEED NAME…
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const protocol = require('minecraft-protocol')

const [host, port, x, y, z, clicks, seed, ...names] = process.argv.slice(2)
const location = { x: Number(x), y: Number(y), z: Number(z) }

/** Linear congruential generator. @param {number} state */
function random(state) {
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** @param {string} username @param {number} index */
function play(username, index) {
  const draw = random(Number(seed) * 31 + index)
  const client = protocol.createClient({ host, port: Number(port), username, version: '1.20.4' })
  client.on('position', ({ teleportId }) => client.write('teleport_confirm', { teleportId }))
  return new Promise((resolve, reject) => {
    client.on('error', reject)
    client.on('end', (reason) => reject(new Error(String(reason))))
    client.once('window_items', () => setTimeout(open, 500))
    let windowId = 0
    const open = () =>
      client.write('block_place', {
        hand: 0,
        location,
        direction: 1,
        cursorX: 0.5,
        cursorY: 0.5,
        cursorZ: 0.5,
        insideBlock: false,
        sequence: 0
      })
    client.once('open_window', (packet) => {
      windowId = packet.windowId
      send(Number(clicks))
    })
    /** @param {number} left */
    const send = (left) => {
      if (left === 0) {
        client.write('close_window', { windowId })
        return resolve(null)
      }
      const mode = [0, 0, 0, 1, 1, 2, 4, 5, 5, 5, 6][draw(11)]
      client.write('window_click', {
        windowId,
        stateId: draw(50),
        slot: draw(8) === 0 ? -999 : draw(63),
        mouseButton: mode === 5 ? [0, 1, 2, 4, 5, 6][draw(6)] : draw(mode === 2 ? 9 : 2),
        mode,
        changedSlots: [],
        cursorItem: { present: false }
      })
      setImmediate(send, left - 1)
    }
  })
}

await Promise.all(names.map(play))
console.log('done')
process.stdin.on('end', () => process.exit(0)).resume() // stays in the world until then
