/**
 * Cache for a game version's data, shared by all bots in a thread. Upstream looks its data up on
 * each request, which physics makes for each bot and tick. It also builds a registry and classes
 * for items, windows, chat, land and more for each bot.
 */
import { keepRequired, replaceExport } from './upstream.js'

/**
 * Packages whose export builds something for a version or a registry. They all get the same
 * registry, which receives a server's dimensions and biomes at each login; all bots in a thread are
 * on one server.
 */
const MAKERS = ['minecraft-data', 'prismarine-registry', 'prismarine-block', 'prismarine-item']
MAKERS.push('prismarine-chat', 'prismarine-entity', 'prismarine-windows', 'prismarine-recipe')
MAKERS.push('prismarine-world', 'prismarine-chunk')

/** Apply this to every copy of these packages that is loaded later. */
export function cacheData() {
  for (const name of MAKERS) replaceExport(name, memoized)
  keepRequired('prismarine-physics')
}

/**
 * Memoize a function by its first argument.
 * @param {(asked: any, preNetty?: boolean) => any} make
 * @returns {(asked: any, preNetty?: boolean) => any}
 */
export function memoized(make) {
  /** Results by name of the version. @type {Map<string, object>} */
  const ofNames = new Map()
  /** By registry. @type {WeakMap<object, object>} */
  const ofRegistries = new WeakMap()
  return (asked, preNetty) => {
    const answers = /** @type {Map<any, object>} */ (
      typeof asked === 'string' ? ofNames : ofRegistries
    )
    if (preNetty || !['string', 'object'].includes(typeof asked)) return make(asked, preNetty)
    const answer = answers.get(asked) ?? make(asked)
    if (answer) answers.set(asked, answer)
    return answer
  }
}
