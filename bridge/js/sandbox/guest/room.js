/** Inside the engine: the room of a program, and the entries that its thread calls. */
import { Vec3 } from 'vec3'
import { createBot } from './bot.js'
import { mcData, require } from './modules.js'
import { goalMakers } from './things.js'
import { call, callbacks, freshen, host, incoming, settle, setting, waitsAt } from './wire.js'

const MAX_LINE = 500
const MAX_MESSAGE = 2000
const MAX_STACK = 20_000
const MAX_TIMERS = 200
const { parse, stringify } = JSON
const { prototype: errorPrototype } = Error

// --- Printing ----------------------------------------------------------------------------------

/** @param {unknown} value */
function show(value) {
  if (typeof value === 'string') return value
  try {
    return stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const print = (/** @type {unknown[]} */ ...parts) =>
  host.print(parts.map(show).join(' ').slice(0, MAX_LINE))
const onError = (/** @type {unknown} */ error) => print(describeShort(error))

/** @param {unknown} error */
function describeShort(error) {
  try {
    return String(error).slice(0, MAX_LINE)
  } catch {
    return 'an error that cannot be read'
  }
}

// --- Timers ------------------------------------------------------------------------------------

/** @type {Map<number, {fn: Function, args: unknown[], repeats: boolean}>} */
const timers = new Map()

const start =
  (/** @type {boolean} */ repeats) =>
  (/** @type {Function} */ fn, delay = 0, /** @type {unknown[]} */ ...args) => {
    if (typeof fn !== 'function') throw new TypeError('a timer needs a function')
    if (timers.size >= MAX_TIMERS) throw new Error(`more than ${MAX_TIMERS} timers`)
    const id = host.timer(Number(delay) || 0, repeats)
    timers.set(id, { fn, args, repeats })
    return id
  }
const stop = (/** @type {number} */ id) => {
  if (timers.delete(id)) host.untimer(id)
}

/** @param {number} id */
async function fire(id) {
  const timer = timers.get(id)
  if (!timer) return
  if (!timer.repeats) timers.delete(id)
  try {
    await timer.fn(...timer.args)
  } catch (error) {
    onError(error)
  }
}

// --- Primitives --------------------------------------------------------------------------------

const { bot, happened } = createBot(onError)

/** @param {string} name @param {(...args: any[]) => Promise<unknown>} perform */
function primitive(name, perform) {
  const checked = (/** @type {unknown} */ first, /** @type {unknown[]} */ ...args) => {
    if (first !== bot) throw new Error(`the first argument of ${name} must be bot`)
    return perform(...args)
  }
  return Object.freeze(Object.defineProperty(checked, 'name', { value: name }))
}

const PLAIN = ['checkItemInsideChest', 'craftItem', 'depositItemIntoChest', 'getItemFromChest']
PLAIN.push('givePlacedItemBack', 'goTo', 'killMob', 'mineBlock', 'placeItem', 'sendSignal')
PLAIN.push('smeltItem', 'useBlock')

/**
 * The functions and their results stay in the engine: the body learns only whether a function found
 * something.
 */
const withFunctions = {
  /** @param {unknown} direction @param {unknown} time @param {any} look */
  async exploreUntil(direction, time, look = () => null) {
    if (typeof look !== 'function') throw new Error('exploreUntil needs a function to look with')
    /** @type {unknown} */
    let found = null
    /** @type {{error: unknown} | null} */
    let failed = null
    const watch = async () => {
      try {
        found = await look()
      } catch (error) {
        failed = { error }
      }
      return Boolean(found || failed)
    }
    Object.defineProperty(watch, 'name', { value: look.name })
    await call('exploreUntil', direction, time, watch)
    if (failed) throw /** @type {{error: unknown}} */ (failed).error
    return found || null
  },
  /** @param {any} task @param {unknown} from @param {unknown} name */
  async waitSignal(task, from, name) {
    if (task !== undefined && task !== null) {
      if (typeof task !== 'function') throw new Error('waitSignal needs a function to run, or null')
      await task()
    }
    return call('waitSignal', from, name)
  }
}

const primitives = Object.fromEntries([
  ...PLAIN.map((name) => [name, primitive(name, (...args) => call(name, ...args))]),
  ...Object.entries(withFunctions).map(([name, fn]) => [name, primitive(name, fn)])
])

/** @param {number} ask @param {number} id number under which the body knows the function */
async function lookFor(ask, id) {
  host.answer(ask, Boolean(await callbacks[id]?.()))
}

// --- The room ----------------------------------------------------------------------------------

/** Replace `Math.random` by a generator with the run's seed. @param {number} seed */
function seedMath(seed) {
  let state = seed >>> 0
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

seedMath(setting.seed)
const ROOM = {
  bot,
  Vec3,
  mcData,
  require,
  console: Object.freeze({ log: print, info: print, warn: print, error: print, debug: print }),
  setTimeout: start(false),
  setInterval: start(true),
  clearTimeout: stop,
  clearInterval: stop,
  ...goalMakers,
  ...primitives
}
for (const [name, value] of Object.entries(ROOM)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
}
for (const name of ['SharedArrayBuffer', 'Atomics', 'queueMicrotask', 'performance']) {
  Reflect.deleteProperty(globalThis, name)
}
// A program that overwrites one of these by mistake gets an error; each program has separate
// copies.
for (const shared of [Array.prototype, Promise, Promise.prototype, JSON, Date, Math, Reflect]) {
  Object.freeze(shared)
}
for (const shared of [Object.prototype, Function.prototype]) Object.preventExtensions(shared)

/** Convert an error to data. @param {any} error */
function describe(error) {
  const own = typeof error === 'object' && error !== null && errorPrototype.isPrototypeOf(error)
  const message = String(own ? error.message : show(error)).slice(0, MAX_MESSAGE)
  return { message, stack: own ? String(error.stack).slice(0, MAX_STACK) : '' }
}

/** @param {'done' | 'error'} status @param {unknown} [error] */
function end(status, error) {
  let described = null
  try {
    described = status === 'error' ? describe(error) : null
  } catch {
    described = { message: 'an error that cannot be read', stack: '' }
  }
  host.ended(stringify({ status, error: described }))
}

/** Entries that the engine's thread calls; each call reads the world again. */
const entries = {
  /** @param {Promise<unknown>} program */
  begin: (program) =>
    program.then(
      () => end('done'),
      (error) => end('error', error)
    ),
  settle,
  fire,
  lookFor,
  /** @param {string} event @param {string} args JSON */
  happened: (event, args) => happened(event, incoming(parse(args))),
  waitsAt: () => String(waitsAt()).slice(0, MAX_STACK)
}
const called = Object.fromEntries(
  Object.entries(entries).map(([name, entry]) => [
    name,
    (/** @type {any[]} */ ...args) => {
      freshen()
      return /** @type {Function} */ (entry)(...args)
    }
  ])
)
Object.defineProperty(globalThis, 'entries', { value: called, configurable: true })
