/** The held item: slot selection, use, wear, throwing, swapping. */
import { Item, itemNamed, registry } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { HOTBAR_START, OFF_HAND } from '../windows/window.js'
import { CREATIVE } from '../players/game-modes.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.heldItemSlot = 0
  Object.defineProperty(player, 'heldItem', {
    configurable: true,
    get: () => player.inventory.slots[HOTBAR_START + player.heldItemSlot],
    set: (item) => player.inventory.set(HOTBAR_START + player.heldItemSlot, item)
  })

  player._client.on('held_item_slot', ({ slotId = 0 } = {}) => {
    if (slotId < 0 || slotId > 8) return
    player.heldItemSlot = slotId
    player.stopUsing()
    player.showEquipment(HOTBAR_START + slotId)
  })

  player.useUpHeld = (count = 1) => {
    if (player.gameMode === CREATIVE || !player.heldItem) return
    player.heldItem = copyOf(player.heldItem, player.heldItem.count - count)
  }

  player.exchangeHeld = (name) => {
    if (player.gameMode === CREATIVE) return
    player.useUpHeld()
    if (player.heldItem) player.giveOrThrow(name)
    else player.heldItem = itemNamed(name)
  }

  const slotOf = (/** @type {number} */ hand) =>
    hand === 0 ? HOTBAR_START + player.heldItemSlot : OFF_HAND
  player.inHand = (hand) => player.inventory.slots[slotOf(hand)]
  player.putInHand = (hand, item) => player.inventory.set(slotOf(hand), item)
  player.useUp = (hand) => {
    const item = player.inHand(hand)
    if (!item || player.gameMode === CREATIVE) return
    player.putInHand(hand, copyOf(item, item.count - 1))
  }

  /** Wear the item of a slot; it breaks when worn out. */
  player.wearSlot = (slot, uses) => {
    const tool = player.inventory.slots[slot]
    const most = tool && registry.items[tool.type]?.maxDurability
    if (!most || player.gameMode === CREATIVE) return
    const used = (tool.nbt?.value?.Damage?.value ?? 0) + uses
    player.inventory.set(slot, used >= most ? null : damaged(tool, used))
    if (used >= most) serv.emit('itemBroken', player, tool)
  }
  player.wearHand = (hand, uses) => player.wearSlot(slotOf(hand), uses)
  player.wearTool = (uses) => player.wearHand(0, uses)

  player.throwHeld = (isAll) => {
    const item = player.heldItem
    if (!item) return
    const count = isAll ? item.count : 1
    player.heldItem = copyOf(item, item.count - count)
    player.throwItem(copyOf(item, count))
  }

  player.swapHands = () => {
    const slot = HOTBAR_START + player.heldItemSlot
    const [main, off] = [player.inventory.slots[slot], player.inventory.slots[OFF_HAND]]
    player.inventory.set(slot, off)
    player.inventory.set(OFF_HAND, main)
  }
}

/** @param {Item} tool @param {number} used in uses @returns {Item} a copy with this damage */
export function damaged(tool, used) {
  const value = {
    ...(tool.nbt?.value ?? {}),
    Damage: { type: /** @type {const} */ ('int'), value: used }
  }
  return new Item(tool.type, 1, 0, { type: 'compound', name: '', value })
}
