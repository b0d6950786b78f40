/**
 * One bot's worker thread as the main thread sees it: start, run, stop, and the watchdog.
 *
 * The watchdog lives outside the worker. Code that does not stop when told is ended with its
 * thread; the bot then comes back in a new thread, with its inventory as the server kept it.
 */
import { Worker } from 'node:worker_threads'
import { wall } from '../../clock.js'
import { createRateLimiter } from './sandbox/rate-limiter.js'

/** @import { WorkerMessage } from './types.d.ts' */

/** How long code may take to stop after it was told to, before its thread is ended. */
const GRACE_MS = 1000
const START_TIMEOUT_MS = 60_000
const ASK_TIMEOUT_MS = 10_000
/** What a thread may hold, heap and buffers, before the watchdog ends it. */
const MEMORY_MB = 512
/**
 * V8's own limit. It is far above ours, because reaching it in one go ends the whole process and
 * not only the thread.
 */
const HARD_MEMORY_MB = 4096
const MEMORY_PERIOD_MS = 50
/** As many primitives as an error lists, the last ones. */
const MAX_DONE = 100
/** What a thread may print: agents' code can make libraries print. */
const LOGS = { burst: 50, perSecond: 1, complaint: 'printed too much' }

/**
 * @typedef {import('./protocol.d.ts').RunResult} RunResult
 * @typedef {object} Current the run that goes on
 * @property {(result: RunResult) => void} finish
 * @property {number} started
 * @property {NodeJS.Timeout} timer
 * @property {string[]} done what its primitives did so far, in words
 * @property {string[]} logs what it printed so far
 *
 * @typedef {object} Ports
 * @property {import('./mailboxes.js').Mailboxes} mailboxes
 * @property {(event: import('./protocol.d.ts').BotEvent) => void} record
 */

export class BotWorker {
  /** @param {import('./protocol.d.ts').Spawn} options @param {Ports} ports */
  constructor(options, { mailboxes, record }) {
    this.options = options
    this.mailboxes = mailboxes
    this.record = record
    /** @type {Worker | null} */
    this.worker = null
    this.nextAsk = 0
    /** @type {Map<number, {resolve: (value: unknown) => void, reject: (error: Error) => void}>} */
    this.asks = new Map()
    this.mayLog = createRateLimiter(LOGS)
    /** @type {Current | null} */
    this.current = null
    this.ended = false
    /** @type {Promise<void> | null} */
    this.killing = null
  }

  get name() {
    return this.options.bot
  }

  /** Starts the thread and joins the server. @returns {Promise<unknown>} the first observation */
  start() {
    this.mailboxes.open(this.name)
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: this.options,
      resourceLimits: { maxOldGenerationSizeMb: HARD_MEMORY_MB },
      stdout: true,
      stderr: true,
      env: {}
    })
    this.worker = worker
    this.relayOutput(worker)
    worker.on('message', (message) => this.receive(message))
    let failure = 'its thread ended'
    worker.on('error', (error) => (failure = `its thread failed: ${error.message}`))
    worker.on('exit', () => worker === this.worker && this.lost(failure))
    return this.ask({ op: 'join' }, START_TIMEOUT_MS)
  }

  /** What the thread prints becomes log events: the main thread's stderr carries the protocol. @param {Worker} worker */
  relayOutput(worker) {
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => this.log(String(text).trimEnd()))
    }
  }

  /** @param {string} text */
  log(text) {
    try {
      this.mayLog()
    } catch {
      return
    }
    this.record({ kind: 'log', time_ms: Date.now(), agent: this.name, text: text.slice(0, 2000) })
  }

  /** @param {object} message */
  post(message) {
    this.worker?.postMessage(message)
  }

  /** @param {object} message @param {number} [timeoutMs] @returns {Promise<unknown>} */
  ask(message, timeoutMs = ASK_TIMEOUT_MS) {
    const ask = this.nextAsk++
    return new Promise((resolve, reject) => {
      const late = () => settle(reject, new Error(`${this.name} did not answer in ${timeoutMs} ms`))
      const timer = wall.setTimeout(late, timeoutMs)
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

  /** @param {WorkerMessage} message */
  receive(message) {
    switch (message.op) {
      case 'answer': {
        const { ask, error, value } = message
        if (error) this.asks.get(ask)?.reject(new Error(error))
        else this.asks.get(ask)?.resolve(value)
        return
      }
      case 'event':
        return this.record({ ...message.event, agent: this.name, time_ms: Date.now() })
      case 'finished':
        return this.settled(message.result)
      case 'progress':
        return this.note(message)
      case 'send':
        return this.send(message)
      case 'wait':
        return this.mailboxes.wait(this.name, message.wait, message.from, message.name)
      case 'lost':
        return this.lost(message.reason)
    }
  }

  /** @param {{ask: number, to: string | null, name: string}} message */
  send({ ask, to, name }) {
    try {
      this.mailboxes.send(this.name, to, name)
      this.post({ op: 'sent', ask, error: null })
    } catch (error) {
      this.post({ op: 'sent', ask, error: /** @type {Error} */ (error).message })
    }
  }

  /**
   * Runs a program to its end, its time limit or its stop.
   * @param {import('./protocol.d.ts').Run} command
   * @returns {Promise<RunResult>}
   */
  run({ code, timeout_ms: timeoutMs, seed, skills }) {
    if (this.current) throw new Error(`${this.name} is already running a program`)
    this.mailboxes.cancelWaits(this.name)
    return new Promise((finish) => {
      const timer = setTimeout(
        () => this.stop(`the time limit of ${timeoutMs / 1000} s was reached`, 'timeout'),
        timeoutMs
      )
      this.current = { finish, started: Date.now(), timer, done: [], logs: [] }
      this.record({ kind: 'code_started', time_ms: Date.now(), agent: this.name, code })
      this.post({ op: 'run', code, seed, skills })
      this.watchMemory(this.current)
    })
  }

  /**
   * Ends a run that takes too much memory.
   * @param {object} run
   */
  async watchMemory(run) {
    while (this.current === run && this.worker) {
      const statistics = await this.worker.getHeapStatistics().catch(() => null)
      if (!statistics || this.current !== run) return
      const usedMb = (statistics.used_heap_size + statistics.external_memory) / 2 ** 20
      if (usedMb > MEMORY_MB) return this.kill(`the code used more than ${MEMORY_MB} MB`)
      await new Promise((resolve) => wall.setTimeout(resolve, MEMORY_PERIOD_MS))
    }
  }

  /**
   * Tells the running program to stop, and ends its thread if it does not.
   * @param {string} reason
   * @param {'stopped' | 'timeout'} [status]
   * @returns {Promise<void>} when nothing runs any more
   */
  async stop(reason, status = 'stopped') {
    const current = this.current
    if (!current) return
    this.post({ op: 'stop', reason, status })
    const finished = new Promise((resolve) => {
      const { finish } = current
      current.finish = (result) => {
        finish(result)
        resolve(true)
      }
    })
    const late = new Promise((resolve) => wall.setTimeout(resolve, GRACE_MS, false))
    if (await Promise.race([finished, late])) return
    await this.kill(`${reason}, and the code did not stop (does it loop without awaiting?)`)
  }

  /** What is known of a run even if its thread is ended. @param {{done?: string, log?: string}} message */
  note({ done, log }) {
    if (done) this.current?.done.push(done)
    if (log) this.current?.logs.push(log)
  }

  /**
   * A program came to its end; its run is over once its thread is idle, which it is not where the
   * program left something running that never gives way.
   * @param {RunResult} result
   */
  async settled(result) {
    const { current } = this
    const idle = await this.ask({ op: 'ping' }, GRACE_MS).then(
      () => true,
      () => false
    )
    if (this.current !== current || this.killing) return
    if (idle) return this.finish(result)
    await this.kill('the program ended but left something running that never gives way')
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

  /**
   * Ends the thread of code that would not stop, and brings the bot back.
   * @param {string} reason
   * @returns {Promise<void>} once that is done; a second call while it goes on changes nothing
   */
  kill(reason) {
    this.killing ??= this.restart(reason).finally(() => (this.killing = null))
    return this.killing
  }

  /** @param {string} reason @returns {Promise<void>} */
  async restart(reason) {
    const { worker } = this
    this.worker = null
    await worker?.terminate()
    this.rejectAsks('its code was killed')
    if (this.ended) return
    try {
      await this.start()
    } catch (error) {
      return this.lost(`could not come back after its code was killed: ${error}`)
    }
    this.finish(this.killed(`${reason}; the code had to be killed`))
  }

  /** @param {string} message @returns {RunResult} */
  killed(message) {
    const { done = [], logs = [] } = this.current ?? {}
    const error = { message, line: null, column: null, source: null, done: done.slice(-MAX_DONE) }
    return { status: 'killed', error, logs, seconds: 0 }
  }

  /** @param {string} reason @returns {Promise<void>} */
  async lost(reason) {
    if (this.ended) return
    // A thread that ends while code runs ends because of the code (a memory bomb, say).
    if (this.current && reason.startsWith('its thread')) return this.kill(reason)
    this.finish(this.killed(reason))
    this.record({
      kind: 'fault',
      time_ms: Date.now(),
      agent: this.name,
      where: 'bot',
      message: reason
    })
    this.rejectAsks(reason)
    await this.end()
  }

  /** @param {string} reason */
  rejectAsks(reason) {
    for (const { reject } of [...this.asks.values()]) reject(new Error(`${this.name}: ${reason}`))
  }

  async end() {
    this.ended = true
    const { worker } = this
    this.worker = null
    if (!worker) return
    worker.postMessage({ op: 'quit' })
    await Promise.race([
      new Promise((resolve) => worker.once('exit', resolve)),
      new Promise((resolve) => wall.setTimeout(resolve, GRACE_MS))
    ])
    await worker.terminate()
  }
}

/** @param {string} agent @param {RunResult} result @returns {import('./protocol.d.ts').BotEvent} */
function endOf(agent, { status, error, logs, seconds }) {
  const common = { agent, time_ms: Date.now(), seconds, logs }
  if (status !== 'error' && status !== 'killed') return { kind: 'code_finished', status, ...common }
  const { message = '', line = null, column = null, source = null, done = [] } = error ?? {}
  return { kind: 'code_failed', status, message, line, column, source, done, ...common }
}
