/** What goes between a bot and containers, as the server says it and not as Mineflayer guesses. */
import { createRequire } from 'node:module'
import { countByName } from './observe.js'
import { opens } from './used-blocks.js'

/** @import { Bot, Emit, Window } from './types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

/** Where in the bot's own window those items are that every container's window shows, too. */
const CARRIED = { start: 9, end: 45 }
/** Packets by which what a bot has may become something else, or less: what it uses, breaks, shoots. */
const USES = new Set(['block_dig', 'block_place', 'use_item', 'use_entity'])
/** For how long a use that was begun may still go on, in game time: to eat or drink takes 1.6 s. */
const USE_MS = 5_000
/** The slot that stands for the place beside a window. */
const OUTSIDE = -999

/**
 * One visit to a container.
 * @typedef {object} Visit
 * @property {Window} window
 * @property {string} container
 * @property {Record<string, number>} before what the bot had, and what it got and lost otherwise since
 * @property {Record<string, number>} clicked what its clicks took out of the container, as far as Mineflayer knows
 * @property {boolean} isUsing whether it used something meanwhile, or just before
 * @property {Set<string>} thrown what it threw away, as far as Mineflayer knows
 * @property {Map<number, Stack | null>} left what its clicks left in the container's slots, as far as Mineflayer knows
 * @property {Map<number, Stack | null>} told what the server last said of these slots since
 * @property {Set<string>} corrected the items of which the server said otherwise, before the next click there
 */

/** What lies in a slot. @typedef {{name: string, count: number}} Stack */

/**
 * Records what a bot took out of a container and put in: its own items before, and as the server tells them
 * once the window is closed, as far as its clicks on the container account for the difference. Mineflayer takes
 * each click for granted, and somebody else may have been faster; and what a bot has changes by what it uses, too.
 * Where that leaves it open what was moved, nothing is recorded. Opening another container closes the first.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-items.js').OwnItems} items
 * @param {(collected: (item: string, count: number) => void) => void} onCollected
 */
export function watchContainers(bot, emit, items, onCollected) {
  /** @type {Visit | null} */
  let open = null
  /** Visits that are over, and of which the server has still to say what came of them. @type {Set<Visit>} */
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
      window,
      container: String(window.type),
      before,
      clicked: {},
      isUsing: Date.now() - usedAt < USE_MS,
      thrown: new Set(),
      left: new Map(),
      told: new Map(),
      corrected: new Set()
    }
    open = visit
    watchClicks(window, visit, (item, count) => {
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
  const client = /** @type {any} */ (bot._client)
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    if (USES.has(name) && !opens(bot, fields.location)) {
      usedAt = Date.now()
      for (const visit of visits()) visit.isUsing = true
    }
    return write.call(client, name, fields)
  }
}

/**
 * What a visit moved of each item, as far as that is certain: what the bot has more, where its clicks account for it.
 * @param {Visit} visit @param {Record<string, number>} after what the bot has, as the server says
 */
function movesOf(visit, after) {
  const { before, clicked, isUsing, thrown, left, corrected } = visit
  for (const slot of left.keys()) doubt(visit, slot)
  /** @type {Record<string, number>} */
  const moves = {}
  for (const [item, taken] of Object.entries(clicked)) {
    const more = (after[item] ?? 0) - (before[item] ?? 0)
    if (isUsing && (more !== taken || corrected.has(item))) continue
    if (corrected.has(item) && thrown.has(item)) continue
    const least = Math.min(Math.abs(more), Math.abs(taken))
    moves[item] = Math.sign(more) === Math.sign(taken) ? Math.sign(more) * least : 0
  }
  return moves
}

/**
 * Takes note of a slot of which the server last said something else than clicks had left there. What it says on the
 * way is of before, where a click and somebody else's crossed.
 * @param {Visit} visit @param {number} slot
 */
function doubt({ left, told, corrected }, slot) {
  const [ours, theirs] = [left.get(slot), told.get(slot)]
  if (ours === undefined || theirs === undefined) return
  if (ours?.name === theirs?.name && ours?.count === theirs?.count) return
  for (const stack of [ours, theirs]) if (stack) corrected.add(stack.name)
}

/** @param {Stack | null | undefined} item @returns {Stack | null} */
const stackOf = (item) => (item ? { name: item.name, count: item.count } : null)

/** What the bot has while a window is open, with what it holds by the cursor, which it gets back. @param {Window} window */
const ownItems = (window) =>
  countByName([...window.items(), window.selectedItem].filter((item) => item !== null))

/** What lies in the container itself. @param {Window} window */
const lyingIn = (window) =>
  countByName(window.slots.slice(0, window.inventoryStart).filter((item) => item !== null))

/**
 * Takes note of what clicks do: they move between the container and the bot, and beside a window they throw away
 * what the cursor holds.
 * @param {Window} window @param {Visit} visit @param {(item: string, count: number) => void} threw
 */
function watchClicks(window, visit, threw) {
  const { clicked, left, told } = visit
  const watched = /** @type {{acceptClick: (click: {slot: number}) => unknown}} */ (
    /** @type {unknown} */ (window)
  )
  const { acceptClick } = watched
  watched.acceptClick = (click) => {
    const held = window.selectedItem
    const count = held?.count ?? 0
    const before = lyingIn(window)
    const slots = window.slots.slice(0, window.inventoryStart).map(stackOf)
    const done = acceptClick.call(window, click)
    const kept = window.selectedItem?.count ?? 0
    if (click.slot === OUTSIDE && held) threw(held.name, kept - count)
    const after = lyingIn(window)
    for (const [slot, was] of slots.entries()) {
      const is = stackOf(window.slots[slot])
      if (is?.name === was?.name && is?.count === was?.count) continue
      doubt(visit, slot)
      left.set(slot, is)
      told.delete(slot)
    }
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      clicked[item] = (clicked[item] ?? 0) + (before[item] ?? 0) - (after[item] ?? 0)
    }
    return done
  }
}
