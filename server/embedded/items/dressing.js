/**
 * Dressing: using armour or elytra puts them on and returns the worn item to the hand
 * (minecraft.wiki: Armor).
 */
import { registry } from '../minecraft/index.js'

/** @import { Server } from '../types/index.d.ts' */

/**
 * Inventory indices, and the items that may be worn in each.
 * @type {[index: number, name: RegExp][]}
 */
const PLACES = [
  [5, /_helmet$/],
  [6, /_chestplate$|^elytra$/],
  [7, /_leggings$/],
  [8, /_boots$/]
]
/** Materials that have a separate sound. */
const MATERIAL = /^(leather|chainmail|iron|diamond|netherite|turtle)_/

/** @param {string} name of an item */
const placeOf = (name) => PLACES.find(([, names]) => names.test(name))?.[0]

/** @param {string} name of an item */
function soundOf(name) {
  if (name === 'elytra') return 'item.armor.equip_elytra'
  const material = MATERIAL.exec(name)?.[1] ?? 'gold'
  return `item.armor.equip_${material === 'chainmail' ? 'chain' : material}`
}

/** @param {Server} serv */
export function server(serv) {
  const worn = Object.keys(registry.itemsByName).filter((name) => placeOf(name) !== undefined)
  serv.onUse(worn, (player, item, hand) => {
    const index = /** @type {number} */ (placeOf(item.name))
    const before = player.inventory.slots[index]
    player.inventory.set(index, item)
    player.putInHand(hand, before)
    serv.playSound(soundOf(item.name), player.position, { category: 'player' })
  })
}
