/** Armour: what it keeps off, and how it wears (minecraft.wiki: Armor, Java Edition). */
import { registry } from '../minecraft.js'
import { damaged } from './held.js'

/** @import { Player } from '../types.d.ts' */

const SLOTS = [5, 6, 7, 8]
const PARTS = ['helmet', 'chestplate', 'leggings', 'boots']
/** Points of the four parts, and the toughness of each. @type {Record<string, {points: number[], toughness: number}>} */
const MATERIALS = {
  leather: { points: [1, 3, 2, 1], toughness: 0 },
  golden: { points: [2, 5, 3, 1], toughness: 0 },
  chainmail: { points: [2, 5, 4, 1], toughness: 0 },
  iron: { points: [2, 6, 5, 2], toughness: 0 },
  turtle: { points: [2, 0, 0, 0], toughness: 0 },
  diamond: { points: [3, 8, 6, 3], toughness: 2 },
  netherite: { points: [3, 8, 6, 3], toughness: 3 }
}
/** Damage types that armour does something against. */
const ABSORBED = new Set(['player_attack', 'in_fire'])
const MOST_POINTS = 20
/** Of protection enchantments, together. */
const MOST_PROTECTION = 20

/** @param {Player} player */
export function player(player) {
  player.absorb = (damage, cause) => {
    if (!ABSORBED.has(cause)) return damage
    const worn = SLOTS.flatMap((slot) => player.inventory.slots[slot] ?? [])
    const { points, toughness, protection } = strengthOf(worn)
    wear(player, Math.max(1, Math.floor(damage / 4)))
    return remaining(damage, points, toughness) * (1 - Math.min(MOST_PROTECTION, protection) / 25)
  }
}

/** @param {number} damage @param {number} points @param {number} toughness @returns {number} what comes through armour */
export function remaining(damage, points, toughness) {
  const strength = Math.max(points / 5, points - damage / (2 + toughness / 4))
  return damage * (1 - Math.min(MOST_POINTS, strength) / 25)
}

/** @param {import('../types.d.ts').Item[]} worn */
function strengthOf(worn) {
  const sum = { points: 0, toughness: 0, protection: 0 }
  for (const { name, enchants } of worn) {
    const [material, part] = name.split('_')
    sum.points += MATERIALS[material]?.points[PARTS.indexOf(part)] ?? 0
    sum.toughness += PARTS.includes(part) ? (MATERIALS[material]?.toughness ?? 0) : 0
    sum.protection += enchants.find((enchant) => enchant.name === 'protection')?.lvl ?? 0
  }
  return sum
}

/** @param {Player} player @param {number} uses */
function wear(player, uses) {
  for (const slot of SLOTS) {
    const item = player.inventory.slots[slot]
    const most = item && registry.items[item.type]?.maxDurability
    if (!item || !most) continue
    const used = (item.nbt?.value?.Damage?.value ?? 0) + uses
    player.inventory.set(slot, used >= most ? null : damaged(item, used))
  }
}
