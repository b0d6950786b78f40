/**
 * Clicks in any order, by several players at the same time: items are conserved, and each client
 * knows the server's state. 10,000 random sequences.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Item, itemNamed, registry } from '../../minecraft/index.js'
import { Furnace } from '../../workshops/furnaces.js'
import { chestWindow, craftingWindow, furnaceWindow, inventoryWindow } from '../../windows/kinds.js'
import { isEqual, Store } from '../../windows/store.js'

/** @import { Fields, Ingredient, PacketItem } from '../../types/index.d.ts' */
/** @import { Window } from '../../windows/window.js' */

const SEQUENCES = 2500
const PLAYERS = 3

/** Wood, and items that are not ingredients. */
const START = [
  'oak_log',
  'oak_planks',
  'birch_planks',
  'stick',
  'apple',
  'iron_helmet',
  'milk_bucket'
]

/**
 * Value of each item in sticks. A recipe's result is worth its ingredients, so that the total never
 * changes, whatever is crafted.
 */
const WORTH = worthOfAll(
  new Map([
    ['oak_log', 8],
    ['oak_planks', 2],
    ['birch_planks', 2],
    ['stick', 1],
    ['apple', 5],
    ['iron_helmet', 7],
    ['milk_bucket', 11]
  ])
)

/**
 * Add everything that can be crafted from items with a value.
 * @param {Map<string, number>} worth
 */
function worthOfAll(worth) {
  const nameOf = (/** @type {number | {id: number}} */ cell) =>
    registry.items[typeof cell === 'object' ? cell.id : cell].name
  for (let found = true; found;) {
    found = false
    for (const recipe of Object.values(registry.recipes).flat()) {
      const cells = recipe.ingredients ?? /** @type {Ingredient[][]} */ (recipe.inShape).flat()
      const ids = cells.filter((cell) => cell !== null)
      const result = nameOf(recipe.result.id)
      if (worth.has(result) || !ids.every((id) => worth.has(nameOf(id)))) continue
      const sum = ids.reduce(
        (/** @type {number} */ total, id) => total + /** @type {number} */ (worth.get(nameOf(id))),
        0
      )
      worth.set(result, sum / recipe.result.count)
      found = true
    }
  }
  return worth
}

class Player {
  constructor() {
    this.inventory = new Store(46)
    this.grid = new Store(4)
    /** @type {Item[]} */
    this.ground = []
    /** @type {(Item | null)[]} what the client believes to be in the window that it has open */
    this.screen = []
    /** @type {Item | null} */
    this.cursorSeen = null
    /** @type {import('../../windows/clicks.js').Hand} */
    this.hand = {
      inventory: this.inventory,
      isCreative: false,
      drop: (item) => void this.ground.push(item),
      give: (item) => this.inventory.add(item, [36, 37, 38, 9, 10]),
      crafted: () => {}
    }
    /** @type {import('../../windows/window.js').Client} */
    this.client = {
      toNotch: (item) => Item.toNotch(item),
      stateId: 0,
      write: (name, fields) => this.read(name, fields)
    }
    this.own = inventoryWindow(this.inventory, this.grid, this.hand)
    this.window = this.own
    this.show(this.own)
  }

  /** @param {Window} window */
  show(window) {
    this.window = window
    window.sendAll(this.client)
  }

  /** @param {string} name @param {Fields} fields */
  read(name, fields) {
    if (name === 'set_slot') {
      const { slot, item } = /** @type {{slot: number, item: PacketItem}} */ (fields)
      this.screen[slot] = Item.fromNotch(item)
    }
    if (name !== 'window_items') return
    const { items, carriedItem } = /** @type {{items: PacketItem[], carriedItem: PacketItem}} */ (
      fields
    )
    this.screen = items.map((item) => Item.fromNotch(item))
    this.cursorSeen = Item.fromNotch(carriedItem)
  }

  close() {
    const { window } = this
    const loose = [window.cursor, ...(window === this.own ? this.grid.empty() : [])]
    window.cursor = null
    if (window !== this.own) window.onClose?.()
    for (const item of loose) {
      if (!item) continue
      const left = this.hand.give(item)
      if (left) this.hand.drop(left)
    }
    this.show(this.own)
  }
}

class Table {
  /** @param {number[]} counts */
  constructor(counts) {
    this.chest = new Store(27)
    this.furnace = new Furnace('furnace', { x: 0, y: 0, z: 0 })
    this.players = Array.from({ length: PLAYERS }, () => new Player())
    counts.forEach((count, index) => {
      const player = this.players[index % PLAYERS]
      const kind = START[index % START.length]
      const { stackSize } = itemNamed(kind)
      const [store, at] = index < 6 ? [player.grid, index >> 1] : [player.inventory, 9 + index]
      store.set(at, itemNamed(kind, Math.min(count, stackSize)))
    })
  }

  /** @param {Player} player @param {string} what */
  open(player, what) {
    player.close()
    const { inventory, hand } = player
    if (what === 'chest') player.show(chestWindow([this.chest], '', inventory, () => {}))
    if (what === 'table') player.show(craftingWindow(inventory, hand))
    if (what === 'furnace')
      player.show(
        furnaceWindow(
          this.furnace,
          inventory,
          () => {},
          () => {}
        )
      )
  }

  worth() {
    const items = [
      ...this.chest.slots,
      ...this.furnace.store.slots,
      ...this.players.flatMap((player) => [
        ...player.inventory.slots,
        ...player.grid.slots,
        ...player.ground,
        player.window.cursor,
        ...gridOf(player)
      ])
    ].filter((item) => item !== null)
    return items.reduce((sum, item) => sum + (WORTH.get(item.name) ?? NaN) * item.count, 0)
  }
}

/** Return the content of a player's open 3×3 grid. @param {Player} player */
const gridOf = ({ window }) =>
  window.type === 'minecraft:crafting' ? window.slots.slice(1, 10).map((slot) => slot.item) : []

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('click'),
      who: fc.nat(PLAYERS - 1),
      mode: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 6, 7),
      slot: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 9 }) },
        { weight: 8, arbitrary: fc.integer({ min: 9, max: 20 }) },
        { weight: 4, arbitrary: fc.integer({ min: -2, max: 66 }) },
        { weight: 1, arbitrary: fc.constant(-999) }
      ),
      button: fc.constantFrom(0, 0, 0, 1, 1, 2, 4, 5, 6, 8, 9, 10, 40, -1),
      honest: fc.boolean()
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('open'),
      who: fc.nat(PLAYERS - 1),
      what: fc.constantFrom('chest', 'table', 'furnace', 'own')
    })
  }
)

test(`${SEQUENCES} random sequences of clicks conserve items, and clients know the server's state`, () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 3, maxLength: 14 }),
      fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }),
      (counts, steps) => {
        const table = new Table(counts)
        const before = table.worth()
        for (const taken of steps) {
          const player = table.players[taken.who]
          if (taken.kind === 'open') table.open(player, taken.what)
          else clickAs(player, taken)
          assert.ok(Math.abs(table.worth() - before) < 1e-6, JSON.stringify(taken))
        }
        for (const player of table.players) {
          player.window.sendChanges(player.client)
          player.window.slots.forEach((slot, /** @type {number} */ index) =>
            assert.ok(isEqual(player.screen[index], slot.item), `slot ${index} is not known`)
          )
          player.close()
        }
        assert.ok(Math.abs(table.worth() - before) < 1e-6)
      }
    ),
    { numRuns: SEQUENCES, seed: 20_261_121 }
  )
})

/**
 * Click as a client that predicts the result (or nothing at all).
 * @param {Player} player
 * @param {{mode: number, slot: number, button: number, honest: boolean}} taken
 */
function clickAs(player, { mode, slot, button, honest }) {
  const { window } = player
  const click = {
    windowId: window.id,
    mode,
    slot,
    mouseButton: button,
    stateId: honest ? window.stateId : -1,
    changedSlots: [],
    cursorItem: Item.toNotch(honest ? window.cursor : null)
  }
  window.click(click, player.hand, player.client)
}

test('dragging distributes a stack, and a double click collects it again', () => {
  const player = new Player()
  player.inventory.set(9, itemNamed('oak_log', 10))
  const click = (
    /** @type {number} */ mode,
    /** @type {number} */ slot,
    /** @type {number} */ button
  ) => clickAs(player, { mode, slot, button, honest: true })
  click(0, 9, 0)
  for (const [slot, button] of [
    [-999, 0],
    [10, 1],
    [11, 1],
    [12, 1],
    [-999, 2]
  ])
    click(5, slot, button)
  const counts = () => [9, 10, 11, 12].map((index) => player.inventory.slots[index]?.count ?? 0)
  assert.deepEqual(counts(), [0, 3, 3, 3])
  assert.equal(player.window.cursor?.count, 1)
  click(6, 9, 0)
  assert.equal(player.window.cursor?.count, 10)
  assert.deepEqual(counts(), [0, 0, 0, 0])
})

test('shift-click on a result crafts as often as possible', () => {
  const player = new Player()
  player.grid.set(0, itemNamed('oak_log', 5))
  clickAs(player, { mode: 1, slot: 0, button: 0, honest: true })
  assert.equal(player.inventory.slots[44]?.count, 20)
  assert.equal(player.grid.slots[0], null)
})

test('each piece of armour fits only into its own slot', () => {
  const player = new Player()
  player.inventory.set(9, itemNamed('iron_helmet'))
  clickAs(player, { mode: 0, slot: 9, button: 0, honest: true })
  clickAs(player, { mode: 0, slot: 6, button: 0, honest: true })
  assert.equal(player.inventory.slots[6], null)
  clickAs(player, { mode: 0, slot: 5, button: 0, honest: true })
  assert.equal(player.inventory.slots[5]?.name, 'iron_helmet')
})

test('a result is not crafted if there is no room for it', () => {
  const player = new Player()
  player.inventory.slots.forEach((_, index) => player.inventory.set(index, itemNamed('coal', 64)))
  player.grid.set(0, itemNamed('oak_log', 1))
  clickAs(player, { mode: 1, slot: 0, button: 0, honest: true })
  assert.equal(player.grid.slots[0]?.count, 1)
})

test('items picked up while the client closes a window are also sent for its own window', () => {
  const player = new Player()
  const chest = chestWindow([new Store(27)], 'Chest', player.inventory, () => {})
  player.window = chest
  chest.sendAll(player.client)
  /** @type {Map<number, string>} as a client that has closed the chest already */
  const seen = new Map()
  const write = (/** @type {string} */ name, /** @type {Fields} */ fields) => {
    const { windowId, slot, item } = /** @type {any} */ (fields)
    if (name === 'set_slot' && windowId === 0)
      seen.set(slot, Item.fromNotch(item)?.name ?? 'nothing')
  }
  const client = { ...player.client, write }
  chest.id = 1
  player.inventory.set(9, itemNamed('apple'))
  chest.sendChanges(client)
  player.own.learnFrom(chest)
  player.own.sendChanges(client)
  assert.deepEqual([...seen], [[9, 'apple']])
  player.own.sendChanges(client)
  assert.equal(seen.size, 1)
})

test('clicks before the answer to a question, with the number of another window, are right', () => {
  const player = new Player()
  const box = new Store(27)
  box.set(0, itemNamed('stone_pickaxe'))
  const chest = chestWindow([box], 'Chest', player.inventory, () => {})
  player.show(chest)
  const [nothing, pickaxe] = [null, itemNamed('stone_pickaxe')].map(Item.toNotch)
  /** @type {string[]} */
  const sent = []
  const client = { ...player.client, write: (/** @type {string} */ name) => void sent.push(name) }
  const { stateId } = client // the client has not read any later packet
  const click = (
    /** @type {Window} */ window,
    /** @type {number} */ slot,
    /** @type {PacketItem} */ left,
    /** @type {PacketItem} */ cursorItem
  ) => {
    const changedSlots = [{ location: slot, item: left }]
    const fields = { windowId: window.id, mode: 0, mouseButton: 0, changedSlots, cursorItem }
    window.click({ ...fields, slot, stateId }, player.hand, client)
  }
  click(chest, 0, nothing, pickaxe)
  click(chest, 27, pickaxe, nothing)
  player.own.learnFrom(chest)
  const asked = { windowId: 0, mode: 5, slot: -999, mouseButton: 2, stateId: -1, changedSlots: [] }
  player.own.click({ ...asked, cursorItem: nothing }, player.hand, client)
  click(player.own, 9, nothing, pickaxe)
  click(player.own, 36, pickaxe, nothing)
  assert.deepEqual(sent, ['window_items']) // only the answer
  assert.equal(player.inventory.slots[36]?.name, 'stone_pickaxe')
  player.own.unsure.add(36)
  player.own.sendChanges(client)
  click(player.own, 36, nothing, pickaxe)
  assert.deepEqual(sent.slice(-2), ['set_slot', 'window_items']) // that click was behind
})

test('after a click, a window sends all its values again', () => {
  const player = new Player()
  const window = chestWindow([new Store(27)], 'Chest', player.inventory, () => {})
  window.properties = () => [[0, 0]]
  /** @type {string[]} */
  const sent = []
  const write = (/** @type {string} */ name) => void sent.push(name)
  const client = { ...player.client, write }
  window.sendAll(client)
  window.sendChanges(client)
  const click = { windowId: 0, mode: 0, slot: 0, mouseButton: 0, stateId: window.stateId }
  const cursorItem = Item.toNotch(null)
  window.click({ ...click, changedSlots: [], cursorItem }, player.hand, client)
  assert.deepEqual(sent, ['window_items', 'craft_progress_bar', 'craft_progress_bar'])
})
