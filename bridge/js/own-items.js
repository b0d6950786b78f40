/** What a bot has, as the server answers it and not as Mineflayer guesses. */
import { createRequire } from 'node:module'

/** @import { Bot, Item } from './types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

const OWN_WINDOW = 0
/** The number of no window. */
const NOBODYS = -2
/** The end of a drag that never began, of a client that knows nothing: the server answers with all that is there. */
export const QUESTION = { windowId: OWN_WINDOW, stateId: -1, slot: -999, mouseButton: 2, mode: 5 }
/** How long the server may take to answer. */
const CONFIRM_MS = 5_000

/**
 * What is in the bot's own window, slot by slot, once the server has done all that was asked of it before.
 * @typedef {(slots: (Item | null)[], cursor: Item | null) => void} Told
 */

/** Asks the server what a bot has, while no other window is open. */
export class OwnItems {
  /** @param {Bot} bot */
  constructor(bot) {
    this.bot = bot
    this.client = /** @type {any} */ (bot._client)
    this.Item = loadItems(bot.registry)
    /** Questions still to be asked: one at a time, so that each answer is its question's. @type {Told[]} */
    this.waiting = []
    /** The one that the server has been asked. @type {{told: Told, slots: (Item | null)[], timer: NodeJS.Timeout} | null} */
    this.asked = null
    // Before Mineflayer hears them.
    this.client.prependListener('window_items', (/** @type {any} */ packet) => this.hear(packet))
    this.client.prependListener('set_slot', (/** @type {any} */ packet) => {
      if (packet.windowId !== OWN_WINDOW || !this.asked) return
      this.asked.slots[packet.slot] = this.Item.fromNotch(packet.item)
    })
    // A server does not answer for the bot's own window while another is open.
    bot.on('windowOpen', () => this.putOff())
    bot.on('windowClose', () => void setImmediate(() => this.askNext()))
    bot.on('death', () => this.forget()) // a server does not answer the dead
    bot.once('end', () => this.forget())
  }

  /** @param {Told} told called once the server has answered, or never */
  ask(told) {
    this.waiting.push(told)
    this.askNext()
  }

  askNext() {
    if (this.asked || this.bot.currentWindow) return
    const told = this.waiting.shift()
    if (!told) return
    const timer = setTimeout(() => this.forget(), CONFIRM_MS)
    this.asked = { told, slots: [...this.bot.inventory.slots], timer }
    const cursorItem = this.Item.toNotch(null)
    this.client.write('window_click', { ...QUESTION, changedSlots: [], cursorItem })
  }

  /**
   * Mineflayer is told only of what is not as it believed then: its clicks since would be undone.
   * @param {{windowId: number, stateId: number, items: object[], carriedItem: object}} packet
   */
  hear(packet) {
    if (packet.windowId !== OWN_WINDOW) return
    const { asked } = this
    if (!asked) return
    this.asked = null
    clearTimeout(asked.timer)
    packet.windowId = NOBODYS
    const { items, stateId } = packet
    const slots = items.map((item) => this.Item.fromNotch(item))
    asked.told(slots, this.Item.fromNotch(packet.carriedItem))
    slots.forEach((item, slot) => {
      if (this.Item.equal(item, asked.slots[slot], true)) return
      this.client.emit('set_slot', { windowId: OWN_WINDOW, stateId, slot, item: items[slot] })
    })
    this.askNext()
  }

  /** What the server had not answered when it opened a window it will not answer: it is asked again. */
  putOff() {
    if (!this.asked) return
    clearTimeout(this.asked.timer)
    this.waiting.unshift(this.asked.told)
    this.asked = null
  }

  /** Gives up what was asked: a late answer is nobody's. */
  forget() {
    clearTimeout(this.asked?.timer)
    this.asked = null
    this.waiting = []
  }
}
