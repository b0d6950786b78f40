/**
 * Inventories: what players carry, the windows they have open, and their clicks.
 *
 * Slots 5–8 of `player.inventory` are armour, 9–35 the main part, 36–44 the hotbar, 45 the off
 * hand, as in the protocol's inventory window; 0–4 stay empty, the crafting grid is a store of its own.
 */
import { Item } from '../minecraft.js'
import { copyOf, Store } from '../windows/store.js'
import { craftingWindow, inventoryWindow } from '../windows/kinds.js'
import { HOTBAR, MAIN } from '../windows/window.js'
import { component } from './chat.js'

const HOTBAR_START = 36
const OFF_HAND = 45
const ARMOUR_AND_HAND = { 5: 5, 6: 4, 7: 3, 8: 2, [OFF_HAND]: 1 } // store index → equipment slot
const CREATIVE = 1

/** The protocol's numbers of window types in 1.20.4. @type {Record<string, number>} */
const WINDOW_TYPES = {
  'minecraft:generic_9x3': 2,
  'minecraft:generic_9x6': 5,
  'minecraft:blast_furnace': 10,
  'minecraft:crafting': 12,
  'minecraft:furnace': 14,
  'minecraft:smoker': 22
}

/** @param {any} serv */
export function server(serv) {
  /** Tells all players what changed in their windows. */
  serv.tellWindows = () => {
    for (const player of serv.players) player.window.sendChanges(player.connection)
  }
  serv.on('tickEnd', serv.tellWindows)

  serv.once('asap', () => {
    serv.onUseBlock(['crafting_table'], (/** @type {any} */ player) => {
      player.openWindow(craftingWindow(player.inventory, player.hand))
      return true
    })
  })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  const { _client: client } = player
  player.heldItemSlot = 0
  player.inventory = new Store(46)
  player.enderChest = new Store(27)
  const grid = new Store(4)
  Object.defineProperty(player, 'heldItem', {
    configurable: true,
    get: () => player.inventory.slots[HOTBAR_START + player.heldItemSlot],
    set: (item) => player.inventory.set(HOTBAR_START + player.heldItemSlot, item)
  })

  /** @type {import('../windows/window.js').Client} */
  player.connection = {
    write: (name, fields) => client.write(name, fields),
    toNotch: Item.toNotch.bind(Item)
  }
  /** @type {import('../windows/clicks.js').Hand} */
  player.hand = {
    inventory: player.inventory,
    get isCreative() {
      return player.gameMode === CREATIVE
    },
    drop: (item) => player.throwItem(item),
    give: (item) => player.giveItem(item)
  }
  const ownWindow = inventoryWindow(player.inventory, grid, player.hand)
  player.window = ownWindow

  player.inventory.on('change', showEquipment)

  /** @param {number} index of the inventory */
  function showEquipment(index) {
    const slot = equipmentSlot(index)
    if (slot === undefined || !player.spawned) return
    const item = Item.toNotch(player.inventory.slots[index])
    player._writeOthersNearby('entity_equipment', {
      entityId: player.id,
      equipments: [{ slot, item }]
    })
  }

  /** @param {number} index @returns {number | undefined} */
  function equipmentSlot(index) {
    if (index === HOTBAR_START + player.heldItemSlot) return 0
    return /** @type {any} */ (ARMOUR_AND_HAND)[index]
  }

  /** What others see when the player comes into their sight. */
  player.appearance = () => {
    const equipments = [...HOTBAR, 5, 6, 7, 8, OFF_HAND]
      .filter((index) => equipmentSlot(index) !== undefined && player.inventory.slots[index])
      .map((index) => ({
        slot: equipmentSlot(index),
        item: Item.toNotch(player.inventory.slots[index])
      }))
    const worn = equipments.length
      ? [['entity_equipment', { entityId: player.id, equipments }]]
      : []
    return [...worn, ...player.poses()]
  }

  client.on('held_item_slot', ({ slotId = 0 } = {}) => {
    if (slotId < 0 || slotId > 8) return
    player.heldItemSlot = slotId
    player.stopUsing()
    showEquipment(HOTBAR_START + slotId)
  })

  client.on('set_creative_slot', (/** @type {any} */ { slot, item }) => {
    if (player.gameMode !== CREATIVE) return
    const wanted = Item.fromNotch(item)
    if (slot === -1 && wanted) player.throwItem(wanted)
    if (slot >= 5 && slot <= OFF_HAND) player.inventory.set(slot, wanted)
  })

  client.on('window_click', (/** @type {any} */ click) => {
    const { window } = player
    if (click.windowId !== window.id || player.isDead) return
    try {
      window.click(click, player.hand, player.connection, Item.fromNotch.bind(Item))
    } catch (error) {
      serv.err(`${player.username}: click ${JSON.stringify(click)}: ${error}`)
      window.sendAll(player.connection)
    }
  })

  client.on('close_window', () => player.closeWindow())

  /** Gives back what lies on the cursor and in the grid, and returns to the player's own window. */
  player.closeWindow = () => {
    const closed = player.window
    const loose = [closed.cursor, ...(closed === ownWindow ? grid.empty() : [])]
    closed.cursor = null
    player.window = ownWindow
    if (closed !== ownWindow) {
      ownWindow.learnFrom(closed)
      closed.onClose?.()
    }
    for (const item of loose) {
      const left = item && player.giveItem(item)
      if (left) player.throwItem(left)
    }
  }

  /** Closes the player's window, and the client's too. */
  player.shutWindow = () => {
    if (player.window === ownWindow) return
    client.write('close_window', { windowId: player.window.id })
    player.closeWindow()
  }

  let lastWindowId = 0

  /** @param {import('../windows/window.js').Window} window */
  player.openWindow = (window) => {
    player.closeWindow()
    lastWindowId = (lastWindowId % 100) + 1
    window.id = lastWindowId
    player.window = window
    client.write('open_window', {
      windowId: window.id,
      inventoryType: WINDOW_TYPES[window.type],
      windowTitle: component(window.title)
    })
    window.sendAll(player.connection)
  }

  /** @param {any} item @returns {any} what did not fit, or null */
  player.giveItem = (item) => {
    const held = HOTBAR_START + player.heldItemSlot
    return player.inventory.add(item, [held, ...HOTBAR.filter((i) => i !== held), ...MAIN])
  }

  /** What lies on the cursor and in grids, in no slot of the inventory. @returns {any[]} */
  player.looseItems = () => {
    const { window } = player
    const table = window.type === 'minecraft:crafting' ? window.slots.slice(1, 10) : []
    const inGrids = [...grid.slots, ...table.map((/** @type {any} */ slot) => slot.item)]
    return [window.cursor, ...inGrids].filter(Boolean)
  }

  /** Everything that the player carries, taken away. @returns {any[]} */
  player.emptyPockets = () => {
    const { window } = player
    const cursor = window.cursor ? [window.cursor] : []
    window.cursor = null
    return [...cursor, ...grid.empty(), ...player.inventory.empty()]
  }

  /** @param {number} count how many of the held item to use up */
  player.useUpHeld = (count = 1) => {
    if (player.gameMode === CREATIVE || !player.heldItem) return
    player.heldItem = copyOf(player.heldItem, player.heldItem.count - count)
  }
}
