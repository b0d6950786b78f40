/** A bot's thread: the Mineflayer bot, its observations and events, and the sandbox its code runs in. */
import { parentPort, workerData } from 'node:worker_threads'
import { setSpeed } from '../../clock.js'
import { createBot, libraries } from './bot.js'
import { createBlockUseRequests } from './block-use-requests.js'
import { watchReservations } from './block-reservations.js'
import { observe } from './observe.js'
import { recordEvents } from './event-recorder.js'
import { createRateLimiter } from './sandbox/rate-limiter.js'
import { Sandbox } from './sandbox/sandbox.js'

/** @import { RunResult } from './protocol.d.ts' */
/** @import { Bot, OwnEvent, WorkerMessage } from './types.d.ts' */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const { bot: name } = workerData
setSpeed(workerData.speed, workerData.anchor_ms)

/** @type {Bot | null} */
let bot = null
/** @type {Sandbox | null} */
let sandbox = null

const post = (/** @type {WorkerMessage} */ message) => port.postMessage(message)
const emit = (/** @type {OwnEvent} */ event) => post({ op: 'event', event })

// A promise that agent code left to itself must not end the thread, nor fill the record.
const mayLog = createRateLimiter({ burst: 20, perSecond: 0.1, complaint: '' })
process.on('unhandledRejection', (error) => {
  try {
    mayLog()
  } catch {
    return
  }
  emit({
    kind: 'log',
    text: `unhandled rejection: ${brief(error)}`
  })
})

/** @param {unknown} error may be the agent's, with a getter for a message */
function brief(error) {
  try {
    return String(/** @type {Error} */ (error)?.message ?? error).slice(0, 500)
  } catch {
    return 'something that has no message'
  }
}

const useRequests = createBlockUseRequests(post, workerData.refereed)

const OPERATIONS = {
  join: async () => {
    bot = await createBot(workerData, (reason) => post({ op: 'lost', reason }))
    recordEvents(bot, emit)
    watchReservations(bot)
    const digs = workerData.movement === 'free'
    sandbox = new Sandbox({ bot, libraries, name, digs, post, emit, use: useRequests.ask })
    return observe(bot)
  },
  observe: () => observe(/** @type {Bot} */ (bot)),
  /** Answered as soon as nothing else runs here. */
  ping: () => null
}

port.on('message', async (message) => {
  switch (message.op) {
    case 'run':
      return post({
        op: 'finished',
        result: /** @type {RunResult} */ (await sandbox?.run(message))
      })
    case 'stop':
      return sandbox?.stop(message.reason, message.status)
    case 'used':
      return useRequests.arrive(message)
    case 'signal':
      return sandbox?.signals.arrive(message.signal)
    case 'sent':
      return sandbox?.signals.sent(message)
    case 'quit':
      bot?.quit()
      return port.close()
  }
  try {
    const operation = OPERATIONS[/** @type {keyof typeof OPERATIONS} */ (message.op)]
    post({ op: 'answer', ask: message.ask, value: await operation(), error: null })
  } catch (error) {
    const text = /** @type {Error} */ (error).message
    post({ op: 'answer', ask: message.ask, value: null, error: text })
  }
})
