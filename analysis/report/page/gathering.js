/** Digging, placing, carrying and picking up put together in one line: "mined 4 iron ore". */

/** @typedef {import('./model.js').Told} Told */
/** @typedef {{action: string, item: string, count: number, is_counted: boolean}} Gathered */
/** @typedef {Told & {together?: Gathered[]}} Line */

/** A line is of so many seconds at most. */
const TOGETHER_S = 15
const WORDS = /** @type {Record<string, string>} */ ({
  dug: 'mined',
  placed: 'placed',
  took: 'took',
  put: 'put away',
  collected: 'picked up'
})

/** Puts lines together that come from the newest to the oldest. */
export class Gathering {
  /** The open line of each agent. @type {Map<string, Line>} */
  #open = new Map()

  /** The line that a row becomes; null where it went into an earlier one. @param {Told} told @returns {Line | null} */
  take(told) {
    const agent = told.agent ?? ''
    const part = told.detail?.item && told.detail.action ? told.detail : null
    const open = this.#open.get(agent)
    if (!part) {
      this.#open.delete(agent)
      return told
    }
    if (open && open.t - told.t <= TOGETHER_S) {
      open.together?.push(part)
      return null
    }
    const line = { ...told, together: [part] }
    this.#open.set(agent, line)
    return line
  }
}

/** The words of a line. @param {Line} line */
export function wordsOf({ text, together }) {
  if (!together) return text
  /** @type {Map<string, [number, number]>} what a body says and what the world counted */
  const sums = new Map()
  for (const { action, item, count, is_counted: isCounted } of together) {
    const key = `${WORDS[action] ?? action}|${item}`
    const sum = sums.get(key) ?? [0, 0]
    sum[Number(isCounted)] += count
    sums.set(key, sum)
  }
  const phrases = [...sums].map(([key, counts]) => {
    const [action, item] = key.split('|')
    return `${action} ${Math.max(...counts)} ${item.replaceAll('_', ' ')}`
  })
  return phrases.sort().join(', ')
}
