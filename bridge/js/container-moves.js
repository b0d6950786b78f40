/**
 * Item moves between a bot and containers, as the server reports them, not as Mineflayer guesses
 * them.
 */
import { createRequire } from 'node:module'
import { countByName } from './observe.js'
import { QUESTION } from './own-items.js'
import { opens } from './used-blocks.js'

/** @import { Bot, Emit, Window } from './types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

/** Slots of the bot's own window that every container window also shows. */
const CARRIED = { start: 9, end: 45 }
/** Packets that can change or consume the bot's items: use, break, shoot. */
const USES = new Set(['block_dig', 'block_place', 'use_item', 'use_entity'])
/** Longest duration of a use, in game time; eating or drinking takes 1.6 s. */
const USE_MS = 5_000
/** Slot number for a click outside the window. */
const OUTSIDE = -999

/**
 * One visit to a container. "According to Mineflayer" marks values that the server has not
 * confirmed.
 * @typedef {object} Visit
 * @property {Window} window
 * @property {string} container
 * @property {Record<string, number>} before the bot's items at the start, plus unrelated gains and
 *   losses since
 * @property {Record<string, number>} clicked items that its clicks took out of the container,
 *   according to Mineflayer
 * @property {boolean} isUsing true if it used an item during the visit or just before
 * @property {Map<number, Stack | null>} left container slots after its clicks, according to
 *   Mineflayer
 * @property {Map<number, Stack | null>} told the server's last report of these slots
 * @property {Set<string>} corrected items where the server contradicted Mineflayer before the next
 *   click there
 */

/** Content of a slot. @typedef {{name: string, count: number}} Stack */

/**
 * Record the items that a bot took out of a container and put in.
 *
 * The amounts are the difference between the bot's items before and after the visit, as the server
 * reports them once the window is closed, as far as the bot's clicks on the container explain it.
 * Mineflayer assumes that each click succeeds, but another player may have been faster, and using
 * items also changes the bot's items. Moves that remain uncertain are not recorded. A visit ends
 * when the bot opens another container.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-items.js').OwnItems} items
 * @param {import('./own-uses.js').OwnUses} uses
 * @param {(collected: (item: string, count: number) => void) => void} onCollected
 * @param {import('./own-placements.js').Placements['listen']} onPlaced
 */
export function watchContainers(bot, emit, items, uses, onCollected, onPlaced) {
  /** @type {Visit | null} */
  let open = null
  /** Finished visits for which the server's report is pending. @type {Set<Visit>} */
  const over = new Set()
  let usedAt = -Infinity
  const Item = loadItems(bot.registry)
  const visits = () => (open ? [open, ...over] : [...over])
  /** @param {Visit} visit @param {Record<string, number>} after */
  const settle = (visit, after) => {
    for (const [item, count] of Object.entries(movesOf(visit, after))) {
      if (count) emit({ kind: 'container_moved', item, count, container: visit.container })
    }
  }
  /** @param {string} item @param {number} count gained, or lost if negative, outside the container */
  const otherwise = (item, count) => {
    for (const visit of open ? [open] : over) add(visit.before, item, count)
  }
  bot.on('windowOpen', (window) => {
    const before = ownItems(window) // the inventory that the server has just reported
    for (const visit of open ? [open] : over) settle(visit, before)
    over.clear()
    /** @type {Visit} */
    const visit = {
      window,
      container: String(window.type),
      before,
      clicked: {},
      isUsing: Date.now() - usedAt < USE_MS,
      left: new Map(),
      told: new Map(),
      corrected: new Set()
    }
    open = visit
    uses.ask(() => {}) // do not count what it ate before the visit
    watchClicks(window, visit)
  })
  bot.on('windowClose', () => {
    const visit = open
    open = null
    if (!visit) return
    over.add(visit)
    if (visit.isUsing) {
      uses.ask((rises) => {
        for (const [item, count] of rises) {
          if (bot.registry.foods[item]) add(visit.before, bot.registry.items[item].name, -count)
        }
      })
    }
    items.ask((slots, cursor) => {
      if (!over.delete(visit)) return
      const own = [...slots.slice(CARRIED.start, CARRIED.end), cursor]
      settle(visit, countByName(own.filter((item) => item !== null)))
    })
  })
  const tell = (
    /** @type {number} */ windowId,
    /** @type {number} */ slot,
    /** @type {any} */ item
  ) => {
    for (const visit of visits()) {
      if (visit.window.id === windowId) visit.told.set(slot, stackOf(Item.fromNotch(item)))
    }
  }
  bot._client.on('set_slot', ({ windowId, slot, item }) => tell(windowId, slot, item))
  bot._client.on('window_items', ({ windowId, items }) =>
    items.forEach((/** @type {any} */ item, /** @type {number} */ slot) =>
      tell(windowId, slot, item)
    )
  )
  bot.on('death', () => {
    open = null
    over.clear()
  })
  onCollected(otherwise)
  uses.dropped = (item, count) => otherwise(bot.registry.items[item].name, -count)
  onPlaced((_, item) => bot.game.gameMode === 'survival' && otherwise(item, -1))
  const client = /** @type {any} */ (bot._client)
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    if (USES.has(name) && !opens(bot, fields.location)) {
      usedAt = Date.now()
      for (const visit of visits()) visit.isUsing = true
    }
    const done = write.call(client, name, fields)
    // Ask how much was thrown away: the server ignores a click in a window that it has closed.
    const isThrow = name === 'window_click' && fields.slot === OUTSIDE
    if (isThrow && fields.mode !== QUESTION.mode) uses.ask(() => {})
    return done
  }
}

/**
 * Return the certain moves of a visit: the bot's gains and losses that its clicks explain.
 * @param {Visit} visit
 * @param {Record<string, number>} after the bot's items, as the server reports them
 */
function movesOf(visit, after) {
  const { before, clicked, isUsing, left, corrected } = visit
  for (const slot of left.keys()) doubt(visit, slot)
  /** @type {Record<string, number>} */
  const moves = {}
  for (const [item, taken] of Object.entries(clicked)) {
    const more = (after[item] ?? 0) - (before[item] ?? 0)
    if (isUsing && (more !== taken || corrected.has(item))) continue
    const least = Math.min(Math.abs(more), Math.abs(taken))
    moves[item] = Math.sign(more) === Math.sign(taken) ? Math.sign(more) * least : 0
  }
  return moves
}

/**
 * Mark a slot as corrected if the server's last report differs from the result of the bot's clicks.
 * This check runs late, because a report that crossed a click on its way may describe the slot
 * before the click.
 * @param {Visit} visit @param {number} slot
 */
function doubt({ left, told, corrected }, slot) {
  const [ours, theirs] = [left.get(slot), told.get(slot)]
  if (ours === undefined || theirs === undefined) return
  if (ours?.name === theirs?.name && ours?.count === theirs?.count) return
  for (const stack of [ours, theirs]) if (stack) corrected.add(stack.name)
}

/** @param {Record<string, number>} counts @param {string} item @param {number} count */
const add = (counts, item, count) => void (counts[item] = (counts[item] ?? 0) + count)

/** @param {Stack | null | undefined} item @returns {Stack | null} */
const stackOf = (item) => (item ? { name: item.name, count: item.count } : null)

/**
 * Return the bot's items while a window is open, including items on the cursor, which return to the
 * bot.
 * @param {Window} window
 */
const ownItems = (window) =>
  countByName([...window.items(), window.selectedItem].filter((item) => item !== null))

/** Return the items in the container itself. @param {Window} window */
const lyingIn = (window) =>
  countByName(window.slots.slice(0, window.inventoryStart).filter((item) => item !== null))

/**
 * Track the effects of clicks: they move items between the container and the bot.
 * @param {Window} window @param {Visit} visit
 */
function watchClicks(window, visit) {
  const { clicked, left, told } = visit
  const watched = /** @type {{acceptClick: (click: {slot: number}) => unknown}} */ (
    /** @type {unknown} */ (window)
  )
  const { acceptClick } = watched
  watched.acceptClick = (click) => {
    const before = lyingIn(window)
    const slots = window.slots.slice(0, window.inventoryStart).map(stackOf)
    const done = acceptClick.call(window, click)
    const after = lyingIn(window)
    for (const [slot, was] of slots.entries()) {
      const is = stackOf(window.slots[slot])
      if (is?.name === was?.name && is?.count === was?.count) continue
      doubt(visit, slot)
      left.set(slot, is)
      told.delete(slot)
    }
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      add(clicked, item, (before[item] ?? 0) - (after[item] ?? 0))
    }
    return done
  }
}
