/**
 * Thread for bodies: several bots, each with its own connection and sandbox.
 *
 * No agent's code runs here: each agent has a separate engine (`sandbox/`). If a body fails, only
 * that body reports it; the others continue.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { setSpeed } from '@voxpolis/clock'
import { Body } from './body.js'
import { createRateLimiter } from './sandbox/rate-limiter.js'

/** @import { WorkerMessage } from './types.d.ts' */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
setSpeed(workerData.speed, workerData.anchorMs, workerData.file)

/** @type {Map<string, Body>} */
const bodies = new Map()

/** @param {string} bot @param {WorkerMessage} message */
const post = (bot, message) => port.postMessage({ ...message, bot })

// An exception in a library's handler must not end the thread, because other bots share it.
const mayLog = createRateLimiter({ burst: 20, perSecond: 0.1, complaint: '' })
/** @param {unknown} error */
function report(error) {
  try {
    mayLog()
  } catch {
    return
  }
  console.error(error)
}
process.on('unhandledRejection', report)
process.on('uncaughtException', report)

/** @type {Record<string, (name: string, message: any) => unknown>} */
const OPERATIONS = {
  join: (name, { options }) => {
    const body = new Body(options, (message) => post(name, message))
    bodies.set(name, body)
    return body.join()
  },
  observe: (name) => bodyOf(name).observe(),
  prepare: (name, { program }) => bodyOf(name).prepare(program),
  run: (name, { program }) => bodyOf(name).run(program),
  quit: async (name) => {
    const body = bodies.get(name)
    bodies.delete(name)
    await body?.quit()
  }
}

/** @param {string} name */
function bodyOf(name) {
  const body = bodies.get(name)
  if (!body) throw new Error(`there is no bot named ${name}`)
  return body
}

port.on('message', async (message) => {
  const { op, bot, ask } = message
  if (!Object.hasOwn(OPERATIONS, op)) return bodies.get(bot)?.receive(message)
  try {
    post(bot, {
      op: 'answer',
      ask,
      value: (await OPERATIONS[op](bot, message)) ?? null,
      error: null
    })
  } catch (error) {
    post(bot, {
      op: 'answer',
      ask,
      value: null,
      error: String(/** @type {Error} */ (error).message)
    })
  }
})

port.postMessage({ op: 'ready' })
