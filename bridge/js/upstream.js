/** Packages of others, changed from outside: none of them is forked. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Has everything that loads a CommonJS package after this get another function in its place, which keeps
 * the properties of the package's own.
 * @param {string} name of the package, whose export is a function
 * @param {(upstream: any) => (...args: any[]) => unknown} wrap makes the function from the package's
 */
export function replaceExport(name, wrap) {
  const upstream = require(name)
  const module = /** @type {NodeModule} */ (require.cache[require.resolve(name)])
  module.exports = Object.assign(wrap(upstream), upstream)
}
