/** What is recorded of a bot, from the server's own packets. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import registryOf from 'prismarine-registry'
import { recordEvents } from '../event-recorder.js'

const OWN = 1
const DROP = 7
const SLOTS = 46
const registry = registryOf('1.20.4')
const Item = createRequire(import.meta.url)('prismarine-item')(registry)

/** A bot with twenty emeralds lying beside it, and what is recorded of it. */
function recorded() {
  const drop = { getDroppedItem: () => ({ name: 'emerald', count: 20 }) }
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      _client: Object.assign(new EventEmitter(), { write: () => {} }),
      registry,
      inventory: { slots: new Array(SLOTS).fill(null) },
      entity: { id: OWN },
      entities: { [OWN]: { id: OWN }, [DROP]: drop },
      dig: async () => {}
    })
  )
  /** @type {any[]} */
  const events = []
  recordEvents(bot, (event) => events.push(event))
  const collect = (/** @type {number} */ collectorEntityId, /** @type {number} */ count) =>
    bot._client.emit('collect', {
      collectedEntityId: DROP,
      collectorEntityId,
      pickupItemCount: count
    })
  return { bot, events, collect }
}

/** A window with so many emeralds of the bot's. @param {number} count */
const windowOf = (count) => ({
  type: 'minecraft:generic_9x3',
  items: () => (count ? [{ name: 'emerald', count }] : []),
  selectedItem: null,
  acceptClick: () => {}
})

test('as many are collected as there was room for, by the bot and nobody else', () => {
  const { bot, events, collect } = recorded()
  collect(OWN, 4)
  collect(2, 16)
  bot.emit('end')
  assert.deepEqual(events, [{ kind: 'item_collected', item: 'emerald', count: 4 }])
})

/** So many emeralds. @param {number} count */
const emeralds = (count) => (count ? new Item(registry.itemsByName.emerald.id, count) : null)

/** The server's answer: the bot has so many. @param {any} bot @param {number} count @param {any} [cursor] */
function answer(bot, count, cursor = null) {
  const items = new Array(SLOTS).fill(null)
  items[40] = emeralds(count)
  const [notch, carriedItem] = [items.map((item) => Item.toNotch(item)), Item.toNotch(cursor)]
  const packet = { windowId: 0, items: notch, carriedItem }
  bot._client.emit('window_items', packet)
  return packet
}

/** Closes the window with so many emeralds of the bot's, as far as Mineflayer knows. @param {any} bot @param {number} count */
function close(bot, count) {
  bot.inventory.slots[40] = emeralds(count)
  bot.emit('windowClose', windowOf(count))
}

const moved = (/** @type {number} */ count) => ({
  kind: 'container_moved',
  item: 'emerald',
  count,
  container: 'minecraft:generic_9x3'
})

test('what is picked up in part beside an open container is not moved by it', () => {
  const { bot, events, collect } = recorded()
  bot.emit('windowOpen', windowOf(60))
  collect(OWN, 4)
  close(bot, 61)
  answer(bot, 61)
  bot.emit('end')
  assert.deepEqual(events.slice(1), [moved(-3)])
})

test('what was moved is what the server says once the container is closed', () => {
  const { bot, events } = recorded()
  bot.emit('windowOpen', windowOf(0))
  close(bot, 1)
  assert.deepEqual(events, [], 'Mineflayer takes each click for granted')
  answer(bot, 0)
  bot.emit('windowOpen', windowOf(0))
  close(bot, 0)
  answer(bot, 2, emeralds(1))
  bot.emit('end')
  assert.deepEqual(events, [moved(3)])
})

test('Mineflayer is told of what it did not know, and of nothing else', () => {
  const { bot } = recorded()
  /** @type {number[]} */
  const told = []
  bot._client.on('set_slot', (/** @type {any} */ { slot }) => told.push(slot))
  bot.emit('windowOpen', windowOf(0))
  close(bot, 5)
  assert.notEqual(answer(bot, 5).windowId, 0)
  assert.equal(answer(bot, 5).windowId, 0, 'nobody has asked for this one')
  bot.emit('windowOpen', windowOf(5))
  close(bot, 6)
  assert.deepEqual(told, [])
  assert.notEqual(answer(bot, 5).windowId, 0)
  assert.deepEqual(told, [40])
  bot.emit('end')
})

test('what was thrown away beside a container counts only where the server agreed to each click', () => {
  for (const isCorrected of [false, true]) {
    const { bot, events } = recorded()
    const window = /** @type {any} */ (windowOf(3))
    window.acceptClick = () => (window.selectedItem = null)
    bot.emit('windowOpen', window)
    window.selectedItem = { name: 'emerald', count: 1 }
    if (isCorrected) bot._client.emit('window_items', { windowId: 1, items: [] })
    window.acceptClick({ slot: -999 })
    close(bot, 1)
    answer(bot, 1)
    bot.emit('end')
    assert.deepEqual(events, isCorrected ? [] : [moved(-1)])
  }
})

test('a window that the server opened before it was asked answers for the one that was closed', () => {
  const { bot, events } = recorded()
  /** @type {string[]} */
  const sent = []
  bot._client.write = (/** @type {string} */ name) => sent.push(name)
  bot.emit('windowOpen', windowOf(5))
  close(bot, 3) // the server ignores the question: another window is open there
  bot.emit('windowOpen', windowOf(3))
  assert.deepEqual(events, [moved(-2)])
  close(bot, 7)
  answer(bot, 7)
  answer(bot, 7)
  bot.emit('end')
  assert.deepEqual(events, [moved(-2), moved(4)])
})

test('who dies beside a container has moved nothing that is known', () => {
  const { bot, events } = recorded()
  bot.emit('windowOpen', windowOf(5))
  close(bot, 5)
  bot.emit('death')
  answer(bot, 0)
  bot.emit('end')
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'container_moved'),
    []
  )
})
