/** @import { Libraries } from '../types.d.ts' */

/**
 * The membrane: what agent code holds of the outside world.
 *
 * Everything that comes out of the bot is wrapped: readable, never writable, and dead the moment
 * the run ends. Of its methods only those in `METHODS` are there. Vec3 values, arrays, maps and
 * sets are handed over as copies, so that they behave as agents expect and changing them changes
 * nothing outside.
 *
 * What comes in is hostile. Nothing here calls a method of an agent's object: an array with a
 * `map` of its own, or a promise with a `then` of its own, would be handed our functions.
 */

/** Never handed over: ways to constructors and to event emitters. */
const HIDDEN = new Set(['constructor', 'prototype', 'client'])

/** The methods of containers and furnaces that send something to the server. */
const ACTING_METHODS = [
  'close',
  'deposit',
  'putFuel',
  'putInput',
  'takeFuel',
  'takeInput',
  'takeOutput',
  'withdraw'
]

/** The methods of objects behind the bot that agents may call; all others change its inside. */
const METHODS = new Set([
  ...['canHarvest', 'digTime', 'getProperties', 'getSignText'], // blocks
  ...['getCustomName', 'getDroppedItem'], // entities
  ...['containerCount', 'containerItems', 'count', 'countRange', 'emptySlotCount'], // windows
  ...['findContainerItem', 'findInventoryItem', 'findItemRange', 'findItemsRange'],
  ...['firstEmptyContainerSlot', 'firstEmptyHotbarSlot', 'firstEmptyInventorySlot', 'items'],
  ...['fuelItem', 'inputItem', 'outputItem'], // furnaces
  ...ACTING_METHODS,
  ...['isNewerOrEqualTo', 'isOlderThan', 'supportFeature'], // data
  ...['toJSON', 'toString']
])

/** @param {string | symbol} key */
const isHidden = (key) => typeof key === 'symbol' || HIDDEN.has(key) || key.startsWith('_')

/**
 * Makes the membrane of one run.
 *
 * One long function on purpose: what can turn a wrapper into its original (`originals`, `unwrap`)
 * lives in this closure alone, where neither agents' code nor a later edit of another file reaches it.
 * @param {object} options
 * @param {() => void} options.check throws once the run is over
 * @param {() => boolean} options.alive
 * @param {() => void} options.act called before anything is sent to the server; may refuse
 * @param {Libraries['Vec3']} options.Vec3
 */
export function createMembrane({ check, alive, act, Vec3 }) {
  /** @type {WeakMap<object, object>} */
  const wrappers = new WeakMap()
  /** @type {WeakMap<object, object>} */
  const originals = new WeakMap()

  /** Calls that have not come back. @type {Set<Error>} */
  const pending = new Set()

  const isPrimitive = (/** @type {unknown} */ value) =>
    value === null || (typeof value !== 'object' && typeof value !== 'function')

  /** Outside → agent. @param {any} value @returns {any} */
  function wrap(value) {
    if (isPrimitive(value)) return value
    if (originals.has(value)) return value // already one of ours
    if (value instanceof Vec3) return new Vec3(value.x, value.y, value.z)
    if (value instanceof Promise) return gate(value)
    if (value instanceof Error) return new Error(value.message)
    if (Array.isArray(value)) return value.map(wrap)
    if (value instanceof Map) return new Map([...value].map(wrap))
    if (value instanceof Set) return new Set([...value].map(wrap))
    if (!wrappers.has(value)) {
      const shadow = typeof value === 'function' ? () => {} : {}
      const wrapper = new Proxy(shadow, handler(value))
      wrappers.set(value, wrapper)
      originals.set(wrapper, value)
    }
    return wrappers.get(value)
  }

  /**
   * A promise of the outside as the agent gets it. Its failure is an error of the agent's own with
   * the place of the call, which a trace after waiting does not have. Once the run is over it never
   * settles: nothing that comes to pass outside sets code going whose run has ended.
   * @param {Promise<any>} promise
   */
  function gate(promise) {
    const site = new Error()
    pending.add(site)
    const settle = (/** @type {(value: any) => void} */ how, /** @type {() => any} */ make) => {
      pending.delete(site)
      if (alive()) how(make())
    }
    return new Promise((resolve, reject) => {
      const failure = (/** @type {any} */ error) => {
        const own = new Error(error?.message ?? String(error))
        own.stack = `${own.message}\n${site.stack}`
        return own
      }
      promise.then(
        (value) => settle(resolve, () => wrap(value)),
        (error) => settle(reject, () => failure(error))
      )
    })
  }

  /** Where the agent's code waits for the outside, its last call first; a stack trace. */
  const waitsAt = () => [...pending].at(-1)?.stack ?? ''

  /** Agent → outside. @param {any} value @returns {any} */
  function unwrap(value) {
    if (isPrimitive(value)) return value
    if (originals.has(value)) return originals.get(value)
    if (value instanceof Vec3) return new Vec3(Number(value.x), Number(value.y), Number(value.z))
    if (value instanceof Promise) return (async () => unwrap(await value))()
    if (typeof value === 'function') return callback(value)
    if (Array.isArray(value)) return listOf(value)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unwrap(inner)]))
  }

  /** @param {any[]} agents */
  function listOf(agents) {
    const list = []
    for (let index = 0; index < agents.length; index++) list.push(unwrap(agents[index]))
    return list
  }

  /**
   * An argument: a NaN in what is sent to a server gets the bot kicked.
   * @param {any} value @param {string} name of the method
   */
  function argument(value, name) {
    const inner = unwrap(value)
    const numbers = inner instanceof Vec3 ? [inner.x, inner.y, inner.z] : [inner]
    if (numbers.some((number) => typeof number === 'number' && !Number.isFinite(number))) {
      throw new TypeError(`${name} was given a number that is not finite`)
    }
    return inner
  }

  /** A function of the agent's that the outside may call while the run lasts. @param {Function} fn */
  function callback(fn) {
    return (/** @type {unknown[]} */ ...args) =>
      alive() ? unwrap(Reflect.apply(fn, undefined, args.map(wrap))) : undefined
  }

  /** A property's value, unless it is a method that agents have no business with. @param {any} value @param {any} key */
  const shown = (value, key) =>
    typeof value === 'function' && !METHODS.has(key) ? undefined : wrap(value)

  /** @param {any} original @returns {ProxyHandler<any>} */
  function handler(original) {
    const refuse = () => {
      throw new TypeError('this object is read-only')
    }
    return {
      get(_shadow, key) {
        check()
        return isHidden(key) ? undefined : shown(Reflect.get(original, key, original), key)
      },
      has: (_shadow, key) => !isHidden(key) && Reflect.has(original, key),
      ownKeys: () => Reflect.ownKeys(original).filter((key) => !isHidden(key) && key !== 'length'),
      getOwnPropertyDescriptor(_shadow, key) {
        if (isHidden(key) || key === 'length' || !Object.hasOwn(original, key)) return undefined
        const value = shown(Reflect.get(original, key, original), key)
        return { value, enumerable: true, configurable: true, writable: false }
      },
      getPrototypeOf: () => null,
      apply(_shadow, self, args) {
        check()
        if (ACTING_METHODS.includes(original.name)) act()
        const inner = args.map((/** @type {any} */ arg) => argument(arg, original.name))
        return guarded(() => Reflect.apply(original, unwrap(self), inner))
      },
      set: refuse,
      defineProperty: refuse,
      deleteProperty: refuse,
      setPrototypeOf: refuse
    }
  }

  /** @param {() => any} call */
  function guarded(call) {
    try {
      return wrap(call())
    } catch (error) {
      throw wrap(error)
    }
  }

  /**
   * A method as a plain function, whose failures carry the place of the call.
   * @param {any} owner
   * @param {string} name
   */
  function method(owner, name) {
    return (/** @type {unknown[]} */ ...args) => {
      check()
      const inner = args.map((arg) => argument(arg, name))
      return guarded(() => Reflect.apply(owner[name], owner, inner))
    }
  }

  /** A method that sends something to the server. @param {any} owner @param {string} name */
  function action(owner, name) {
    const call = method(owner, name)
    return (/** @type {unknown[]} */ ...args) => {
      check()
      act()
      return call(...args)
    }
  }

  return { wrap, unwrap, gate, waitsAt, method, action }
}
