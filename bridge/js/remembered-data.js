/**
 * What is known of a version of the game, once for all bots of a thread. Upstream looks its data up anew
 * each time it is asked, which physics does for each bot and tick, and makes each bot its own registry and
 * classes of items, windows, chat, land and more.
 */
import { replaceExport } from './upstream.js'

/**
 * Packages whose export makes something of a version, or of a registry. The one registry takes over what a
 * server says of its dimensions and biomes at each login: all bots of a thread are on one server.
 */
const MAKERS = ['minecraft-data', 'prismarine-registry', 'prismarine-block', 'prismarine-item']
MAKERS.push('prismarine-chat', 'prismarine-entity', 'prismarine-windows', 'prismarine-recipe')
MAKERS.push('prismarine-world', 'prismarine-chunk')

/** Has all that is loaded after this remember the answers. */
export function rememberData() {
  for (const name of MAKERS) replaceExport(name, remembering)
}

/**
 * The same function, which answers at once what it was asked before.
 * @param {(asked: any, preNetty?: boolean) => any} make
 * @returns {(asked: any, preNetty?: boolean) => any}
 */
export function remembering(make) {
  /** By the version's name. @type {Map<string, object>} */
  const ofNames = new Map()
  /** By the registry. @type {WeakMap<object, object>} */
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
