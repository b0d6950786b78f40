/**
 * The body's side of the sandbox: runs one agent's programs, one at a time, in its engine.
 *
 * No agent's code runs in this thread. Its calls arrive as text, are checked and looked up
 * (`incoming.js`), executed by Mineflayer on objects in the world (`calls.js`), and answered with
 * copies (`outgoing.js`).
 */
import { wall } from '@voxpolis/clock'
import { takeBack, watchStations } from '../primitives/voyager.js'
import { createRateLimiter } from './rate-limiter.js'
import { CHAT } from './chat.js'
import { EngineThread } from './engine-thread.js'
import { Run } from './run.js'
import { createSignals } from './signals.js'
import { SingleRun, singleCall } from './single-call.js'

/** @import { Bot, Emit, Post, UseBlock } from '../types.d.ts' */
/** @import { RunResult } from '../protocol.d.ts' */

/**
 * Maximum packet rate: more than a body needs, and less than a server tolerates (Paper kicks at 500
 * packets per second).
 */
const ACTIONS = {
  burst: 100,
  perSecond: 50,
  complaint: 'too many actions at once: await each one'
}
/** Maximum fraction of its thread's time that one agent's calls may take; further calls wait. */
const SHARE = 0.25
const SHARE_BURST_MS = 200
const MAX_WAIT_MS = 500

/** @typedef {{code: string, seed: number, skills: Record<string, string>}} Program */

export class Sandbox {
  /**
   * @param {object} options @param {Bot} options.bot
   * @param {Record<string, any>} options.tables tables that agents may read, by name
   * @param {string} options.name the agent's
   * @param {boolean} options.digs true if the bot may dig and build on its way
   * @param {import('../protocol.d.ts').Spawn['primitives']} options.primitives how they fail
   * @param {import('../body-threads.js').Clock} options.clock @param {Post} options.post
   * @param {Emit} options.emit @param {UseBlock} options.use
   * @param {import('../own-placements.js').Placements} options.placements
   */
  constructor({ bot, tables, name, digs, primitives, clock, post, emit, use, placements }) {
    this.bot = bot
    this.placements = placements
    this.clock = clock
    this.signals = createSignals(post)
    this.ports = { bot, emit, tables }
    this.mayChat = createRateLimiter(CHAT)
    /** Quota of the primitives' own lines, so that a program does not lose its own to them. */
    this.mayComplain = createRateLimiter(CHAT)
    this.isForgiving = primitives === 'voyager'
    /** Tables and furnaces that programs have placed. */
    this.stations = watchStations(bot, placements)
    this.body = { bot, name, digs, use, signals: this.signals, takesLess: this.isForgiving }
    this.mayAct = createRateLimiter(ACTIONS)
    /** Aborts the cleanup after a program. @type {AbortController | null} */
    this.tidying = null
    /** @type {EngineThread | null} */
    this.engine = null
    /** @type {Run | null} */
    this.current = null
    this.spentMs = 0
    this.spentAt = wall.now()
  }

  /**
   * Run a program to its end; the caller stops whatever it left running in the world.
   * @param {Program} program @returns {Promise<RunResult>}
   */
  async run(program) {
    const call = singleCall(program)
    const run = call ? new SingleRun(this, program, call) : this.engineRun(program)
    this.current = run
    this.spentMs = 0
    run.start()
    const result = await run.over
    const tidies = this.isForgiving && ['done', 'error'].includes(result.status)
    if (tidies) await this.placements.settled()
    run.end()
    this.signals.forget()
    this.current = null
    if (result.status === 'killed' || !run.isWhole) await this.endEngine()
    if (tidies) await this.tidy()
    return result
  }

  /** Take back the stations that programs have placed, unless the last one was stopped. */
  async tidy() {
    this.tidying = new AbortController()
    const context = { ...this.body, signal: this.tidying.signal, look: async () => false }
    await takeBack(context, this.stations.values())
    this.tidying = null
  }

  /** @param {Program} program */
  engineRun(program) {
    this.engine ??= this.start()
    return new Run(this, program, this.engine)
  }

  /**
   * Start an engine in advance, so that a program loses no time; skip this if the program needs no
   * engine.
   * @param {Program} [program]
   */
  async prepare(program) {
    if (program && singleCall(program)) return
    this.engine ??= this.start()
    await this.engine.ready
  }

  start() {
    const engine = new EngineThread({
      clock: this.clock,
      receive: (message) => this.receive(message),
      ended: (why) => {
        if (this.engine === engine) this.engine = null
        this.current?.killed(why)
      }
    })
    return engine
  }

  /**
   * Process a message from the engine; an unreadable one ends this agent's run.
   * @param {any} message
   */
  receive(message) {
    try {
      this.current?.receive(message)
    } catch {
      this.current?.killed('its engine sent an unreadable message')
    }
  }

  /** @param {string} reason @param {'stopped' | 'timeout'} status */
  stop(reason, status) {
    this.tidying?.abort()
    this.current?.stop(reason, status)
  }

  /** End the running program without a result, because nothing can receive it any more. */
  quit() {
    this.tidying?.abort()
    this.current?.end()
    return this.endEngine()
  }

  async endEngine() {
    const { engine } = this
    this.engine = null
    await engine?.end()
  }

  /** Wait until this agent's share of its thread's time allows more calls. */
  async rest() {
    const delay = this.spend(0)
    if (delay >= 1) await new Promise((resolve) => wall.setTimeout(resolve, delay))
  }

  /**
   * Delay this agent's further answers in proportion to the time it used.
   * @param {number} tookMs of its thread's time
   */
  spend(tookMs) {
    const now = wall.now()
    const left = Math.max(0, this.spentMs - (now - this.spentAt) * SHARE)
    this.spentMs = Math.min(left + tookMs, SHARE_BURST_MS + MAX_WAIT_MS * SHARE)
    this.spentAt = now
    return Math.max(0, (this.spentMs - SHARE_BURST_MS) / SHARE)
  }
}
