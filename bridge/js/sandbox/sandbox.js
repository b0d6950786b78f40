/**
 * The sandbox: where one agent's programs run, one at a time.
 *
 * The language is frozen (SES lockdown) and a program sees only what a policy needs: the bot
 * facade, the primitives, block and item data, vectors, goals, timers and a console. When a run
 * ends, by itself or not, everything it held goes dead and the bot stands still.
 */
import 'ses'
import { createMembrane } from './membrane.js'
import { createRateLimiter } from './rate-limiter.js'
import { ACTIONS, createFacade } from './facade.js'
import { createTimers } from './timers.js'
import { createSignals } from './signals.js'
import { LINES_BEFORE, ProgramError, wrap, wrapSkill } from './program.js'
import { createPrimitives } from '../primitives/index.js'

/** @import { Bot, Emit, Goal, Libraries, Post, UseBlock } from '../types.d.ts' */

/** @typedef {ReturnType<typeof createMembrane>} Membrane */

const MAX_LOG_LINES = 200
const MAX_LOG_CHARACTERS = 500
const MAX_ERROR_CHARACTERS = 2000
/** As many primitives as an error lists, the last ones. */
const MAX_DONE = 100
const GOALS = /** @type {const} */ ([
  'GoalBlock',
  'GoalBreakBlock',
  'GoalCompositeAll',
  'GoalCompositeAny',
  'GoalFollow',
  'GoalGetToBlock',
  'GoalInvert',
  'GoalLookAtBlock',
  'GoalNear',
  'GoalNearXZ',
  'GoalPlaceBlock',
  'GoalXZ',
  'GoalY'
])

/** Thrown into whatever the code does after its run is over. */
export class RunOver extends Error {}

let locked = false

/** Freezes the language, once a thread, after Mineflayer was loaded. */
function lock() {
  if (locked) return
  locked = true
  lockdown({
    errorTaming: 'unsafe', // agents get their own stack traces
    consoleTaming: 'unsafe',
    localeTaming: 'unsafe',
    overrideTaming: 'severe', // Mineflayer's libraries assign over inherited names
    domainTaming: 'unsafe',
    unhandledRejectionTrapping: 'none', // worker.js sees them
    regExpTaming: 'unsafe',
    evalTaming: 'unsafe-eval' // protodef compiles its packet readers
  })
}

export class Sandbox {
  /**
   * @param {object} options
   * @param {Bot} options.bot
   * @param {Libraries} options.libraries
   * @param {string} options.name the agent's
   * @param {Post} options.post
   * @param {Emit} options.emit
   * @param {boolean} options.digs whether the bot may dig and build its way
   * @param {UseBlock} options.use
   */
  constructor({ bot, libraries, name, digs, post, emit, use }) {
    this.bot = bot
    this.libraries = libraries
    this.body = { name, digs, use }
    this.emit = emit
    this.post = post
    this.signals = createSignals(post)
    /** @type {Run | null} */
    this.current = null
    lock()
    harden(libraries.Vec3)
  }

  /** @param {{code: string, seed: number, skills: Record<string, string>}} program @returns {Promise<import('../protocol.d.ts').RunResult>} */
  async run({ code, seed, skills }) {
    const run = new Run(this, code, skills)
    this.current = run
    try {
      const program = wrap(code)
      const compartment = new Compartment(this.globals(run, seed))
      this.teach(compartment, skills, run)
      await Promise.race([compartment.evaluate(program), run.over])
      return run.result('done', null)
    } catch (error) {
      if (run.stopped) return run.result(run.stopped.status, run.describe(run.stopped.error))
      return run.result('error', run.describe(error))
    } finally {
      run.end()
      this.current = null
      await this.standStill()
    }
  }

  /**
   * Puts skills into a program's reach. One that cannot be read is left out, and the program told.
   * @param {Compartment} compartment
   * @param {Record<string, string>} skills
   * @param {Run} run
   */
  teach(compartment, skills, run) {
    for (const [name, source] of Object.entries(skills)) {
      try {
        compartment.globalThis[name] = compartment.evaluate(wrapSkill(name, source))
      } catch (error) {
        run.console.error(`the skill ${name} cannot be used: ${error}`)
      }
    }
  }

  /** @param {string} reason @param {'stopped' | 'timeout'} status */
  stop(reason, status) {
    this.current?.stop(reason, status)
  }

  /** @param {Run} run @param {number} seed */
  globals(run, seed) {
    const { bot, libraries } = this
    const { Vec3, goals, minecraftData } = libraries
    const check = () => run.check()
    const atEnd = (/** @type {() => void} */ cleanup) => run.cleanups.push(cleanup)
    const act = createRateLimiter(ACTIONS)
    const membrane = createMembrane({ check, alive: () => run.alive, act, Vec3 })
    run.waitsAt = membrane.waitsAt
    const onError = (/** @type {unknown} */ error) => run.console.error(String(error))
    const facade = createFacade(bot, { membrane, check, emit: this.emit, atEnd, onError })
    const primitives = createPrimitives({
      bot,
      facade,
      run,
      membrane,
      signals: this.signals,
      ...this.body
    })
    const globals = {
      bot: facade,
      Vec3,
      mcData: membrane.wrap(minecraftData(bot.version)),
      console: run.console,
      ...createTimers(atEnd, onError),
      ...goalMakers(goals, membrane),
      ...primitives,
      Date,
      Math: seededMath(seed)
    }
    for (const [key, value] of Object.entries(globals)) if (key !== 'mcData') harden(value)
    return globals
  }

  /** Leaves the bot without goal, movement, dig or open window. */
  async standStill() {
    const { bot } = this
    try {
      bot.pathfinder.setGoal(null)
      bot.clearControlStates()
      if (bot.targetDigBlock) bot.stopDigging()
      if (bot.currentWindow) await bot.closeWindow(bot.currentWindow)
    } catch (error) {
      this.emit({ kind: 'log', text: `could not stand still: ${error}` })
    }
  }
}

/** One run of a program. */
class Run {
  /** @param {Sandbox} sandbox @param {string} code @param {Record<string, string>} skills */
  constructor(sandbox, code, skills) {
    this.skills = skills
    this.sandbox = sandbox
    this.lines = code.split('\n')
    this.alive = true
    /** @type {{status: 'stopped' | 'timeout', error: Error} | null} */
    this.stopped = null
    /** @type {(() => void)[]} */
    this.cleanups = []
    /** @type {string[]} */
    this.logs = []
    /** Where the code waits, as a stack trace. */
    this.waitsAt = () => ''
    /** What primitives did, in words, for the agent's next prompt. @type {string[]} */
    this.done = []
    this.controller = new AbortController()
    this.over = new Promise((_resolve, reject) => {
      this.controller.signal.addEventListener('abort', () => reject(this.stopped?.error))
    })
    this.over.catch(() => {})
    this.console = this.createConsole()
  }

  get signal() {
    return this.controller.signal
  }

  check() {
    if (!this.alive) throw new RunOver(this.stopped?.error.message ?? 'the run is over')
  }

  /** @param {string} reason @param {'stopped' | 'timeout'} status */
  stop(reason, status) {
    if (!this.alive) return
    this.alive = false
    const error = new RunOver(reason)
    error.stack = this.waitsAt()
    this.stopped = { status, error }
    this.controller.abort()
  }

  end() {
    this.alive = false
    this.controller.abort()
    this.sandbox.signals.forget()
    for (const cleanup of this.cleanups) cleanup()
  }

  /** Notes what a primitive did. @param {string} what in words */
  did(what) {
    this.done.push(what)
    if (this.done.length > MAX_DONE) this.done.shift()
    this.sandbox.post({ op: 'progress', done: what })
  }

  createConsole() {
    const print = (/** @type {unknown[]} */ ...parts) => {
      if (this.logs.length >= MAX_LOG_LINES) return
      const line = parts.map(show).join(' ').slice(0, MAX_LOG_CHARACTERS)
      this.logs.push(line)
      this.sandbox.post({ op: 'progress', log: line })
    }
    return { log: print, info: print, warn: print, error: print, debug: print }
  }

  /** Where in a skill an error came from, in words; nothing where it did not. @param {string} stack */
  placeInSkill(stack) {
    const [, name, line] = String(stack).match(/\b(\w+)\.js:(\d+):\d+/) ?? []
    const source = Object.hasOwn(this.skills, name ?? '') ? this.skills[name] : undefined
    if (source === undefined) return ''
    const number = Number(line) - LINES_BEFORE
    const code = source.split('\n')[number - 1]?.trim() ?? ''
    return ` (in the skill ${name}, line ${number}: ${code.slice(0, MAX_LOG_CHARACTERS)})`
  }

  /**
   * @param {import('../protocol.d.ts').RunResult['status']} status
   * @param {import('../protocol.d.ts').CodeError | null} error
   * @returns {import('../protocol.d.ts').RunResult}
   */
  result(status, error) {
    return { status, error, logs: this.logs, seconds: 0 }
  }

  /** An error in the agent's terms. @param {unknown} error @returns {import('../protocol.d.ts').CodeError} */
  describe(error) {
    const { message, stack = '' } = /** @type {Error} */ (
      error instanceof Error ? error : { message: show(error) }
    )
    const place = error instanceof ProgramError ? error : placeIn(stack)
    const line = place.line === null ? null : (this.lines[place.line - 1] ?? '').trim()
    const source = line?.slice(0, MAX_LOG_CHARACTERS) ?? null
    const text = `${String(message).slice(0, MAX_ERROR_CHARACTERS)}${this.placeInSkill(stack)}`
    return { message: text, line: place.line, column: place.column, source, done: [...this.done] }
  }
}

/** @param {string} stack @returns {{line: number | null, column: number | null}} in the agent's code */
function placeIn(stack) {
  const match = String(stack).match(/policy\.js:(\d+):(\d+)/)
  if (!match) return { line: null, column: null }
  return { line: Number(match[1]) - LINES_BEFORE, column: Number(match[2]) }
}

/** @param {unknown} value */
function show(value) {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

/** @param {Libraries['goals']} goals @param {Pick<Membrane, 'wrap' | 'unwrap'>} membrane */
function goalMakers(goals, { wrap, unwrap }) {
  return Object.fromEntries(
    GOALS.map((name) => {
      const Goal = /** @type {new (...args: unknown[]) => Goal} */ (goals[name])
      /** Called with `new`: a constructor may return an object of its own. */
      const make = function (/** @type {unknown[]} */ ...args) {
        return wrap(new Goal(...args.map(unwrap)))
      }
      return [name, make]
    })
  )
}

/** `Math` with random numbers fixed by the run's seed. @param {number} seed */
function seededMath(seed) {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const own = Object.getOwnPropertyDescriptors(Math)
  return Object.create(Object.prototype, {
    ...own,
    random: { value: random, enumerable: false, configurable: false, writable: false }
  })
}
