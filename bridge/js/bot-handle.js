/** The main thread's handle on a bot: its body in a thread, its program, and limits on its events. */
import { availableParallelism } from 'node:os'
import { getSpeed, wall } from '@voxpolis/clock'
import { threadFor } from './body-threads.js'
import { bounded } from './bounded-events.js'
import { sentOf } from './sandbox/program-length.js'
import { createRateLimiter } from './sandbox/rate-limiter.js'

/** @import { OwnEvent, WorkerMessage } from './types.d.ts' */
/** @import { BotEvent, Run, RunResult, Spawn } from './protocol.d.ts' */

/**
 * How long a body may take to answer while its thread is silent, and the factor for a thread that
 * is alive.
 */
const ASK_TIMEOUT_MS = 60_000
const MOST_WAITS = 10
/**
 * How long a body may take to report a program's end: more than the engine's own limits and
 * rejoining take.
 */
const END_MS = 90_000
/** If a delay is longer than this, Node fires the timer immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Rate limit on a bot's events; no honest body emits more. */
const EVENTS = {
  burst: 400,
  perSecond: 100,
  complaint: 'too many events: wait before the next one'
}
/** Maximum number of malformed messages, each of which is logged. */
const FAULTS = { burst: 20, perSecond: 0.2, complaint: 'too many faults' }

/**
 * @typedef {object} Current the running program
 * @property {(result: RunResult) => void} finish
 * @property {Promise<void>} over
 * @property {number} started
 * @property {NodeJS.Timeout | undefined} timer
 * @property {boolean} begun true once its body has received it
 *
 * @typedef {object} Ports
 * @property {import('./mailboxes.js').Mailboxes} mailboxes
 * @property {(event: BotEvent) => void} record
 */

/** Bots in this process that are in the world or joining it. @type {Set<BotHandle>} */
const present = new Set()

export class BotHandle {
  /** @param {Spawn} options @param {Ports} ports */
  constructor(options, { mailboxes, record }) {
    this.options = options
    this.mailboxes = mailboxes
    this.record = record
    /** @type {import('./body-threads.js').BodyThread | null} */
    this.thread = null
    this.nextAsk = 0
    /** @type {Map<number, {resolve: (value: unknown) => void, reject: (error: Error) => void}>} */
    this.asks = new Map()
    this.mayRecord = createRateLimiter(EVENTS)
    this.mayFault = createRateLimiter(FAULTS)
    /** @type {Current | null} */
    this.current = null
    this.ended = false
    /** @type {Promise<void> | null} */
    this.leaving = null
  }

  get name() {
    return this.options.bot
  }

  /** Join the server. @returns {Promise<unknown>} the first observation */
  async start() {
    this.mailboxes.open(this.name)
    const { speed, anchor_ms: anchorMs, clock_file: file } = this.options
    this.thread = threadFor({ speed, anchorMs, file })
    this.thread.add(this.name, this)
    present.add(this)
    try {
      await this.thread.ready
      // No time limit here: the body gives up by itself when its join makes no progress.
      return await this.ask({ op: 'join', options: this.options }, Infinity)
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      if (!message.includes('too slow')) throw error
      const crowd = `bots joining or playing: ${present.size}, cores: ${availableParallelism()}`
      throw new Error(`${message} (${crowd}); stop other work on this machine, or use fewer bots`)
    }
  }

  /** @param {object} message */
  post(message) {
    this.thread?.post(this.name, message)
  }

  /**
   * @param {object} message @param {number} [timeoutMs] if missing, there is no time limit
   * @returns {Promise<any>}
   */
  ask(message, timeoutMs = ASK_TIMEOUT_MS) {
    const ask = this.nextAsk++
    return new Promise((resolve, reject) => {
      let [waits, heard] = [0, this.thread?.heard]
      const look = () => {
        const isSilent = this.thread?.heard === heard
        if (isSilent || ++waits >= MOST_WAITS) {
          return settle(reject, new Error(`${this.name} did not answer in ${timeoutMs} ms`))
        }
        heard = this.thread?.heard
        timer = wall.setTimeout(look, timeoutMs)
      }
      let timer = Number.isFinite(timeoutMs) ? wall.setTimeout(look, timeoutMs) : undefined
      const settle = (/** @type {Function} */ how, /** @type {unknown} */ value) => {
        clearTimeout(timer)
        this.asks.delete(ask)
        how(value)
      }
      this.asks.set(ask, {
        resolve: (value) => settle(resolve, value),
        reject: (error) => settle(reject, error)
      })
      this.post({ ...message, ask })
    })
  }

  /**
   * Process a message from the body; a malformed one is dropped and logged.
   * @param {WorkerMessage} message
   */
  receive(message) {
    try {
      this.perform(message)
    } catch (error) {
      this.note(`a message of this bot was not understood: ${error}`)
    }
  }

  /** @param {WorkerMessage} message */
  perform(message) {
    switch (message.op) {
      case 'answer': {
        const { ask, error, value } = message
        if (error) this.asks.get(ask)?.reject(new Error(error))
        else this.asks.get(ask)?.resolve(value)
        return
      }
      case 'event':
        return this.happened(message.event)
      case 'send':
        return this.send(message)
      case 'wait':
        return this.mailboxes.wait(
          this.name,
          message.wait,
          message.from,
          message.name.toWellFormed()
        )
      case 'lost':
        return this.lost(message.reason)
    }
  }

  /** @param {OwnEvent} event */
  happened(event) {
    try {
      this.mayRecord()
    } catch {
      return this.note('too many events: some were not recorded')
    }
    const { event: own, problem } = bounded({ ...event, agent: this.name, time_ms: Date.now() })
    if (own) this.record(own)
    else this.note(`an event of this bot was not recorded: ${problem}`)
  }

  /** Log a problem with this bot, up to a rate limit. @param {string} text */
  note(text) {
    try {
      this.mayFault()
    } catch {
      return
    }
    const log = { kind: 'log', time_ms: Date.now(), agent: this.name, text }
    this.record(/** @type {BotEvent} */ (bounded(log).event))
  }

  /** @param {{ask: number, to: string | null, name: string}} message */
  send({ ask, to, name }) {
    try {
      // Python accepts only well-formed text
      this.mailboxes.send(this.name, to, name.toWellFormed())
      this.post({ op: 'sent', ask, error: null })
    } catch (error) {
      this.post({ op: 'sent', ask, error: /** @type {Error} */ (error).message })
    }
  }

  /**
   * Run a program until it ends, is stopped or reaches its time limit.
   * @param {Run} command @returns {Promise<RunResult>}
   */
  run({ code, timeout_ms: timeoutMs, seed, skills }) {
    if (this.current) throw new Error(`${this.name} is already running a program`)
    this.mailboxes.cancelWaits(this.name)
    /** @type {PromiseWithResolvers<RunResult>} */
    const { promise, resolve } = Promise.withResolvers()
    const current = { finish: resolve, over: promise.then(() => {}), started: Date.now() }
    this.current = { ...current, timer: undefined, begun: false }
    this.record({ kind: 'code_started', time_ms: Date.now(), agent: this.name, code: sentOf(code) })
    this.begin({ code, seed, skills }, timeoutMs).catch((error) =>
      this.finish(killed(error.message))
    )
    return promise
  }

  /**
   * Start an engine; with many bots on a busy machine this takes a minute or more.
   * @param {object} [program] the program to run; some programs need no engine
   */
  prepare(program) {
    return this.ask({ op: 'prepare', program }, Infinity)
  }

  /**
   * @param {{code: string, seed: number, skills: Record<string, string>}} program
   * @param {number} timeoutMs
   */
  async begin(program, timeoutMs) {
    const { current } = this
    await this.prepare(program)
    if (!current || this.current !== current) return
    Object.assign(current, { started: Date.now(), begun: true })
    current.timer = setTimeout(
      () => this.stop(`the time limit of ${timeoutMs / 1000} s was reached`, 'timeout'),
      Math.min(timeoutMs, LONGEST_TIMER_MS * getSpeed())
    )
    this.finish(await this.ask({ op: 'run', program }, Infinity))
  }

  /**
   * Tell the running program to stop; if it does not, its body ends its engine.
   * @param {string} reason @param {'stopped' | 'timeout'} [status]
   * @returns {Promise<void>} resolves once no part of the program is running
   */
  async stop(reason, status = 'stopped') {
    const { current } = this
    if (!current) return
    if (!current.begun) return this.finish({ ...killed(reason), status: 'stopped' })
    this.post({ op: 'stop', reason, status })
    const late = new Promise((resolve) => wall.setTimeout(resolve, END_MS, true))
    if (await Promise.race([current.over, late])) {
      await this.lost('its body does not answer')
    }
  }

  /** @param {RunResult} result */
  finish(result) {
    if (!this.current) return
    const { finish, started, timer } = this.current
    clearTimeout(timer)
    this.current = null
    this.mailboxes.cancelWaits(this.name)
    const ended = { ...result, seconds: (Date.now() - started) / 1000 }
    this.record(endOf(this.name, ended))
    finish(ended)
  }

  /** @param {string} why */
  threadEnded(why) {
    this.thread = null
    this.lost(why)
  }

  /** @param {string} reason @returns {Promise<void>} */
  async lost(reason) {
    if (this.ended) return
    this.finish(killed(reason))
    const fault = {
      kind: 'fault',
      time_ms: Date.now(),
      agent: this.name,
      where: 'bot',
      message: reason
    }
    this.record(/** @type {BotEvent} */ (bounded(fault).event))
    this.rejectAsks(reason)
    await this.end()
  }

  /** @param {string} reason */
  rejectAsks(reason) {
    for (const { reject } of [...this.asks.values()]) reject(new Error(`${this.name}: ${reason}`))
  }

  /** Leave the world, once. Afterwards the thread no longer answers for this bot. */
  end() {
    this.ended = true
    this.leaving ??= this.leave()
    return this.leaving
  }

  async leave() {
    present.delete(this)
    const { thread } = this
    if (!thread) return
    await this.ask({ op: 'quit' }).catch(() => {})
    this.thread = null
    await thread.remove(this.name, this)
  }
}

/** @param {string} message @returns {RunResult} */
function killed(message) {
  const error = { message, line: null, column: null, source: null, done: [] }
  return { status: 'killed', error, logs: [], seconds: 0 }
}

/** @param {string} agent @param {RunResult} result @returns {BotEvent} */
function endOf(agent, { status, error, logs, seconds }) {
  const common = { agent, time_ms: Date.now(), seconds, logs }
  if (status !== 'error' && status !== 'killed') return { kind: 'code_finished', status, ...common }
  const { message = '', line = null, column = null, source = null, done = [] } = error ?? {}
  return { kind: 'code_failed', status, message, line, column, source, done, ...common }
}
