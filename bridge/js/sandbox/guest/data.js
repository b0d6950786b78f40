/** Inside the engine: large tables (blocks, items, recipes, …), fetched row by row on access. */
import { ask, askRaw, makers, refer } from './wire.js'

/** Methods of the tables that only look something up. */
const METHODS = ['isNewerOrEqualTo', 'isOlderThan', 'supportFeature']

/** @type {Map<string, object>} */
const tables = new Map()

const refuse = () => {
  throw new TypeError('this object is read-only')
}

/**
 * Return a proxy for a table of the body, such as ["mcData", "blocksByName"].
 * @param {string[]} path @returns {any}
 */
export function table(path) {
  const name = path.join('\n')
  const known = tables.get(name)
  if (known) return known
  /** @type {Map<string, unknown>} */
  const rows = new Map()
  /** @type {string[] | null} */
  let keys = null
  const read = (/** @type {string} */ key) => {
    if (!rows.has(key)) rows.set(key, shown(askRaw('data', path, key)))
    return rows.get(key)
  }
  const shadow = Object.create(null)
  const made = new Proxy(shadow, {
    get(_shadow, key) {
      if (typeof key === 'symbol') return key === Symbol.iterator ? iterator() : undefined
      // print only the name, because the content is megabytes
      if (key === 'toJSON') return () => `[${path.join('.')}]`
      if (METHODS.includes(key) && path.length === 1) {
        return (/** @type {unknown[]} */ ...args) => ask('dataMethod', path[0], key, args)
      }
      return read(key)
    },
    has: (_shadow, key) => typeof key === 'string' && ownKeys().includes(key),
    ownKeys: () => ownKeys(),
    getOwnPropertyDescriptor(_shadow, key) {
      if (typeof key === 'symbol' || !ownKeys().includes(key)) return undefined
      return { value: read(key), enumerable: true, configurable: true, writable: false }
    },
    getPrototypeOf: () => null,
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse
  })
  const ownKeys = () => (keys ??= askRaw('dataKeys', path))
  const iterator = () =>
    function* () {
      for (const key of ownKeys()) yield read(key)
    }
  tables.set(name, made)
  return refer(made, { $: 'd', path })
}

/** Return a read-only view of a row. @param {any} value @returns {any} */
function shown(value) {
  if (value === null || typeof value !== 'object') return value
  if (value.$ === 'd') return table(value.path)
  if (value.$ === 'u') return undefined
  for (const key of Object.keys(value)) value[key] = shown(value[key])
  return Object.freeze(value)
}

makers.d = ({ path }) => table(path)
makers.u = () => undefined
