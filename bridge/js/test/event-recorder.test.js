/** Events of a bot, recorded from the server's packets. */
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

/** Create a bot with twenty emeralds beside it, and its recorded events. */
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

const WINDOW = 3
const INSIDE = 5

/**
 * Create a window with a number of the bot's emeralds, and more in the container; a click takes as
 * many as its `takes` says.
 * @param {number} count
 */
const windowOf = (count) => ({
  id: WINDOW,
  type: 'minecraft:generic_9x3',
  inventoryStart: 1,
  slots: [{ name: 'emerald', count: INSIDE }],
  items: () => (count ? [{ name: 'emerald', count }] : []),
  selectedItem: null,
  acceptClick(/** @type {{takes?: number}} */ { takes = 0 }) {
    this.slots[0].count -= takes
  }
})

/**
 * Open a window in which the bot has a number of emeralds, and take some.
 * @param {any} bot @param {number} count @param {number} takes
 */
function open(bot, count, takes) {
  const window = windowOf(count)
  bot.emit('windowOpen', window)
  window.acceptClick({ takes })
  return window
}

test('a bot is recorded as collecting only as many items as it had room for', () => {
  const { bot, events, collect } = recorded()
  collect(OWN, 4)
  collect(2, 16)
  bot.emit('end')
  assert.deepEqual(events, [{ kind: 'item_collected', item: 'emerald', count: 4 }])
})

/** Create a stack of emeralds. @param {number} count */
const emeralds = (count) => (count ? new Item(registry.itemsByName.emerald.id, count) : null)

/**
 * Answer as the server: the bot has this many emeralds.
 * @param {any} bot @param {number} count @param {any} [cursor]
 */
function answer(bot, count, cursor = null) {
  const items = new Array(SLOTS).fill(null)
  items[40] = emeralds(count)
  const [notch, carriedItem] = [items.map((item) => Item.toNotch(item)), Item.toNotch(cursor)]
  const packet = { windowId: 0, items: notch, carriedItem }
  bot._client.emit('window_items', packet)
  return packet
}

/**
 * Close the window with this many of the bot's emeralds, according to Mineflayer.
 * @param {any} bot @param {number} count
 */
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

test('items picked up next to an open container do not count as taken out', () => {
  const { bot, events, collect } = recorded()
  open(bot, 60, -3)
  collect(OWN, 4)
  close(bot, 61)
  answer(bot, 61)
  bot.emit('end')
  assert.deepEqual(events.slice(1), [moved(-3)])
})

test('recorded moves follow the server’s report after the container is closed', () => {
  const { bot, events } = recorded()
  open(bot, 0, 1)
  close(bot, 1)
  assert.deepEqual(events, [], 'Mineflayer assumes that each click succeeds')
  answer(bot, 0)
  open(bot, 0, 3)
  close(bot, 0)
  answer(bot, 2, emeralds(1))
  bot.emit('end')
  assert.deepEqual(events, [moved(3)])
})

test('Mineflayer receives only what it does not know yet', () => {
  const { bot } = recorded()
  /** @type {number[]} */
  const told = []
  bot._client.on('set_slot', (/** @type {any} */ { slot }) => told.push(slot))
  bot.emit('windowOpen', windowOf(0))
  close(bot, 5)
  assert.notEqual(answer(bot, 5).windowId, 0)
  assert.equal(answer(bot, 5).windowId, 0, 'no question was pending for this packet')
  bot.emit('windowOpen', windowOf(5))
  close(bot, 6)
  assert.deepEqual(told, [])
  assert.notEqual(answer(bot, 5).windowId, 0)
  assert.deepEqual(told, [40])
  bot.emit('end')
})

test('items thrown away while a container is open count as the server counts them', () => {
  const statisticId = registry.itemsByName.emerald.id
  for (const dropped of [0, 1, 2]) {
    const { bot, events } = recorded()
    bot._client.emit('statistics', { entries: [{ categoryId: 5, statisticId, value: 40 }] })
    const window = /** @type {any} */ (windowOf(3))
    window.acceptClick = (/** @type {{slot: number}} */ { slot }) => {
      if (slot === 0) window.slots[0].count += 1
      else window.selectedItem = null
    }
    bot.emit('windowOpen', window)
    window.acceptClick({ slot: 0 })
    window.selectedItem = { name: 'emerald', count: 1 }
    window.acceptClick({ slot: -999 })
    bot._client.emit('statistics', {
      entries: [{ categoryId: 5, statisticId, value: 40 + dropped }]
    })
    close(bot, 1)
    answer(bot, 1)
    bot.emit('end')
    assert.deepEqual(events, dropped === 2 ? [] : [moved(-1)])
  }
})

test('the answer for a closed window may come from a window that the server opened meanwhile', () => {
  const { bot, events } = recorded()
  /** @type {string[]} */
  const sent = []
  bot._client.write = (/** @type {string} */ name) => sent.push(name)
  open(bot, 5, -2)
  close(bot, 3) // the server ignores the question while another window is open
  open(bot, 3, 4)
  assert.deepEqual(events, [moved(-2)])
  close(bot, 7)
  answer(bot, 7)
  answer(bot, 7)
  bot.emit('end')
  assert.deepEqual(events, [moved(-2), moved(4)])
})

test('no moves are recorded for a bot that dies while a container is open', () => {
  const { bot, events } = recorded()
  open(bot, 5, -5)
  close(bot, 0)
  bot.emit('death')
  answer(bot, 0)
  bot.emit('end')
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'container_moved'),
    []
  )
})

/**
 * Return the record of a visit with clicks, item uses, and reports of the server.
 * @param {object} visit
 */
function visited(
  /** @type {any} */ { takes = 0, gets, uses = '', corrected = false, before = false }
) {
  const { bot, events } = recorded()
  const use = () => bot._client.write(uses, { location: { x: 0, y: 0, z: 0 } })
  Object.assign(bot, { blockAt: () => null, getEquipmentDestSlot: () => 45 })
  if (before && uses) use()
  const window = open(bot, 10, takes)
  if (uses && !before) use()
  const item = Item.toNotch(corrected ? null : emeralds(window.slots[0].count))
  bot._client.emit('set_slot', { windowId: window.id, slot: 0, item })
  close(bot, 10 + takes)
  answer(bot, 10 + gets)
  bot.emit('end')
  return events.map(({ count }) => count)
}

test('gains without a click on the container are not recorded as moves', () => {
  for (const gets of [-3, 1, 4]) assert.deepEqual(visited({ gets }), [])
  for (const uses of ['use_item', 'block_dig', 'use_entity', 'block_place'])
    for (const before of [false, true]) assert.deepEqual(visited({ gets: 1, uses, before }), [])
})

test('clicks explain moves, unless items were used at the same time', () => {
  assert.deepEqual(visited({ takes: 2, gets: 2, uses: 'use_item' }), [2])
  // one of the items may have been eaten
  assert.deepEqual(visited({ takes: 2, gets: 1, uses: 'use_item' }), [])
  assert.deepEqual(visited({ takes: 2, gets: 5 }), [2]) // another player gave it three
  assert.deepEqual(visited({ takes: 2, gets: 0, corrected: true }), []) // another player was faster
  assert.deepEqual(visited({ takes: 1, gets: 1, uses: 'use_item', corrected: true }), [])
})

test('a report that crossed a click is ignored once the server has reported the result', () => {
  for (const [last, counts] of /** @type {[number, number[]][]} */ ([
    [INSIDE - 2, [2]],
    [INSIDE, []]
  ])) {
    const { bot, events } = recorded()
    Object.assign(bot, { blockAt: () => null, getEquipmentDestSlot: () => 45 })
    const { id } = open(bot, 10, 2)
    bot._client.write('use_item', { location: { x: 0, y: 0, z: 0 } })
    for (const count of [INSIDE, last]) {
      // one report from before the click, and one from after it
      const item = Item.toNotch(emeralds(count))
      bot._client.emit('set_slot', { windowId: id, slot: 0, item })
    }
    close(bot, 12)
    answer(bot, 12)
    bot.emit('end')
    assert.deepEqual(
      events.map(({ count }) => count),
      counts
    )
  }
})

test('in random visits, no move is recorded that did not happen or is too large', () => {
  let state = 3
  const draw = (/** @type {number} */ below) =>
    (state = (state * 1103515245 + 12345) & 0x7fffffff) % below
  for (let round = 0; round < 1000; round++) {
    const takes = draw(9) - 4
    const isRefused = draw(2) === 1 // then the server corrects the window
    const moved = isRefused ? 0 : takes
    const uses = ['', 'use_item', 'block_dig'][draw(3)]
    const gets = moved + (uses ? draw(5) - 2 : 0)
    const counts = visited({ takes, gets, uses, corrected: isRefused })
    assert.ok(counts.length < 2)
    for (const count of counts) assert.equal(count, moved)
  }
})
