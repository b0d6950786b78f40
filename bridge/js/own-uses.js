/** How often a bot has used which item, as the server counts it. */

/** @import { Bot } from './types.d.ts' */

/** The number of what was used among a server's statistics. */
const USED = 2

/**
 * The items that were used since the question before, by their numbers, and how often.
 * @typedef {(rises: Map<number, number>) => void} Told
 */

/** Asks the server for its statistics: it answers each question, in turn, once it has done all that was asked of it before. */
export class OwnUses {
  /** @param {Bot} bot */
  constructor(bot) {
    this.client = /** @type {any} */ (bot._client)
    /** @type {Told[]} */
    this.asked = []
    /** How often each was used so far. @type {Map<number, number>} */
    this.known = new Map()
    this.client.on('statistics', (/** @type {any} */ packet) => this.hear(packet))
    this.ask(() => {}) // what was counted before it joined
  }

  /** @param {Told} told called once the server has answered */
  ask(told) {
    this.asked.push(told)
    this.client.write('client_command', { actionId: 'request_stats' })
  }

  /** @param {{entries: {categoryId: number, statisticId: number, value: number}[]}} packet */
  hear({ entries }) {
    /** @type {Map<number, number>} */
    const rises = new Map()
    for (const { categoryId, statisticId, value } of entries) {
      if (categoryId !== USED) continue
      rises.set(statisticId, value - (this.known.get(statisticId) ?? 0))
      this.known.set(statisticId, value)
    }
    this.asked.shift()?.(rises)
  }
}
