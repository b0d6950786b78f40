/** A server of ours whose ticks a test makes by hand. */
import { createEmbeddedServer } from '../server.js'

/**
 * Start one on any free port, on flat land; whoever starts it closes it.
 *
 * @param {number} [seed] of its land
 */
export async function startByHand(seed = 1) {
  const ports = { host: '127.0.0.1', port: 0, rconPort: 0, rconPassword: 'test' }
  const running = await createEmbeddedServer({ ...ports, seed, terrain: 'superflat', strict: true })
  const { serv } = running
  serv.stopTicks()
  const tick = (count = 1) => {
    for (let made = 0; made < count; made++) {
      serv.tickCount += 1
      serv.emit('tick', 0.05, serv.tickCount)
      serv.emit('tickEnd')
    }
  }
  return { serv, tick, close: () => running.close() }
}
