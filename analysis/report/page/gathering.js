/** Merges events of digging, placing, carrying and picking up into one line: "mined 4 iron ore". */

/** @typedef {import('./model.js').Told} Told */
/** @typedef {{action: string, item: string, count: number, is_counted: boolean}} Gathered */
/** @typedef {Told & {together?: Gathered[], since?: number}} Line a merged line covers the time since `since` */

/** Maximum time in seconds that a merged line covers. */
const TOGETHER_S = 15
const WORDS = /** @type {Record<string, string>} */ ({
  dug: 'mined',
  placed: 'placed',
  took: 'took',
  put: 'put away',
  collected: 'picked up'
})

/** Return the key of a count. @param {string} action @param {string} item */
export const keyed = (action, item) => `${action}|${item}`

/** Merges lines, which must arrive from newest to oldest. */
export class Gathering {
  /** For each agent, the line that can still be extended. @type {Map<string, Line>} */
  #open = new Map()
  #counted

  /** @param {Set<string>} counted counts that the world itself reports in this run; bodies report the same counts a moment earlier */
  constructor(counted) {
    this.#counted = counted
  }

  /**
   * Return the line for a row; null if the row was merged into another line.
   * @param {Told} told @returns {Line | null}
   */
  take(told) {
    const agent = told.agent ?? ''
    const part = told.detail?.item && told.detail.action ? told.detail : null
    const open = this.#open.get(agent)
    if (!part) {
      this.#open.delete(agent)
      return told
    }
    if (!part.is_counted && this.#counted.has(keyed(part.action, part.item))) return null
    if (open && open.t - told.t <= TOGETHER_S) {
      open.together?.push(part)
      open.since = told.t
      return null
    }
    const line = { ...told, together: [part] }
    this.#open.set(agent, line)
    return line
  }
}

/** Return a line's text. @param {Line} line */
export function wordsOf({ text, together }) {
  if (!together) return text
  /** @type {Map<string, number>} */
  const sums = new Map()
  for (const { action, item, count } of together) {
    const phrase = `${WORDS[action] ?? action}|${item.replaceAll('_', ' ')}`
    sums.set(phrase, (sums.get(phrase) ?? 0) + count)
  }
  const phrases = [...sums].map(([key, count]) => key.replace('|', ` ${count} `))
  return phrases.sort().join(', ')
}
