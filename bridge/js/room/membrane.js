/**
 * The membrane: what agent code holds of the outside world.
 *
 * Everything that comes out of the bot is wrapped: readable, callable, never writable, and dead
 * the moment the run ends. Vec3 values and arrays are handed over as copies, so that they behave
 * as agents expect and changing them changes nothing outside.
 */

import { withCallSite } from './call-site.js'

/** Never handed over: ways to constructors, to private parts, and to event emitters. */
const HIDDEN = new Set([
  'constructor',
  'prototype',
  '__proto__',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
  'addListener',
  'client',
  'emit',
  'listeners',
  'off',
  'on',
  'once',
  'prependListener',
  'rawListeners',
  'removeAllListeners',
  'removeListener',
  'setMaxListeners'
])

/** @param {string | symbol} key */
const isHidden = (key) => typeof key === 'string' && (HIDDEN.has(key) || key.startsWith('_'))

/**
 * @param {object} options
 * @param {() => void} options.check throws once the run is over
 * @param {() => boolean} options.alive
 * @param {any} options.Vec3
 */
export function createMembrane({ check, alive, Vec3 }) {
  /** @type {WeakMap<object, object>} */
  const wrappers = new WeakMap()
  /** @type {WeakMap<object, object>} */
  const originals = new WeakMap()

  const isPrimitive = (/** @type {unknown} */ value) =>
    value === null || (typeof value !== 'object' && typeof value !== 'function')

  /** Outside → agent. @param {any} value @returns {any} */
  function wrap(value) {
    if (isPrimitive(value)) return value
    if (originals.has(value)) return value // already one of ours
    if (value instanceof Vec3) return new Vec3(value.x, value.y, value.z)
    if (value instanceof Promise) return value.then(wrap, rethrow)
    if (value instanceof Error) return new Error(value.message)
    if (Array.isArray(value)) return value.map(wrap)
    if (!wrappers.has(value)) {
      const shadow = typeof value === 'function' ? () => {} : {}
      const wrapper = new Proxy(shadow, handler(value))
      wrappers.set(value, wrapper)
      originals.set(wrapper, value)
    }
    return wrappers.get(value)
  }

  /** @param {any} error @returns {never} */
  function rethrow(error) {
    throw wrap(error)
  }

  /** Agent → outside. @param {any} value @returns {any} */
  function unwrap(value) {
    if (isPrimitive(value)) return value
    if (originals.has(value)) return originals.get(value)
    if (value instanceof Vec3) return new Vec3(value.x, value.y, value.z)
    if (value instanceof Promise) return value.then(unwrap)
    if (typeof value === 'function') return callback(value)
    if (Array.isArray(value)) return value.map(unwrap)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unwrap(inner)]))
  }

  /** A function of the agent's that the outside may call while the run lasts. @param {Function} fn */
  function callback(fn) {
    return (/** @type {unknown[]} */ ...args) =>
      alive() ? unwrap(Reflect.apply(fn, undefined, args.map(wrap))) : undefined
  }

  /** @param {any} original @returns {ProxyHandler<any>} */
  function handler(original) {
    const refuse = () => {
      throw new TypeError('this object is read-only')
    }
    return {
      get(_shadow, key) {
        check()
        return isHidden(key) ? undefined : wrap(Reflect.get(original, key, original))
      },
      has: (_shadow, key) => !isHidden(key) && Reflect.has(original, key),
      ownKeys: () => Reflect.ownKeys(original).filter((key) => !isHidden(key) && key !== 'length'),
      getOwnPropertyDescriptor(_shadow, key) {
        if (isHidden(key) || key === 'length' || !Object.hasOwn(original, key)) return undefined
        const value = wrap(Reflect.get(original, key, original))
        return { value, enumerable: true, configurable: true, writable: false }
      },
      getPrototypeOf: () => null,
      apply(_shadow, self, args) {
        check()
        return guarded(() => Reflect.apply(original, unwrap(self), args.map(unwrap)))
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
      return rethrow(error)
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
      const result = guarded(() => Reflect.apply(owner[name], owner, args.map(unwrap)))
      return result instanceof Promise ? withCallSite(() => result) : result
    }
  }

  return { wrap, unwrap, method }
}
