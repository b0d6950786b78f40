/** What goes between a bot and containers, as the server says it and not as Mineflayer guesses. */
import { createRequire } from 'node:module'
import { countByName } from './observe.js'

/** @import { Bot, Emit, Item, Window } from './types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

/** The window of the bot's own items, and where in it those are that every container's window shows, too. */
const OWN_WINDOW = 0
const CARRIED = { start: 9, end: 45 }
/** The slot that stands for the place beside a window. */
const OUTSIDE = -999
/** The end of a drag that never began, of a client that knows nothing: the server answers with all that is there. */
const QUESTION = { windowId: OWN_WINDOW, stateId: -1, slot: OUTSIDE, mouseButton: 2, mode: 5 }
/** How long the server may take to answer. */
const CONFIRM_MS = 5_000
/** The number of no window. */
const NOBODYS = -2

/**
 * One visit to a container.
 * @typedef {object} Visit
 * @property {string} container
 * @property {Record<string, number>} before what the bot had, and what it got and lost otherwise since
 * @property {Set<string>} thrown what it threw away, as far as Mineflayer knows
 * @property {boolean} isCorrected whether the server said meanwhile that a click went otherwise
 */

/**
 * Records what a bot took out of a container and put in: its own items before, and as the server tells them
 * once the window is closed, but for what was thrown away or picked up meanwhile. Mineflayer takes each click
 * for granted, and somebody else may have been faster. Opening another container closes the first.
 * @param {Bot} bot @param {Emit} emit
 * @param {(collected: (item: string, count: number) => void) => void} onCollected
 */
export function watchContainers(bot, emit, onCollected) {
  /** @type {Visit | null} */
  let open = null
  const asked = new Question(bot)
  /** @param {Visit} visit @param {Record<string, number>} after */
  const settle = ({ container, before, thrown, isCorrected }, after) => {
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const count = (after[item] ?? 0) - (before[item] ?? 0)
      const isKnown = !(isCorrected && thrown.has(item))
      if (count && isKnown) emit({ kind: 'container_moved', item, count, container })
    }
  }
  /** @param {string} item @param {number} count that the bot got, or lost, otherwise */
  const otherwise = (item, count) => {
    for (const visit of open ? [open] : asked.visits) {
      visit.before[item] = (visit.before[item] ?? 0) + count
    }
  }
  bot.on('windowOpen', (window) => {
    const before = ownItems(window) // as the server has just told them
    if (open) settle(open, before)
    /** @type {Visit} */
    const visit = { container: String(window.type), before, thrown: new Set(), isCorrected: false }
    open = visit
    watchThrows(window, (item, count) => {
      visit.thrown.add(item)
      otherwise(item, count)
    })
  })
  bot.on('windowClose', () => {
    if (open) asked.ask(open, settle)
    open = null
  })
  // Before Mineflayer hears what a new window holds, and tells of it.
  bot._client.prependListener('window_items', () => {
    if (open) open.isCorrected = true
  })
  bot.on('death', () => {
    open = null
    asked.forget()
  })
  onCollected(otherwise)
}

/** Asks the server what a bot has, and keeps Mineflayer from hearing an answer that tells it nothing. */
class Question {
  /** @param {Bot} bot */
  constructor(bot) {
    this.bot = bot
    this.client = /** @type {any} */ (bot._client)
    this.Item = loadItems(bot.registry)
    /** @type {{visit: Visit, slots: (Item | null)[], settle: (visit: Visit, after: Record<string, number>) => void, timer: NodeJS.Timeout}[]} */
    this.waiting = []
    // Before Mineflayer hears them.
    this.client.prependListener('window_items', (/** @type {any} */ packet) => this.hear(packet))
    this.client.prependListener('set_slot', (/** @type {any} */ packet) => {
      if (packet.windowId !== OWN_WINDOW) return
      for (const { slots } of this.waiting) slots[packet.slot] = this.Item.fromNotch(packet.item)
    })
    bot.once('end', () => this.forget())
  }

  get visits() {
    return this.waiting.map(({ visit }) => visit)
  }

  /** @param {Visit} visit @param {(visit: Visit, after: Record<string, number>) => void} settle */
  ask(visit, settle) {
    const timer = setTimeout(() => this.waiting.shift(), CONFIRM_MS)
    this.waiting.push({ visit, slots: [...this.bot.inventory.slots], settle, timer })
    const cursorItem = this.Item.toNotch(null)
    this.client.write('window_click', { ...QUESTION, changedSlots: [], cursorItem })
  }

  /**
   * What Mineflayer has is newer than an answer that agrees with what it had: its clicks since would be undone.
   * @param {{windowId: number, items: object[], carriedItem: object}} packet
   */
  hear(packet) {
    if (packet.windowId !== OWN_WINDOW) return
    const asked = this.waiting.shift()
    if (!asked) return
    clearTimeout(asked.timer)
    const slots = packet.items.map((item) => this.Item.fromNotch(item))
    const cursor = this.Item.fromNotch(packet.carriedItem)
    const own = [...slots.slice(CARRIED.start, CARRIED.end), cursor]
    asked.settle(asked.visit, countByName(own.filter((item) => item !== null)))
    const isKnown = slots.every((item, slot) => this.Item.equal(item, asked.slots[slot], true))
    if (isKnown && !cursor) packet.windowId = NOBODYS
  }

  forget() {
    for (const { timer } of this.waiting) clearTimeout(timer)
    this.waiting = []
  }
}

/** What the bot has while a window is open, with what it holds by the cursor, which it gets back. @param {Window} window */
const ownItems = (window) =>
  countByName([...window.items(), window.selectedItem].filter((item) => item !== null))

/** Clicks beside a window throw away what the cursor holds. @param {Window} window @param {(item: string, count: number) => void} changed */
function watchThrows(window, changed) {
  const clicked = /** @type {{acceptClick: (click: {slot: number}) => unknown}} */ (
    /** @type {unknown} */ (window)
  )
  const { acceptClick } = clicked
  clicked.acceptClick = (click) => {
    const held = window.selectedItem
    const count = held?.count ?? 0
    const done = acceptClick.call(window, click)
    const left = window.selectedItem?.count ?? 0
    if (click.slot === OUTSIDE && held) changed(held.name, left - count)
    return done
  }
}
