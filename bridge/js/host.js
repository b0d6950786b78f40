/**
 * The bridge's main thread: keeps one worker a bot, routes signals, and speaks with Python.
 *
 * Python loads this file through the `javascript` package and calls `exchange` in a loop, one
 * call at a time: messages in, messages out, both JSON (see protocol.d.ts). Agents' code never
 * runs here, so nothing here can hang.
 */
import { setSpeed, wall } from '../../clock.js'
import { BotWorker } from './bot-worker.js'
import { Mailboxes } from './mailboxes.js'

/** How long an exchange waits for something to say before it answers with nothing. */
const IDLE_MS = 20

/**
 * @typedef {import('./protocol.d.ts').Command} Command
 * @typedef {import('./protocol.d.ts').Reply} Reply
 * @typedef {import('./protocol.d.ts').BotEvent} BotEvent
 */

/** @type {Map<string, BotWorker>} */
const workers = new Map()
/** @type {{replies: Reply[], events: BotEvent[]}} */
let outgoing = { replies: [], events: [] }
/** @type {(() => void) | null} */
let wake = null

const mailboxes = new Mailboxes({
  deliver: (bot, signal) => workers.get(bot)?.post({ op: 'signal', signal }),
  record: pushEvent
})

// Python decides when this process ends: Ctrl-C reaches the whole process group, and without
// these lines Node would be gone before Python could write its record.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
process.stdin.on('end', () => process.exit(0))
process.stdin.on('close', () => process.exit(0))

/**
 * Takes Python's commands and returns what has happened since.
 *
 * @param {string} text JSON array of commands
 * @returns {Promise<string>} JSON {replies, events}
 */
export async function exchange(text) {
  for (const command of JSON.parse(text)) perform(command)
  if (!outgoing.replies.length && !outgoing.events.length) {
    await new Promise((resolve) => {
      wake = () => resolve(undefined)
      wall.setTimeout(resolve, IDLE_MS)
    })
    wake = null
  }
  const answer = JSON.stringify(outgoing)
  outgoing = { replies: [], events: [] }
  return answer
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
  /** @param {import('./protocol.d.ts').Spawn} command */
  spawn: async (command) => {
    const before = workers.get(command.bot)
    if (before && !before.ended) throw new Error(`${command.bot} is already in the world`)
    setSpeed(command.speed, command.anchor_ms)
    const worker = new BotWorker(command, { mailboxes, record: pushEvent })
    workers.set(command.bot, worker)
    try {
      return await worker.start()
    } catch (error) {
      workers.delete(command.bot)
      mailboxes.forget(command.bot)
      await worker.end()
      throw error
    }
  },
  /** @param {import('./protocol.d.ts').Run} command */
  run: (command) => workerOf(command.bot).run(command),
  /** @param {import('./protocol.d.ts').Stop} command */
  stop: (command) => workerOf(command.bot).stop(command.reason),
  /** @param {import('./protocol.d.ts').Observe} command */
  observe: (command) => workerOf(command.bot).ask({ op: 'observe' }),
  /** @param {import('./protocol.d.ts').AnswerUse} command */
  answer_use: ({ bot, request, ok, text }) => workerOf(bot).post({ op: 'used', request, ok, text }),
  /** @param {import('./protocol.d.ts').Quit} command */
  quit: async (command) => {
    const worker = workers.get(command.bot)
    workers.delete(command.bot)
    mailboxes.forget(command.bot)
    await worker?.end()
  },
  /** @param {import('./protocol.d.ts').ClearSignals} _command */
  clear_signals: (_command) => mailboxes.clear()
}

/** @param {string} name */
function workerOf(name) {
  const worker = workers.get(name)
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
