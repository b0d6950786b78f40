/** minecraft-data looks a version up anew each time it is asked, and physics asks for each bot and tick. */
import { replaceExport } from './upstream.js'

/** Has all that is loaded after this remember the answers. */
export function rememberData() {
  replaceExport('minecraft-data', remembering)
}

/**
 * The same function, which answers at once what it was asked before. Upstream answers with the same
 * object each time, too.
 * @param {(version: any, preNetty?: boolean) => object | null} lookUp minecraft-data's
 * @returns {(version: any, preNetty?: boolean) => object | null}
 */
export function remembering(lookUp) {
  /** @type {Map<string, object>} */
  const answers = new Map()
  return (version, preNetty) => {
    if (typeof version !== 'string' || preNetty) return lookUp(version, preNetty)
    const answer = answers.get(version) ?? lookUp(version)
    if (answer) answers.set(version, answer)
    return answer
  }
}
