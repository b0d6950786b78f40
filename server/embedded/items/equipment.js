/** Equipment: held and worn items as other players see them. */
import { Item } from '../minecraft/index.js'
import { HOTBAR, HOTBAR_START, OFF_HAND } from '../windows/window.js'

/** @import { Packet, Player } from '../types/index.d.ts' */

const ARMOUR = [5, 6, 7, 8]
/** Store index → equipment slot. @type {Record<number, number>} */
const ARMOUR_AND_HAND = { 5: 5, 6: 4, 7: 3, 8: 2, [OFF_HAND]: 1 }

/** @param {Player} player */
export function player(player) {
  player.inventory.on('change', (index) => player.showEquipment(index))

  /** Send other players one inventory slot of this player, if they can see it. */
  player.showEquipment = (index) => {
    const slot = equipmentSlot(index)
    if (slot === undefined || !player.spawned) return
    const item = Item.toNotch(player.inventory.slots[index])
    player._writeOthersNearby('entity_equipment', {
      entityId: player.id,
      equipments: [{ slot, item }]
    })
  }

  /** @param {number} index of the inventory @returns {number | undefined} */
  function equipmentSlot(index) {
    if (index === HOTBAR_START + player.heldItemSlot) return 0
    return ARMOUR_AND_HAND[index]
  }

  /** Return the equipment packets for players who have just come to see this one. */
  player.appearance = () => {
    const equipments = [...HOTBAR, ...ARMOUR, OFF_HAND]
      .filter((index) => equipmentSlot(index) !== undefined && player.inventory.slots[index])
      .map((index) => ({
        slot: equipmentSlot(index),
        item: Item.toNotch(player.inventory.slots[index])
      }))
    /** @type {Packet[]} */
    const worn = equipments.length
      ? [['entity_equipment', { entityId: player.id, equipments }]]
      : []
    return [...worn, ...player.poses()]
  }
}
