/**
 * Inventories and the clicks in them.
 *
 * The server owns every slot. A click is played on the server's copy of the window in one go, so
 * items are conserved whoever clicks in the same container at the same time; a client whose
 * forecast of the click differs is sent the window as it is.
 */
import { createRequire } from 'node:module'
import { copyItem, itemClass, place } from './items.js'

const require = createRequire(import.meta.url)

const HOTBAR_START = 36
const ARMOR_AND_HAND = { 5: 5, 6: 4, 7: 3, 8: 2, 45: 1 } // window slot → equipment slot
const OUTSIDE = -999
const CLICK = { NORMAL: 0, SHIFT: 1, NUMBER: 2, MIDDLE: 3, DROP: 4 }
const CREATIVE = 1

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  const Item = itemClass(serv)
  const windows = require('prismarine-windows')(serv.registry)

  player.heldItemSlot = 0
  player.inventory = windows.createWindow(0, 'minecraft:inventory', 'Inventory')
  /** The container window that the player has open: {window, container} or null. */
  player.opened = null
  Object.defineProperty(player, 'heldItem', {
    get: () => player.inventory.slots[HOTBAR_START + player.heldItemSlot]
  })

  let clicking = false

  player.inventory.on('updateSlot', (/** @type {number} */ slot) => {
    if (!clicking) sendSlot(slot)
    showEquipment(slot)
  })

  /** @param {number} slot of the inventory window */
  function sendSlot(slot) {
    const item = Item.toNotch(player.inventory.slots[slot])
    const shift = player.opened ? player.opened.window.inventoryStart - 9 : 0
    if (player.opened && slot >= 9 && slot < 45) {
      place(player.opened.window, slot + shift, copyItem(serv, player.inventory.slots[slot]))
      const windowId = player.opened.window.id
      player._client.write('set_slot', { windowId, stateId: 0, slot: slot + shift, item })
    } else {
      player._client.write('set_slot', { windowId: 0, stateId: 0, slot, item })
    }
  }

  /** @param {any} window */
  function sendWindow(window) {
    player._client.write('window_items', {
      windowId: window.id,
      stateId: 0,
      items: window.slots.map((/** @type {any} */ item) => Item.toNotch(item)),
      carriedItem: Item.toNotch(window.selectedItem)
    })
  }

  /** @param {number} slot of the inventory window */
  function showEquipment(slot) {
    const place =
      slot === HOTBAR_START + player.heldItemSlot ? 0 : /** @type {any} */ (ARMOR_AND_HAND)[slot]
    if (place === undefined) return
    const item = player.inventory.slots[slot]
    player.setEquipment?.(place, item)
    player._writeOthersNearby('entity_equipment', {
      entityId: player.id,
      equipments: [{ slot: place, item: Item.toNotch(item) }]
    })
  }

  player._client.on('held_item_slot', ({ slotId = 0 } = {}) => {
    if (slotId < 0 || slotId > 8) return
    player.heldItemSlot = slotId
    showEquipment(HOTBAR_START + slotId)
  })

  player._client.on('set_creative_slot', (/** @type {any} */ { slot, item }) => {
    if (player.gameMode !== CREATIVE || slot < 0 || slot > 45) return
    player.inventory.updateSlot(slot, Item.fromNotch(item))
  })

  player._client.on('window_click', (/** @type {any} */ click) => {
    const window = player.opened?.window ?? player.inventory
    if (click.windowId !== window.id) return
    clicking = true
    try {
      play(window, click)
    } catch (error) {
      serv.warn(`${player.username}: refused click ${JSON.stringify(click)}: ${error}`)
    } finally {
      clicking = false
    }
    if (player.opened) player.opened.container.write(player)
    if (!asForeseen(window, click)) sendWindow(window)
  })

  /** @param {any} window @param {any} click */
  function play(window, click) {
    const { mode, slot, mouseButton } = click
    if (mode > CLICK.DROP) throw new Error('drag and double click are not supported')
    if (slot !== OUTSIDE && (slot < 0 || slot >= window.slots.length)) return
    const item = slot === OUTSIDE ? null : window.slots[slot]
    const thrown = thrownBy(window, click, item)
    window.acceptClick({ mode, slot, mouseButton, item }, player.gameMode)
    if (thrown) player.throwItem(thrown)
  }

  /** What a click throws out of the window. @param {any} window @param {any} click @param {any} item */
  function thrownBy(window, { mode, slot, mouseButton }, item) {
    const all = mode === CLICK.DROP ? mouseButton === 1 : mouseButton === 0
    const source = mode === CLICK.DROP ? item : slot === OUTSIDE ? window.selectedItem : null
    if (!source || (mode === CLICK.DROP && window.selectedItem)) return null
    return copyItem(serv, source, all ? source.count : 1)
  }

  /** @param {any} window @param {any} click */
  function asForeseen(window, click) {
    const same = (/** @type {any} */ mine, /** @type {any} */ theirs) =>
      Item.equal(mine ?? null, Item.fromNotch(theirs), true)
    if (!same(window.selectedItem, click.cursorItem)) return false
    const claimed = new Map(click.changedSlots.map((/** @type {any} */ c) => [c.location, c.item]))
    if (!claimed.size && click.slot !== OUTSIDE) return false
    return [...claimed].every(([slot, item]) => same(window.slots[slot], item))
  }

  player._client.on('close_window', () => player.closeContainer())

  player.closeContainer = () => {
    giveBackCursor(player.opened?.window ?? player.inventory)
    player.opened?.container.close(player)
    player.opened = null
  }

  /** @param {any} window */
  function giveBackCursor(window) {
    const item = window.selectedItem
    window.selectedItem = null
    if (item) player.giveItem(item) || player.throwItem(item)
  }

  /**
   * Shows a container (see containers.js) to the player.
   * @param {any} container
   */
  player.openContainer = (container) => {
    player.closeContainer()
    player.windowId = ((player.windowId ?? 0) % 100) + 1
    const window = windows.createWindow(player.windowId, container.windowType, container.title)
    player.opened = { window, container }
    container.open(player)
    const type = windows.createWindow(0, container.windowType, '').type
    player._client.write('open_window', {
      windowId: window.id,
      inventoryType: containerTypeId(type),
      windowTitle: serv._createChatComponent(container.title).toNetworkFormat()
    })
    sendWindow(window)
  }

  /** @param {string} type such as minecraft:generic_9x3 */
  function containerTypeId(type) {
    return Number(type.match(/9x(\d)/)?.[1] ?? 3) - 1
  }

  player.sendOpenSlot = (/** @type {number} */ slot) => {
    const { window } = player.opened
    const item = Item.toNotch(window.slots[slot])
    player._client.write('set_slot', { windowId: window.id, stateId: 0, slot, item })
  }

  /**
   * Adds an item to the inventory, onto stacks of its kind first.
   * @param {any} item its count becomes what did not fit
   * @returns {boolean} whether all of it fitted
   */
  player.giveItem = (item) => {
    const { inventory } = player
    while (item.count > 0) {
      const stack = inventory.findItemRange(9, 45, item.type, item.metadata, true, item.nbt)
      const slot = stack ? stack.slot : inventory.firstEmptyInventorySlot()
      if (slot === null) return false
      const room = item.stackSize - (stack?.count ?? 0)
      const moved = Math.min(room, item.count)
      item.count -= moved
      inventory.updateSlot(slot, copyItem(serv, item, (stack?.count ?? 0) + moved))
    }
    return true
  }

  player._client.on('end', () => {
    if (player.username) player.closeContainer()
  })
}
