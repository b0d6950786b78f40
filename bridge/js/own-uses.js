/** How often a bot has used and dropped each item, as counted by the server. */

/** @import { Bot } from './types.d.ts' */

/** Ids of categories in the server's statistics. */
const USED = 2
const DROPPED = 5

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
    /** Counts so far, by category and item. @type {Map<string, number>} */
    this.known = new Map()
    /** Receives the number of dropped items. @type {(item: number, count: number) => void} */
    this.dropped = () => {}
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
      const key = `${categoryId},${statisticId}`
      const rise = value - (this.known.get(key) ?? 0)
      this.known.set(key, value)
      if (categoryId === USED) rises.set(statisticId, rise)
      if (categoryId === DROPPED) this.dropped(statisticId, rise)
    }
    this.asked.shift()?.(rises)
  }
}
