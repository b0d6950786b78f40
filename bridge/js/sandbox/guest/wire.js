/**
 * Inside the engine: the connection to the body. Data goes out, data comes in.
 *
 * Everything in this folder runs in the agent's engine together with its program, so it is
 * untrusted: the receiver checks everything that it sends.
 */

/**
 * @typedef {object} Host functions that the engine's thread provides
 * @property {(name: string, args: string) => string} ask calls the body and waits: JSON of {value}
 *   or {error}
 * @property {(name: string, args: string) => number} call calls the body; `settle` comes later
 * @property {(line: string) => void} print
 * @property {(ms: number, repeats: boolean) => number} timer
 * @property {(id: number) => void} untimer
 * @property {(event: string, on: boolean) => void} listen
 * @property {(ask: number, found: boolean) => void} answer to a callback
 * @property {(outcome: string) => void} ended
 * @property {string} setting JSON: username, version, seed
 */

/** @type {Host} */
export const host = /** @type {any} */ (globalThis).host
Reflect.deleteProperty(globalThis, 'host')
export const setting = JSON.parse(host.setting)

const MAX_DEPTH = 6
const MAX_PARTS = 2000
/** Maximum length of an outgoing text; no call needs more. */
const MAX_STRING = 10_000
const { parse, stringify } = JSON

/** References to objects of the world, by object. @type {WeakMap<object, object>} */
const references = new WeakMap()
/** Constructors for incoming data, by mark. @type {Record<string, (value: any) => unknown>} */
export const makers = {}

/** @template {object} Thing @param {Thing} thing @param {object} reference @returns {Thing} */
export function refer(thing, reference) {
  references.set(thing, reference)
  return thing
}

/** Functions that the body may call by number. @type {Function[]} */
export const callbacks = []

/**
 * @param {any} value @param {{name: string, left: number}} budget @param {number} depth
 * @returns {any}
 */
function outgoing(value, budget, depth) {
  if (value === undefined) return { $: 'u' }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${budget.name} was given a number that is not finite`)
  }
  if (typeof value === 'string') return value.slice(0, MAX_STRING)
  if (value === null || ['number', 'boolean'].includes(typeof value)) return value
  if (typeof value === 'function')
    return { $: 'f', id: callbacks.push(value) - 1, name: value.name }
  if (typeof value !== 'object') throw new TypeError(`${budget.name} takes no ${typeof value}`)
  const reference = references.get(value)
  if (reference) return reference
  if (value instanceof Promise) throw new TypeError(`${budget.name} takes no promise: await it`)
  if (depth >= MAX_DEPTH || --budget.left < 0) {
    throw new TypeError(`${budget.name} was given too much data`)
  }
  if (makers.isVector?.(value)) {
    const [x, y, z] = [value.x, value.y, value.z].map((part) => outgoing(part, budget, depth + 1))
    return { $: 'v', x, y, z }
  }
  if (Array.isArray(value)) {
    const list = []
    for (let index = 0; index < value.length; index++) {
      list.push(outgoing(value[index], budget, depth + 1))
    }
    return list
  }
  /** @type {[string, unknown][]} */
  const entries = Object.keys(value).map((key) => [key, outgoing(value[key], budget, depth + 1)])
  return Object.fromEntries(entries)
}

/** @param {any} value @returns {any} */
export function incoming(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(incoming)
  if (typeof value.$ === 'string') return makers[value.$](value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, incoming(inner)]))
}

/**
 * Encode a value to send.
 * @param {string} name of the function that gets this argument @param {unknown} value
 */
export const pack = (name, value) => outgoing(value, { name, left: MAX_PARTS }, 0)

/** @param {string} name @param {unknown[]} args */
const packed = (name, args) => stringify(args.map((value) => pack(name, value)))

/** @param {string} name @param {unknown[]} args @returns the answer as data, for `incoming` */
export function askRaw(name, ...args) {
  const answer = parse(host.ask(name, packed(name, args)))
  if (answer.error !== undefined) throw new Error(answer.error)
  return answer.value
}

/**
 * Call the body and wait for its answer.
 * @param {string} name @param {unknown[]} args @returns {any}
 */
export const ask = (name, ...args) => incoming(askRaw(name, ...args))

/**
 * Like `ask`, for calls that change something: cached reads are discarded.
 * @param {string} name @param {unknown[]} args @returns {any}
 */
export function act(name, ...args) {
  freshen()
  return ask(name, ...args)
}

/**
 * Pending calls.
 * @type {Map<number, {site: Error, resolve: (value: any) => void, reject: (error: Error) => void}>}
 */
const pending = new Map()

/**
 * Call the body. A failure becomes an error that includes the position of the call, which a stack
 * trace after an await would lack.
 * @param {string} name @param {unknown[]} args @returns {Promise<any>}
 */
export function call(name, ...args) {
  const site = new Error()
  const sent = packed(name, args)
  freshen()
  const id = host.call(name, sent)
  return new Promise((resolve, reject) => {
    pending.set(id, { site, resolve, reject })
  })
}

/** @param {number} id @param {string} answer JSON of {value} or {error} */
export function settle(id, answer) {
  const waiting = pending.get(id)
  pending.delete(id)
  if (!waiting) return
  const { value, error } = parse(answer)
  if (error === undefined) return waiting.resolve(incoming(value))
  const failure = new Error(error)
  failure.stack = waiting.site.stack
  waiting.reject(failure)
}

/** Return the stack trace of the last pending call: where the code is waiting. */
export const waitsAt = () => [...pending.values()].at(-1)?.site.stack ?? ''

/**
 * Counter that marks moments. The world does not change while code runs without awaiting, so reads
 * are cached for a moment.
 */
let moment = 0
/** @type {Map<string, {moment: number, value: any}>} */
const kept = new Map()

/** Discard cached reads. */
export const freshen = () => {
  moment++
}

/** @template T @param {string} name @param {() => T} read @returns {T} */
export function once(name, read) {
  const known = kept.get(name)
  if (known?.moment === moment) return known.value
  const value = read()
  kept.set(name, { moment, value })
  return value
}

export const now = () => moment
