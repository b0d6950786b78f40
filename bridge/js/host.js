/**
 * Main thread of the bridge: keeps a handle on each bot, routes signals, and talks to Python.
 *
 * Python loads this file through the `javascript` package and calls `exchange` in a loop, one call
 * at a time: messages in, messages out, both JSON (see protocol.d.ts). Agents' programs never run
 * here, so nothing here can hang.
 */
import { now, setSpeed, wall } from '@voxpolis/clock'
import { listenToPrints, useThreads } from './body-threads.js'
import { BotHandle } from './bot-handle.js'
import { createRateLimiter } from './sandbox/rate-limiter.js'
import { Mailboxes } from './mailboxes.js'

/** How long an exchange waits for messages before it returns without any. */
const IDLE_MS = 20

/**
 * @typedef {import('./protocol.d.ts').Command} Command
 * @typedef {import('./protocol.d.ts').Reply} Reply
 * @typedef {import('./protocol.d.ts').BotEvent} BotEvent
 * @typedef {import('./protocol.d.ts').Passing} Passing
 */

/** @type {Map<string, BotHandle>} */
const bots = new Map()
/** @type {{replies: Reply[], events: BotEvent[], passing: Passing[]}} */
let outgoing = { replies: [], events: [], passing: [] }
/** @type {(() => void) | null} */
let wake = null

const mailboxes = new Mailboxes({
  deliver: (bot, signal) => bots.get(bot)?.post({ op: 'signal', signal }),
  mayRecord: (bot, count) => bots.get(bot)?.mayRecord(count),
  record: pushEvent,
  pass: (passing) => {
    outgoing.passing.push(passing)
    wake?.()
  }
})

/** Rate limit on the threads' output: libraries print text that servers send. */
const mayLog = createRateLimiter({ burst: 50, perSecond: 1, complaint: 'printed too much' })
listenToPrints((text) => {
  try {
    mayLog()
  } catch {
    return
  }
  const log = {
    kind: 'log',
    time_ms: Date.now(),
    agent: null,
    text: text.slice(0, 2000).toWellFormed()
  }
  pushEvent(/** @type {BotEvent} */ (log))
})

// Python decides when this process ends. Ctrl-C reaches the whole process group; without these
// lines, Node would exit before Python has written its record.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
process.stdin.on('end', () => process.exit(0))
process.stdin.on('close', () => process.exit(0))

/**
 * Process commands from Python and return everything that has happened since the last call.
 * @param {string} text JSON array of commands
 * @returns {Promise<string>} JSON: an Answer of protocol.py
 */
export async function exchange(text) {
  for (const command of JSON.parse(text)) perform(command)
  if (!Object.values(outgoing).some((messages) => messages.length)) {
    await new Promise((resolve) => {
      wake = () => resolve(undefined)
      wall.setTimeout(resolve, IDLE_MS)
    })
    wake = null
  }
  const { replies, events, passing } = outgoing
  outgoing = { replies: [], events: [], passing: [] }
  return JSON.stringify({
    replies: replies.map(written),
    events: events.map(written),
    passing: passing.map(written),
    time_ms: Math.floor(now())
  })
}

/**
 * Serialize each message separately, so that a message that cannot be serialized does not affect
 * the others.
 * @param {Reply | BotEvent | Passing} message @returns {string}
 */
function written(message) {
  try {
    return JSON.stringify(message)
  } catch (error) {
    const id = 'id' in message ? message.id : -1
    return JSON.stringify({
      id,
      ok: false,
      result: null,
      error: `the reply cannot be serialized: ${error}`
    })
  }
}

/** @param {Command} command */
async function perform(command) {
  try {
    const result = await OPERATIONS[command.op](/** @type {any} */ (command))
    pushReply({ id: command.id, ok: true, result: result ?? null, error: null })
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    pushReply({ id: command.id, ok: false, result: null, error: message })
  }
}

const OPERATIONS = {
  /** @param {import('./protocol.d.ts').Begin} command */
  begin: (command) => {
    setSpeed(command.speed, command.anchor_ms, command.clock_file)
    useThreads(command.threads)
    mailboxes.begin(command.epoch)
  },
  /** @param {import('./protocol.d.ts').TellTime} _command */
  tell_time: (_command) => now(),
  /** @param {import('./protocol.d.ts').Spawn} command */
  spawn: async (command) => {
    const before = bots.get(command.bot)
    if (before && !before.ended) throw new Error(`${command.bot} is already in the world`)
    setSpeed(command.speed, command.anchor_ms, command.clock_file)
    const bot = new BotHandle(command, { mailboxes, record: pushEvent })
    bots.set(command.bot, bot)
    try {
      return await bot.start()
    } catch (error) {
      bots.delete(command.bot)
      // a bot that rejoins keeps the signals that wait for it
      if (!before) mailboxes.forget(command.bot)
      await bot.end()
      throw error
    }
  },
  /** @param {import('./protocol.d.ts').Prepare} command */
  prepare: (command) => botOf(command.bot).prepare(),
  /** @param {import('./protocol.d.ts').Run} command */
  run: (command) => botOf(command.bot).run(command),
  /** @param {import('./protocol.d.ts').Stop} command */
  stop: (command) => botOf(command.bot).stop(command.reason),
  /** @param {import('./protocol.d.ts').Observe} command */
  observe: (command) => botOf(command.bot).ask({ op: 'observe' }),
  /** @param {import('./protocol.d.ts').AnswerUse} command */
  answer_use: ({ bot, request, ok, text }) => botOf(bot).post({ op: 'used', request, ok, text }),
  /** @param {import('./protocol.d.ts').Quit} command */
  quit: async (command) => {
    const bot = bots.get(command.bot)
    bots.delete(command.bot)
    mailboxes.forget(command.bot)
    await bot?.end()
  },
  /** @param {import('./protocol.d.ts').ClearSignals} command */
  clear_signals: ({ epoch }) => mailboxes.clear(epoch),
  /** @param {import('./protocol.d.ts').Neighbours} command */
  neighbours: (command) => mailboxes.neighbours(command),
  /** @param {import('./protocol.d.ts').Deliver} command */
  deliver: (command) => mailboxes.arrive(command),
  /** @param {import('./protocol.d.ts').Credit} command */
  credit: (command) => mailboxes.credit(command)
}

/** @param {string} name */
function botOf(name) {
  const worker = bots.get(name)
  if (!worker) throw new Error(`there is no bot named ${name}`)
  if (worker.ended) throw new Error(`${name} is no longer in the world`)
  return worker
}

/** @param {Reply} reply */
function pushReply(reply) {
  outgoing.replies.push(reply)
  wake?.()
}

/** @param {BotEvent} event */
function pushEvent(event) {
  outgoing.events.push(event)
  wake?.()
}
