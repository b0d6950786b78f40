/** A bot's items, as the server reports them, not as Mineflayer guesses them. */
import { createRequire } from 'node:module'

/** @import { Bot, Item } from './types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

const OWN_WINDOW = 0
/** A window number that no window has. */
const NOBODYS = -2
/**
 * End of a drag that never began, with an unknown state id: the server answers it with the items in
 * all slots.
 */
export const QUESTION = { windowId: OWN_WINDOW, stateId: -1, slot: -999, mouseButton: 2, mode: 5 }
/** Time limit for the server to answer. */
const CONFIRM_MS = 5_000

/**
 * Receives the slots of the bot's own window, after the server has processed all earlier requests.
 * @typedef {(slots: (Item | null)[], cursor: Item | null) => void} Told
 */

/** Asks the server for the bot's items while no other window is open. */
export class OwnItems {
  /** @param {Bot} bot */
  constructor(bot) {
    this.bot = bot
    this.client = /** @type {any} */ (bot._client)
    this.Item = loadItems(bot.registry)
    /**
     * Questions that have not been sent yet: the bot asks one at a time, so that each answer
     * belongs to its question.
     * @type {Told[]}
     */
    this.waiting = []
    /**
     * The question that was sent.
     * @type {{told: Told, slots: (Item | null)[], timer: NodeJS.Timeout} | null}
     */
    this.asked = null
    // This must run before Mineflayer's own listeners.
    this.client.prependListener('window_items', (/** @type {any} */ packet) => this.hear(packet))
    this.client.prependListener('set_slot', (/** @type {any} */ packet) => {
      if (packet.windowId !== OWN_WINDOW || !this.asked) return
      this.asked.slots[packet.slot] = this.Item.fromNotch(packet.item)
    })
    // The server does not answer for the bot's own window while another one is open.
    bot.on('windowOpen', () => this.putOff())
    bot.on('windowClose', () => void setImmediate(() => this.askNext()))
    bot.on('death', () => this.forget()) // the server does not answer dead players
    bot.once('end', () => this.forget())
  }

  /** @param {Told} told called once the server has answered; never called if it does not */
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
   * Pass on only what differs from what Mineflayer believed when it asked; a full update would undo
   * its clicks since then.
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

  /**
   * Ask again after a window has opened, because the server never answers a question that was
   * pending then.
   */
  putOff() {
    if (!this.asked) return
    clearTimeout(this.asked.timer)
    this.waiting.unshift(this.asked.told)
    this.asked = null
  }

  /** Drop all questions and ignore late answers. */
  forget() {
    clearTimeout(this.asked?.timer)
    this.asked = null
    this.waiting = []
  }
}
