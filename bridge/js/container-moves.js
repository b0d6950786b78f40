/** What goes between a bot and containers, as the server says it and not as Mineflayer guesses. */
import { countByName } from './observe.js'
import { opens } from './used-blocks.js'

/** @import { Bot, Emit, Window } from './types.d.ts' */

/** Where in the bot's own window those items are that every container's window shows, too. */
const CARRIED = { start: 9, end: 45 }
/** Packets by which what a bot holds may become less. */
const USES = new Set(['block_place', 'use_item', 'use_entity'])
/** The slot that stands for the place beside a window. */
const OUTSIDE = -999

/**
 * One visit to a container.
 * @typedef {object} Visit
 * @property {string} container
 * @property {Record<string, number>} before what the bot had, and what it got and lost otherwise since
 * @property {Set<string>} used what it placed or used meanwhile, of which nothing can be said
 * @property {Set<string>} thrown what it threw away, as far as Mineflayer knows
 * @property {boolean} isCorrected whether the server said meanwhile that a click went otherwise
 */

/**
 * Records what a bot took out of a container and put in: its own items before, and as the server tells them
 * once the window is closed, but for what was thrown away or picked up meanwhile. Mineflayer takes each click
 * for granted, and somebody else may have been faster. Opening another container closes the first.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-items.js').OwnItems} items
 * @param {(collected: (item: string, count: number) => void) => void} onCollected
 */
export function watchContainers(bot, emit, items, onCollected) {
  /** @type {Visit | null} */
  let open = null
  /** Visits that are over, and of which the server has still to say what came of them. @type {Set<Visit>} */
  const over = new Set()
  /** @param {Visit} visit @param {Record<string, number>} after */
  const settle = ({ container, before, used, thrown, isCorrected }, after) => {
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const count = (after[item] ?? 0) - (before[item] ?? 0)
      const isKnown = !used.has(item) && !(isCorrected && thrown.has(item))
      if (count && isKnown) emit({ kind: 'container_moved', item, count, container })
    }
  }
  /** @param {string} item @param {number} count that the bot got, or lost, otherwise */
  const otherwise = (item, count) => {
    for (const visit of open ? [open] : over) {
      visit.before[item] = (visit.before[item] ?? 0) + count
    }
  }
  bot.on('windowOpen', (window) => {
    const before = ownItems(window) // as the server has just told them
    for (const visit of open ? [open] : over) settle(visit, before)
    over.clear()
    /** @type {Visit} */
    const visit = {
      container: String(window.type),
      before,
      used: new Set(),
      thrown: new Set(),
      isCorrected: false
    }
    open = visit
    watchThrows(window, (item, count) => {
      visit.thrown.add(item)
      otherwise(item, count)
    })
  })
  bot.on('windowClose', () => {
    const visit = open
    open = null
    if (!visit) return
    over.add(visit)
    items.ask((slots, cursor) => {
      if (!over.delete(visit)) return
      const own = [...slots.slice(CARRIED.start, CARRIED.end), cursor]
      settle(visit, countByName(own.filter((item) => item !== null)))
    })
  })
  // Before Mineflayer hears what a new window holds, and tells of it.
  bot._client.prependListener('window_items', () => {
    if (open) open.isCorrected = true
  })
  bot.on('death', () => {
    open = null
    over.clear()
  })
  onCollected(otherwise)
  const client = /** @type {any} */ (bot._client)
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    const isUsed = USES.has(name) && !opens(bot, fields.location)
    const held = isUsed ? bot.heldItem : null
    if (held) for (const visit of open ? [open] : over) visit.used.add(held.name)
    return write.call(client, name, fields)
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
