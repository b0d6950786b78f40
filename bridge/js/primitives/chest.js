import { createRequire } from 'node:module'
import { goals } from '../pathfinder.js'
import { readItems, readPosition } from './arguments.js'
import { countByName, rememberChest } from '../observe.js'
import { QUESTION } from '../own-items.js'
import { pause, untilStopped, within } from './until.js'
import { at, walk } from './walk.js'

/** @import { Chest, Dispenser, Vec3 } from '../types.d.ts' */

const loadItems = createRequire(import.meta.url)('prismarine-item')

const OPEN_MS = 5_000
const REACH_BLOCKS = 2
/**
 * Time that moving an item takes; without this delay, the order in which two bots use a chest would
 * be undefined.
 */
const HAND_MS = 250
/** Click mode of shift-click: the whole stack moves to the other side. */
const SHIFT_CLICK = 1

/**
 * getItemFromChest(bot, position, {name: count}): walk there and take items out, in that order. If
 * items are missing, it takes the available ones, then fails and lists the chest's content.
 * @param {import('./index.js').Context} context @param {unknown} position @param {unknown} items
 */
export async function getItemFromChest(context, position, items) {
  const wanted = readItems('getItemFromChest', context.bot.registry, items)
  await withChest(context, 'getItemFromChest', position, async (chest, place) => {
    const missing = await transfer(context, chest, wanted, {
      there: () => countByName(chest.containerItems()),
      arrived: () => countByName(chest.items()),
      move: (id, count) => chest.withdraw(id, null, count)
    })
    if (!missing.length) return
    const held = list(countByName(chest.containerItems()))
    throw new Error(`the chest at ${at(place)} lacks ${missing.join(' and ')}; it holds ${held}`)
  })
}

/**
 * depositItemIntoChest(bot, position, {name: count}): walk there and put items in.
 * @param {import('./index.js').Context} context @param {unknown} position @param {unknown} items
 */
export async function depositItemIntoChest(context, position, items) {
  const given = readItems('depositItemIntoChest', context.bot.registry, items)
  await withChest(context, 'depositItemIntoChest', position, async (chest) => {
    const missing = await transfer(context, chest, given, {
      there: () => countByName(chest.items()),
      arrived: () => countByName(chest.containerItems()),
      move: (id, count) => putIn(context.bot, chest, id, count)
    })
    if (missing.length) throw new Error(`you could not deposit ${missing.join(' and ')}`)
  })
}

/**
 * Put a number of items into a chest. Stacks are split in the bot's own slots and moved by
 * shift-click, which the server executes in one step. A click on a slot of the chest could instead
 * swap the held items with ones that another player has put there meanwhile.
 * @param {import('mineflayer').Bot} bot @param {Chest | Dispenser} chest @param {number} id
 * @param {number} count
 */
async function putIn(bot, chest, id, count) {
  let left = count
  while (left > 0) {
    const stack = chest.items().find((item) => item.type === id)
    if (!stack) return
    const part = Math.min(left, stack.count)
    const slot = part < stack.count ? await splitOff(bot, chest, stack, part) : stack.slot
    if (slot === null) return chest.deposit(id, null, left)
    await bot.clickWindow(slot, 0, SHIFT_CLICK)
    if (chest.slots[slot]) return // the chest is full
    left -= part
  }
}

/**
 * Move part of a stack to an empty slot of the bot and return that slot; null if no slot is empty.
 * @param {import('mineflayer').Bot} bot @param {Chest | Dispenser} chest
 * @param {import('prismarine-item').Item} stack @param {number} part
 */
async function splitOff(bot, chest, { slot, count }, part) {
  const empty = chest.firstEmptySlotRange(chest.inventoryStart, chest.inventoryEnd)
  if (empty === null) return null
  const isSmall = part <= count / 2
  await bot.clickWindow(slot, 0, 0)
  const one = isSmall ? empty : slot
  for (let k = 0; k < (isSmall ? part : count - part); k++) await bot.clickWindow(one, 1, 0)
  await bot.clickWindow(isSmall ? slot : empty, 0, 0)
  return empty
}

/**
 * Move items, one kind after another with a delay each, and determine which did not arrive: another
 * player at the chest may have been faster.
 * @param {import('./index.js').Context} context @param {Chest | Dispenser} chest
 * @param {[name: string, count: number][]} items @param {object} ends
 * @param {() => Record<string, number>} ends.there items that can be moved now
 * @param {() => Record<string, number>} ends.arrived items at the destination now
 * @param {(id: number, count: number) => Promise<void>} ends.move
 * @returns {Promise<string[]>} descriptions of missing items
 */
async function transfer({ bot, signal }, chest, items, { there, arrived, move }) {
  const missing = []
  await pause(signal, HAND_MS)
  for (const [name, count] of items) {
    const before = arrived()[name] ?? 0
    const movable = Math.min(count, there()[name] ?? 0)
    if (movable > 0) {
      await untilStopped(signal, move(bot.registry.itemsByName[name].id, movable))
      await pause(signal, HAND_MS)
      await untilStopped(signal, confirmed(bot, chest))
    }
    const lacking = count - ((arrived()[name] ?? 0) - before)
    if (lacking > 0) missing.push(`${lacking} ${name}`)
  }
  return missing
}

/**
 * Request the items in an open window after all earlier clicks, because Mineflayer assumes that
 * each click succeeds.
 * @param {import('mineflayer').Bot} bot @param {Chest | Dispenser} chest
 */
async function confirmed(bot, chest) {
  const client = /** @type {any} */ (bot._client)
  const hear = (/** @type {{windowId: number}} */ { windowId }) => {
    if (windowId === chest.id) answer(undefined)
  }
  /** @type {(value: undefined) => void} */
  let answer = () => {}
  const answered = new Promise((resolve) => (answer = resolve))
  const gone = () => answer(undefined)
  client.on('window_items', hear)
  bot.once('windowClose', gone) // the server no longer answers for this window
  try {
    const cursorItem = loadItems(bot.registry).toNotch(null)
    const question = { ...QUESTION, windowId: chest.id }
    client.write('window_click', { ...question, changedSlots: [], cursorItem })
    await within(answered, OPEN_MS, "the server's account of the chest")
  } finally {
    client.off('window_items', hear)
    bot.off('windowClose', gone)
  }
}

/**
 * checkItemInsideChest(bot, position): walk there and look inside.
 * @param {import('./index.js').Context} context @param {unknown} position
 * @returns {Promise<Record<string, number>>} items and counts
 */
export function checkItemInsideChest(context, position) {
  return withChest(context, 'checkItemInsideChest', position, async (chest) => {
    await pause(context.signal, HAND_MS)
    return countByName(chest.containerItems())
  })
}

/**
 * @template T
 * @param {import('./index.js').Context} context
 * @param {string} primitive
 * @param {unknown} position
 * @param {(chest: Chest | Dispenser, place: Vec3) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withChest(context, primitive, position, use) {
  const { bot, signal } = context
  const place = readPosition(primitive, position).floored()
  await walk(context, new goals.GoalNear(place.x, place.y, place.z, REACH_BLOCKS), place)
  const block = bot.blockAt(place)
  if (!block || !/chest|barrel/.test(block.name)) {
    throw new Error(`there is no chest at ${at(place)} but ${block?.name ?? 'nothing loaded'}`)
  }
  await bot.lookAt(place.offset(0.5, 0.5, 0.5), true)
  const chest = await untilStopped(
    signal,
    within(bot.openContainer(block), OPEN_MS, 'opening the chest')
  )
  try {
    return await use(chest, place)
  } finally {
    rememberChest(bot, place, countByName(chest.containerItems()))
    await chest.close()
  }
}

/** @param {Record<string, number>} counts */
const list = (counts) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'nothing'
