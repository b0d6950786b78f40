/** Run of a program: executes its engine's calls and reports the outcome. */
import { wall } from '@voxpolis/clock'
import { performPrimitive } from '../primitives/index.js'
import { forgiving } from '../primitives/voyager.js'
import { ACTS, LOOKS, WAITS, WORKS } from './calls.js'
import { speak } from './chat.js'
import { createListeners } from './listeners.js'
import { LIMITS } from './limits.js'
import { Callback, readArguments } from './incoming.js'
import { describe } from './errors.js'
import { workedMs } from './cpu-time.js'

/** @import { RunResult } from '../protocol.d.ts' */
/** @import { EngineThread } from './engine-thread.js' */
/** @import { Program, Sandbox } from './sandbox.js' */

/** Maximum number of primitives that an error lists; it lists the last ones. */
const MAX_DONE = 100

/** @typedef {Pick<EngineThread, 'offer' | 'post' | 'press' | 'reply' | 'tell'>} Engine the part of an engine that a run uses */

/** One run of a program. */
export class Run {
  /** @param {Sandbox} sandbox @param {Program} program @param {Engine} engine */
  constructor(sandbox, program, engine) {
    this.sandbox = sandbox
    this.engine = engine
    this.program = program
    this.isOver = false
    /** True if its engine can be reused afterwards. */
    this.isWhole = false
    this.calls = 0
    /** @type {{status: 'stopped' | 'timeout', reason: string} | null} */
    this.stopped = null
    /** @type {string[]} */
    this.logs = []
    /** Descriptions of what primitives did, for the agent's next prompt. @type {string[]} */
    this.done = []
    this.controller = new AbortController()
    /** True once the program has been told that lines of chat were dropped. */
    this.isTold = false
    const mayChat = () => this.mayChat()
    this.ports = { ...sandbox.ports, mayChat, signal: this.controller.signal }
    this.forgive = forgiving((line) => this.say(line))
    this.listeners = createListeners(sandbox.bot, (event, args) =>
      this.engine.offer({ op: 'happened', event, args: JSON.stringify(args) })
    )
    /** @type {Map<number, (found: boolean) => void>} */
    this.looks = new Map()
    this.nextLook = 0
    /** Resolves once all earlier calls have started. @type {Promise<void>} */
    this.turns = Promise.resolve()
    /** @type {(result: RunResult) => void} */
    this.finish = () => {}
    /** @type {Promise<RunResult>} */
    this.over = new Promise((resolve) => (this.finish = resolve))
  }

  /** Start the program. */
  start() {
    const { bot, clock } = this.sandbox
    const { code, skills, seed } = this.program
    this.engine.tell(0)
    const setting = { username: bot.username, version: bot.version, seed }
    this.engine.post({ op: 'run', code, skills, setting, clock })
  }

  /**
   * Process a message from the engine; the agent's code may have forged it.
   * @param {any} message
   */
  receive(message) {
    switch (message.op) {
      case 'ask':
        return this.ask(message)
      case 'call':
        return this.call(message)
      case 'print':
        return this.print(String(message.line))
      case 'listen':
        return this.listeners.listen(String(message.event), message.on === true)
      case 'answer':
        this.looks.get(message.ask)?.(message.found === true)
        return this.looks.delete(message.ask)
      case 'finished':
        return this.finished(message)
    }
  }

  /** @param {{name: string, args: string}} message */
  async ask({ name, args }) {
    const began = workedMs()
    let answer
    try {
      this.check()
      answer = { value: await this.perform(name, args) }
    } catch (error) {
      answer = { error: messageOf(error) }
    }
    const text = JSON.stringify(answer)
    const delay = this.sandbox.spend(workedMs() - began)
    if (delay >= 1) wall.setTimeout(() => this.engine.reply(text), delay)
    else this.engine.reply(text)
  }

  /** @param {string} name @param {string} args @returns {unknown} */
  perform(name, args) {
    const { ports } = this
    if (Object.hasOwn(LOOKS, name)) return LOOKS[name](ports, ...readArguments(args))
    if (!Object.hasOwn(ACTS, name)) throw new TypeError(`there is no ${name}`)
    if (name !== 'chat') this.sandbox.mayAct() // chat has its own limit
    ACTS[name](ports, ...readArguments(args))
    return null
  }

  /** @param {{id: number, name: string, args: string}} message */
  async call({ id, name, args }) {
    let answer
    try {
      answer = { value: await this.inTurn(name, args) }
    } catch (error) {
      answer = { error: messageOf(error) }
    }
    if (!this.isOver) this.engine.post({ op: 'settle', id, answer: JSON.stringify(answer) })
  }

  /**
   * Start a call once this agent's share of its thread's time allows it; calls start in order.
   * @param {string} name @param {string} args @returns {Promise<unknown>}
   */
  async inTurn(name, args) {
    if (this.calls >= LIMITS.CALLS) throw new Error('too many actions at once: await each one')
    this.calls++
    try {
      await (this.turns = this.turns.then(() => this.sandbox.rest()))
      this.check()
      return await this.begin(name, args)
    } finally {
      this.calls--
    }
  }

  /**
   * Start a call, and count its time until it first waits.
   * @param {string} name @param {string} args
   */
  begin(name, args) {
    const began = workedMs()
    try {
      return this.work(name, readArguments(args))
    } finally {
      this.sandbox.spend(workedMs() - began)
    }
  }

  /** @param {string} name @param {unknown[]} args @returns {Promise<unknown>} */
  async work(name, args) {
    const { ports } = this
    const { body } = this.sandbox
    if (Object.hasOwn(WAITS, name)) return WAITS[name](ports, ...args)
    if (Object.hasOwn(WORKS, name)) {
      this.sandbox.mayAct()
      return WORKS[name](ports, ...args)
    }
    const { signal } = this.controller
    const context = { ...body, signal, look: (/** @type {unknown} */ fn) => this.look(fn) }
    const { value, done } = await performPrimitive(context, name, args).catch((error) => {
      this.check()
      if (!this.sandbox.isForgiving) throw error
      this.forgive(name, error)
      return { value: undefined, done: '' }
    })
    this.check()
    if (!done) return value
    this.done.push(done)
    if (this.done.length > MAX_DONE) this.done.shift()
    return value
  }

  /** @param {string} line */
  print(line) {
    if (this.logs.length < LIMITS.LINES) this.logs.push(line.slice(0, LIMITS.LINE).toWellFormed())
  }

  /** Reserve quota for one line of the program; if there is none, print a notice, once. */
  mayChat() {
    try {
      this.sandbox.mayChat()
      return true
    } catch (error) {
      if (!this.isTold) this.print(messageOf(error))
      this.isTold = true
      return false
    }
  }

  /** Print a primitive's line, and say it in chat within the primitives' limit. @param {string} line */
  say(line) {
    this.print(line)
    try {
      this.sandbox.mayComplain()
      speak({ ...this.ports, mayChat: () => true }, line)
    } catch {
      // Over the rate limit, only the program sees the line.
    }
  }

  /**
   * Let the engine call one of the agent's functions.
   * @param {unknown} fn @returns {Promise<boolean>} true if it found something
   */
  async look(fn) {
    if (!(fn instanceof Callback)) throw new TypeError('that is not a function of the program')
    const ask = this.nextLook++
    return new Promise((resolve) => {
      this.looks.set(ask, resolve)
      this.engine.post({ op: 'look', ask, fn: fn.id })
    })
  }

  check() {
    if (this.isOver || this.stopped) throw new Error('the run is over')
  }

  /** @param {string} reason @param {'stopped' | 'timeout'} status */
  stop(reason, status) {
    if (this.isOver || this.stopped) return
    this.stopped = { reason, status }
    this.controller.abort()
    this.halt(reason, status)
  }

  /**
   * Let the engine stop the code, or end it.
   * @param {string} _reason @param {'stopped' | 'timeout'} _status
   */
  halt(_reason, _status) {
    this.engine.tell(1)
    this.engine.post({ op: 'stop' })
    this.engine.press(() => this.isOver).then((isOver) => isOver || this.killed(''))
  }

  /** @param {{status: string, error: any, isStillRunning: boolean, whole: boolean}} message */
  finished({ status, error, isStillRunning, whole }) {
    this.isWhole = whole === true
    if (status === 'killed') {
      return this.killed(
        isStillRunning ? 'the program ended but left code running that never yields' : '',
        error
      )
    }
    if (this.stopped) {
      const { reason, status: how } = this.stopped
      return this.settle(how, this.describe({ message: reason, stack: error?.stack ?? '' }))
    }
    this.settle(
      status === 'done' ? 'done' : 'error',
      status === 'done' ? null : this.describe(error)
    )
  }

  /** @param {string} why @param {any} [error] */
  killed(why, error) {
    const reason = this.stopped
      ? `${this.stopped.reason}, and the code did not stop (does it loop without awaiting?)`
      : why || 'its engine failed'
    const message = `${reason}; the code had to be killed`
    this.settle('killed', this.describe({ message, stack: error?.stack ?? '' }))
  }

  /** @param {any} error */
  describe(error) {
    return describe(error, this.program, this.done)
  }

  /** @param {RunResult['status']} status @param {RunResult['error']} error */
  settle(status, error) {
    if (this.isOver) return
    this.isOver = true
    this.finish({ status, error, logs: this.logs, seconds: 0 })
  }

  end() {
    this.isOver = true
    this.controller.abort()
    this.listeners.end()
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  const { message } = /** @type {Error} */ (error)
  return String(message ?? error)
    .slice(0, LIMITS.MESSAGE)
    .toWellFormed()
}
