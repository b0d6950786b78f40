/** Armour: reduction of damage, and wear (minecraft.wiki: Armor, Java Edition). */
import { registry } from '../minecraft/index.js'
import { damaged } from '../items/held.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const SLOTS = [5, 6, 7, 8]
const PARTS = ['helmet', 'chestplate', 'leggings', 'boots']
/**
 * Armour points of the four pieces, and the toughness of each.
 * @type {Record<string, {points: number[], toughness: number}>}
 */
const MATERIALS = {
  leather: { points: [1, 3, 2, 1], toughness: 0 },
  golden: { points: [2, 5, 3, 1], toughness: 0 },
  chainmail: { points: [2, 5, 4, 1], toughness: 0 },
  iron: { points: [2, 6, 5, 2], toughness: 0 },
  turtle: { points: [2, 0, 0, 0], toughness: 0 },
  diamond: { points: [3, 8, 6, 3], toughness: 2 },
  netherite: { points: [3, 8, 6, 3], toughness: 3 }
}
/** Damage types that bypass armour, as in vanilla's tag. */
const BYPASSES =
  /^(on_fire|in_wall|cramming|drown|fly_into_wall|generic|generic_kill|wither|dragon_breath|starve|fall|freeze|stalagmite|magic|indirect_magic|out_of_world|sonic_boom|outside_border)$/
/** Damage types that bypass all protection. */
const ABSOLUTE = /^(generic_kill|out_of_world|starve)$/
/**
 * Enchantments, the damage types they reduce, and protection points per level.
 * @type {[name: string, against: RegExp, factor: number][]}
 */
const PROTECTIONS = [
  ['protection', /./, 1],
  ['fire_protection', /fire|lava|hot_floor/, 2],
  ['blast_protection', /explosion/, 2],
  ['projectile_protection', /arrow|thrown|trident|fireball/, 2],
  ['feather_falling', /^(fall|stalagmite)$/, 3]
]
const RESISTANCE = 10
const MOST_POINTS = 20
/** Maximum total protection from enchantments. */
const MOST_PROTECTION = 20

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.absorb = (damage, cause) => {
    if (ABSOLUTE.test(cause)) return damage
    const worn = SLOTS.flatMap((slot) => player.inventory.slots[slot] ?? [])
    const { points, toughness, protection } = strengthOf(worn, cause)
    const resistance = player.effects[RESISTANCE] ? player.effects[RESISTANCE].amplifier + 1 : 0
    let left = damage
    if (!BYPASSES.test(cause)) {
      wear(serv, player, Math.max(1, Math.floor(damage / 4)))
      left = remaining(damage, points, toughness)
    }
    const spared = Math.min(5, resistance) / 5
    return left * (1 - spared) * (1 - Math.min(MOST_PROTECTION, protection) / 25)
  }
}

/** Return the armour points shown above a player's hearts: 0 to 20. @param {Player} player */
export const armourPointsOf = ({ inventory }) =>
  Math.min(
    MOST_POINTS,
    strengthOf(
      SLOTS.flatMap((slot) => inventory.slots[slot] ?? []),
      ''
    ).points
  )

/**
 * @param {number} damage @param {number} points @param {number} toughness
 * @returns {number} damage left after armour
 */
export function remaining(damage, points, toughness) {
  const strength = Math.max(points / 5, points - damage / (2 + toughness / 4))
  return damage * (1 - Math.min(MOST_POINTS, strength) / 25)
}

/** @param {import('../types/index.d.ts').Item[]} worn @param {string} cause */
function strengthOf(worn, cause) {
  const sum = { points: 0, toughness: 0, protection: 0 }
  for (const { name, enchants } of worn) {
    const [material, part] = name.split('_')
    sum.points += MATERIALS[material]?.points[PARTS.indexOf(part)] ?? 0
    sum.toughness += PARTS.includes(part) ? (MATERIALS[material]?.toughness ?? 0) : 0
    for (const [enchantment, against, factor] of PROTECTIONS) {
      const level = enchants.find((enchant) => enchant.name === enchantment)?.lvl ?? 0
      if (level && against.test(cause)) sum.protection += factor * level
    }
  }
  return sum
}

/** @param {Server} serv @param {Player} player @param {number} uses */
function wear(serv, player, uses) {
  for (const slot of SLOTS) {
    const item = player.inventory.slots[slot]
    const most = item && registry.items[item.type]?.maxDurability
    if (!item || !most) continue
    const used = (item.nbt?.value?.Damage?.value ?? 0) + uses
    player.inventory.set(slot, used >= most ? null : damaged(item, used))
    if (used >= most) serv.emit('itemBroken', player, item)
  }
}
