/**
 * An agent's engine: QuickJS in WebAssembly, in a separate thread.
 *
 * Each program gets a new room, and none of its state outlives the room. The thread contains no
 * secrets and can be ended at any moment, whatever its code does. It exchanges text messages with
 * the body (room.js), and calls with text and numbers with the agent's code.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { setSpeed } from '@voxpolis/clock'
import { ProgramError, wrap, wrapSkill } from './program.js'
import { FLAGS, LIMITS } from './limits.js'
import { readOutcome } from './outcome.js'
import { createRateLimiter } from './rate-limiter.js'
import { Aftermath } from './cpu-time.js'

/** @import { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core' */

/** @typedef {{code: string, skills: Record<string, string>, setting: object}} Program */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const { replies, shared, wasmModule, sources } = workerData
const flags = new Int32Array(shared)
setSpeed(workerData.clock.speed, workerData.clock.anchorMs, workerData.clock.file)
const quickjs = await newQuickJSWASMModuleFromVariant(
  newVariant(/** @type {any} */ (variant), { wasmModule })
)

/**
 * Rate limit on adding and removing listeners, higher than a program that waits for each next tick
 * needs.
 */
const LISTENING = { burst: 400, perSecond: 200, complaint: 'too many changes of listeners' }

/** The code had to be ended because it did not yield. */
class Ended extends Error {}

const isTold = () => Atomics.load(flags, FLAGS.STOP) !== 0
const isLate = () => Atomics.load(flags, FLAGS.STOP) === 2

/** Room of one program. */
class Room {
  constructor() {
    /** @type {Map<number, NodeJS.Timeout>} */
    this.timers = new Map()
    this.nextId = 1
    /** Events that the body forwards. @type {Set<string>} */
    this.heard = new Set()
    this.mayListen = createRateLimiter(LISTENING)
    /** Functions of the agent that were called and have not returned. @type {Set<number>} */
    this.asked = new Set()
    this.lines = 0
    this.pendingCalls = 0
    /** @type {import('./outcome.js').Outcome | null} */
    this.outcome = null
    this.aftermath = new Aftermath()
    this.isOver = false
    /** @type {QuickJSRuntime} */
    this.runtime = quickjs.newRuntime()
    this.runtime.setMemoryLimit(LIMITS.MEMORY_BYTES)
    this.runtime.setMaxStackSize(LIMITS.STACK_BYTES)
    this.runtime.setInterruptHandler(() => isLate() || this.aftermath.isStillRunning())
    /** @type {QuickJSContext} */
    this.context = this.runtime.newContext()
    /** @type {QuickJSHandle} */
    this.entries = this.context.undefined
  }

  /** Set up the room and start the program. @param {Program} program */
  open({ code, skills, setting }) {
    const { context } = this
    let isOpen = true
    const refused = { error: new Error('there are no modules to import') }
    // The engine looks up names here before it looks among its loaded modules.
    this.runtime.setModuleLoader(
      (name) => (Object.hasOwn(sources, name) ? sources[name] : refused),
      (_from, name) => (isOpen ? name : refused)
    )
    this.provide(JSON.stringify(setting))
    this.value(context.evalCode(sources['./room.js'], 'room.js', { type: 'module' })).dispose()
    isOpen = false
    this.entries = context.getProp(context.global, 'entries')
    this.value(context.evalCode('delete globalThis.entries')).dispose()
    this.teach(skills)
    this.begin(code)
  }

  /** Provide the functions that code in the room may call. @param {string} setting */
  provide(setting) {
    const { context } = this
    const host = context.newObject()
    /** @type {Record<string, (...args: QuickJSHandle[]) => QuickJSHandle | void>} */
    const lent = {
      ask: (name, args) => context.newString(this.ask(this.text(name), this.text(args))),
      call: (name, args) => context.newNumber(this.call(this.text(name), this.text(args))),
      print: (line) => this.print(this.text(line)),
      timer: (ms, repeats) =>
        context.newNumber(this.timer(context.getNumber(ms), context.dump(repeats) === true)),
      untimer: (id) => this.untimer(context.getNumber(id)),
      listen: (event, on) => this.listen(this.text(event), context.dump(on) === true),
      answer: (ask, found) => this.answer(context.getNumber(ask), context.dump(found) === true),
      ended: (outcome) => this.ended(this.text(outcome))
    }
    for (const [name, fn] of Object.entries(lent)) {
      context.newFunction(name, fn).consume((handle) => context.setProp(host, name, handle))
    }
    context.newString(setting).consume((text) => context.setProp(host, 'setting', text))
    context.setProp(context.global, 'host', host)
    host.dispose()
  }

  /** Read a text of bounded length. @param {QuickJSHandle} handle @returns {string} */
  text(handle) {
    const { context } = this
    if (!handle || context.typeof(handle) !== 'string') throw new TypeError('a text is needed')
    const length = context.getProp(handle, 'length').consume((found) => context.getNumber(found))
    if (!(length <= LIMITS.TEXT))
      throw new RangeError(`more than ${LIMITS.TEXT} characters of data`)
    return context.getString(handle).toWellFormed()
  }

  /** @param {object} message */
  post(message) {
    if (!this.isOver) port.postMessage(message)
  }

  /**
   * Call the body and wait for its answer.
   * @param {string} name @param {string} args @returns {string}
   */
  ask(name, args) {
    this.refuseOver()
    const before = Atomics.load(flags, FLAGS.REPLIES)
    this.post({ op: 'ask', name, args })
    while (Atomics.load(flags, FLAGS.REPLIES) === before) {
      Atomics.wait(flags, FLAGS.REPLIES, before, LIMITS.LOOK_MS)
      if (isLate()) throw new Error('the run is over')
    }
    const answer = receiveMessageOnPort(replies)
    return answer?.message ?? '{"error":"the run is over"}'
  }

  /** @param {string} name @param {string} args */
  call(name, args) {
    this.refuseOver()
    if (this.pendingCalls >= LIMITS.CALLS) {
      throw new Error('too many actions at once: await each one')
    }
    this.pendingCalls++
    const id = this.nextId++
    this.post({ op: 'call', id, name, args })
    return id
  }

  refuseOver() {
    if (isTold() || this.isOver) throw new Error('the run is over')
  }

  /** @param {string} line */
  print(line) {
    if (this.lines++ < LIMITS.LINES) this.post({ op: 'print', line: line.slice(0, LIMITS.LINE) })
  }

  /** @param {number} delay @param {boolean} repeats */
  timer(delay, repeats) {
    if (this.timers.size >= LIMITS.TIMERS) throw new Error(`more than ${LIMITS.TIMERS} timers`)
    const ms = Math.min(Math.max(delay || 0, repeats ? 10 : 0), LIMITS.DELAY_MS)
    const id = this.nextId++
    const fire = () => {
      if (!repeats) this.timers.delete(id)
      this.enter('fire', id)
    }
    this.timers.set(id, repeats ? setInterval(fire, ms) : setTimeout(fire, ms))
    return id
  }

  /** Start or stop forwarding an event. @param {string} event @param {boolean} on */
  listen(event, on) {
    if (this.heard.has(event) === on) return
    this.mayListen()
    if (on) this.heard.add(event)
    else this.heard.delete(event)
    this.post({ op: 'listen', event, on })
  }

  /** Let the room call a function of the agent. @param {number} ask @param {number} fn */
  look(ask, fn) {
    this.asked.add(ask)
    this.enter('lookFor', ask, fn)
  }

  /** Report the result of such a call, once. @param {number} ask @param {boolean} found */
  answer(ask, found) {
    if (this.asked.delete(ask)) this.post({ op: 'answer', ask, found })
  }

  /** @param {number} id */
  untimer(id) {
    clearTimeout(this.timers.get(id))
    this.timers.delete(id)
  }

  /**
   * Make skills available to the program, with the helper functions that they declare. If a helper
   * and a skill have the same name, the name means the skill. A skill that cannot be read, or that
   * would replace a name in the sandbox such as `bot`, is reported to the program.
   * @param {Record<string, string>} skills
   */
  teach(skills) {
    const { context } = this
    const reserved = new Set(Object.keys(skills).length ? this.globals() : [])
    for (const [name, source] of Object.entries(skills)) {
      try {
        const { source: wrapped, declared } = wrapSkill(name, source)
        const made = this.value(context.evalCode(wrapped, `${name}.js`))
        if (reserved.has(name)) {
          throw new ProgramError('the sandbox already defines that name', null, null)
        }
        const own = declared.filter(
          (each) => !reserved.has(each) && (each === name || !Object.hasOwn(skills, each))
        )
        for (const each of own) {
          context.getProp(made, each).consume((fn) => context.setProp(context.global, each, fn))
        }
        made.dispose()
      } catch (error) {
        if (error instanceof Ended) throw error
        this.print(`the skill ${name} cannot be used: ${error}`)
      }
    }
  }

  /** Return the names that the sandbox itself defines. @returns {string[]} */
  globals() {
    const names =
      'JSON.stringify([globalThis, Object.prototype].flatMap(Object.getOwnPropertyNames))'
    const made = this.value(this.context.evalCode(names))
    return JSON.parse(made.consume((handle) => this.context.getString(handle)))
  }

  /** @param {string} code */
  begin(code) {
    const program = this.value(this.context.evalCode(wrap(code), 'policy.js'))
    this.enter('begin', program)
    program.dispose()
  }

  /**
   * Return the value of an evaluation, or throw its error as an error of this thread.
   * @param {ReturnType<QuickJSContext['evalCode']>} result @returns {QuickJSHandle}
   */
  value(result) {
    if (!result.error) return result.value
    const { name, message, stack } = this.errorOf(result.error)
    if (name === 'InternalError' && message === 'interrupted') throw endedAt(stack)
    throw Object.assign(new Error(`${name}: ${message}`), { stack, message: `${name}: ${message}` })
  }

  /** @param {QuickJSHandle} handle disposed of by this call */
  errorOf(handle) {
    const read = (/** @type {string} */ name) => {
      const found = this.context.getProp(handle, name)
      try {
        return this.text(found).slice(0, LIMITS.MESSAGE)
      } catch {
        return ''
      } finally {
        found.dispose()
      }
    }
    const found = { name: read('name'), message: read('message'), stack: read('stack') }
    handle.dispose()
    return found
  }

  /**
   * Call an entry of the room, then run all jobs that the call has started.
   * @param {string} name @param {(string | number | QuickJSHandle)[]} args
   */
  enter(name, ...args) {
    if (this.isOver) return
    try {
      this.perform(name, args)
      this.drain()
      // When an async function is interrupted, its promise is rejected.
      if (isLate() || this.aftermath.isStillRunning())
        throw endedAt(this.outcome?.error?.stack ?? '')
      if (this.outcome) this.finish(this.outcome.status, this.outcome.error)
    } catch (error) {
      this.fail(error)
    }
  }

  /** @param {string} name @param {(string | number | QuickJSHandle)[]} args */
  perform(name, args) {
    const { context } = this
    const entry = context.getProp(this.entries, name)
    const handles = args.map((arg) =>
      typeof arg === 'string'
        ? context.newString(arg)
        : typeof arg === 'number'
          ? context.newNumber(arg)
          : arg.dup()
    )
    try {
      const result = this.value(context.callFunction(entry, context.undefined, ...handles))
      return result.consume((value) => (context.typeof(value) === 'string' ? this.text(value) : ''))
    } finally {
      for (const handle of [entry, ...handles]) handle.dispose()
    }
  }

  /** Run pending jobs until none is left. */
  drain() {
    while (this.runtime.hasPendingJob()) {
      const result = this.runtime.executePendingJobs(LIMITS.JOBS)
      if (result.error) {
        const { name, message, stack } = this.errorOf(/** @type {any} */ (result.error))
        if (name === 'InternalError' && message === 'interrupted') throw endedAt(stack)
      }
      if (isLate() || this.aftermath.isStillRunning()) throw new Ended('')
    }
  }

  /** @param {string} outcome */
  ended(outcome) {
    if (this.outcome) return
    this.outcome = readOutcome(outcome)
    this.aftermath.begin()
  }

  /** @param {unknown} problem that ended the program from outside */
  fail(problem) {
    const error = /** @type {Error} */ (problem)
    const isEnded = error instanceof Ended || !('message' in error)
    this.finish(isEnded ? 'killed' : 'broken', { message: error.message, stack: error.stack ?? '' })
  }

  /** Handle the body's request to stop while the program waits. */
  stop() {
    let stack = ''
    try {
      stack = this.perform('waitsAt', [])
    } catch {
      // In that case the position is unknown.
    }
    this.finish('stopped', { message: '', stack })
  }

  /**
   * @param {string} status
   * @param {{message: string, stack: string, place?: (number | null)[] | null} | null} error
   */
  finish(status, error) {
    if (this.isOver) return
    this.isOver = true
    for (const timer of this.timers.values()) clearTimeout(timer)
    const isStillRunning = status === 'killed' && this.outcome !== null
    // Wait until nothing of this call is on the stack.
    setImmediate(() => {
      const whole = !['killed', 'broken'].includes(status) && this.dispose()
      port.postMessage({ op: 'finished', status, error, isStillRunning, whole })
    })
  }

  /** @returns {boolean} true if the engine can be reused */
  dispose() {
    try {
      this.entries.dispose()
      this.context.dispose()
      this.runtime.dispose()
      return true
    } catch {
      return false
    }
  }
}

/** @param {string} stack */
const endedAt = (stack) => Object.assign(new Ended(''), { stack })

/** @type {Room | null} */
let room = null

port.on('message', (message) => {
  switch (message.op) {
    case 'run':
      return run(message)
    case 'settle':
      if (room) room.pendingCalls--
      return room?.enter('settle', message.id, message.answer)
    case 'happened':
      Atomics.sub(flags, FLAGS.EVENTS, 1)
      return room?.enter('happened', message.event, message.args)
    case 'look':
      return room?.look(message.ask, message.fn)
    case 'stop':
      return room?.stop()
  }
})

/** @param {Program} program */
function run(program) {
  room = new Room()
  try {
    room.open(program)
  } catch (error) {
    const { message, stack = '' } = /** @type {Error} */ (error)
    const place = error instanceof ProgramError ? [error.line, error.column] : null
    room.finish(error instanceof Ended ? 'killed' : 'error', { message, stack, place })
  }
}

/** Compile the engine's own code before a program's time begins. */
function warmUp() {
  const first = new Room()
  first.isOver = true
  first.open({ code: '', skills: {}, setting: { username: '', version: '', seed: 0 } })
  first.dispose()
}

warmUp()
port.postMessage({ op: 'ready' })
