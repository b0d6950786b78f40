/** Server whose ticks a test runs by hand. */
import assert from 'node:assert/strict'
import { runCommand } from '../commands/index.js'
import { createEmbeddedServer } from '../server.js'
import { plain } from '../minecraft/texts.js'

/**
 * Start one on a free port, on flat land; the caller closes it.
 * @param {number} [seed] of its land
 */
export async function startManualServer(seed = 1) {
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
  /** Return the answer to a command, line by line. @param {string} line */
  const ask = async (line) => {
    const source = { title: { text: 'test' }, level: /** @type {const} */ ('op') }
    const { texts, isRefused } = await runCommand(serv, line, source)
    return { words: texts.map(plain), isRefused }
  }
  /** Run commands, none of which may be refused. @param {string[]} lines */
  const run = async (...lines) => {
    for (const line of lines) {
      const { words, isRefused } = await ask(line)
      assert.ok(!isRefused, `${line}: ${words.join('; ')}`)
    }
  }
  return { serv, tick, ask, run, close: () => running.close() }
}
