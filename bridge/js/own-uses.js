/** How often a bot has used each item, as counted by the server. */

/** @import { Bot } from './types.d.ts' */

/** Id of the category "used" in the server's statistics. */
const USED = 2

/**
 * Receives the number of uses since the previous question, by item number.
 * @typedef {(rises: Map<number, number>) => void} Told
 */

/** Asks the server for statistics. It answers questions in order, each after all earlier requests. */
export class OwnUses {
  /** @param {Bot} bot */
  constructor(bot) {
    this.client = /** @type {any} */ (bot._client)
    /** @type {Told[]} */
    this.asked = []
    /** Number of uses so far, by item. @type {Map<number, number>} */
    this.known = new Map()
    this.client.on('statistics', (/** @type {any} */ packet) => this.hear(packet))
    this.ask(() => {}) // fetch the counts from before the bot joined
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
