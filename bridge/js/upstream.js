/** Changes to other packages at run time; no package is forked. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Replace the export of a CommonJS package for everything that loads it later; the replacement
 * keeps the properties of the package's own function.
 * @param {string} name of the package, whose export is a function
 * @param {(upstream: any) => (...args: any[]) => unknown} wrap makes the replacement from the package's function
 */
export function replaceExport(name, wrap) {
  const upstream = require(name)
  const module = /** @type {NodeModule} */ (require.cache[require.resolve(name)])
  module.exports = Object.assign(wrap(upstream), upstream)
}

/**
 * Keep what a CommonJS package requires while it runs. Node resolves a name anew on each call, and
 * the package of physics requires its data for each bot and tick.
 * @param {string} name
 */
export function keepRequired(name) {
  require(name)
  const module = /** @type {NodeModule} */ (require.cache[require.resolve(name)])
  const load = module.require.bind(module)
  /** @type {Map<string, unknown>} */
  const kept = new Map()
  module.require = (asked) => {
    if (!kept.has(asked)) kept.set(asked, load(asked))
    return kept.get(asked)
  }
}
