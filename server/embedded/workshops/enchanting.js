/**
 * Enchanting tables: three offers, which depend on the player's seed, and what they do
 * (minecraft.wiki: Enchanting mechanics).
 */
import { Item, registry } from '../minecraft/index.js'
import { columnRandom } from '../world/terrain/noise.js'
import { copyOf } from '../windows/store.js'
import { enchantingWindow } from './workshops.js'
import { blockAt } from '../blocks/blocks.js'
import { CREATIVE } from '../players/game-modes.js'

/** @import { Enchantment, Player, Server, Vec3 } from '../types/index.d.ts' */
/** @import { Store } from '../windows/store.js' */

const OFFERS = [0, 1, 2]
const MOST_SHELVES = 15
/** Enchantability by material. @type {[RegExp, number][]} */
const ENCHANTABILITY = [
  [/^wooden_/, 15],
  [/^(stone_|shield)/, 5],
  [/^iron_(helmet|chestplate|leggings|boots)$/, 9],
  [/^iron_/, 14],
  [/^golden_/, 25],
  [/^golden_(sword|pickaxe|axe|shovel|hoe)$/, 22],
  [/^diamond_/, 10],
  [/^netherite_/, 15],
  [/^leather_/, 15],
  [/^chainmail_/, 12],
  [/^turtle_/, 9],
  [/^(book|bow|crossbow|fishing_rod|trident)$/, 1]
]

/** @typedef {{name: string, lvl: number}} Chosen */

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () =>
    serv.onUseBlock(['enchanting_table'], (player, position) => {
      const shelves = shelvesAround(serv, position)
      /** @type {Store | null} */
      let store = null
      const properties = () => propertiesOf(player, store?.slots[0] ?? null, shelves)
      const { inventory, hand } = player
      const opened = enchantingWindow({ inventory, hand, properties })
      store = opened.inputs
      player.enchantingTable = { window: opened.window, inputs: opened.inputs, shelves }
      player.openWindow(opened.window)
      return true
    })
  )
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.enchantmentSeed = Math.floor(serv.random() * 0x7fff)
  player.enchantingTable = null

  player._client.on('enchant_item', ({ windowId, enchantment: at }) => {
    const { window, enchantingTable: table } = player
    if (!table || window !== table.window || windowId !== window.id || !OFFERS.includes(at)) return
    const [item, lapis] = table.inputs.slots
    const cost = item ? costOf(player, item, at, table.shelves) : 0
    const isFree = player.gameMode === CREATIVE
    const isPaid = isFree || ((lapis?.count ?? 0) > at && player.level >= cost)
    if (!item || !cost || !isPaid) return
    const chosen = choose(player, item, at, cost)
    if (!chosen.length) return
    player.addLevels(-(at + 1))
    if (!isFree && lapis) table.inputs.set(1, copyOf(lapis, lapis.count - at - 1))
    player.enchantmentSeed = Math.floor(serv.random() * 0x7fff)
    table.inputs.set(0, enchanted(item, chosen))
    window.sendChanges(player.connection)
    serv.playSound('block.enchantment_table.use', player.position)
  })
}

/** @param {Item} item @param {Chosen[]} chosen @returns {Item} */
function enchanted(item, chosen) {
  const isBook = item.name === 'book'
  const kind = isBook ? registry.itemsByName.enchanted_book : registry.items[item.type]
  const made = new Item(kind.id, 1, 0, isBook ? null : structuredClone(item.nbt))
  made.enchants = chosen
  return made
}

/**
 * Count bookshelves that are two blocks away with only air in between.
 * @param {Server} serv @param {Vec3} position
 */
function shelvesAround(serv, position) {
  let count = 0
  for (let x = -2; x <= 2; x++) {
    for (let z = -2; z <= 2; z++) {
      if (Math.abs(x) !== 2 && Math.abs(z) !== 2) continue
      for (const y of [0, 1]) {
        const between = position.offset(Math.trunc(x / 2), y, Math.trunc(z / 2))
        const isShelf = blockAt(serv, position.offset(x, y, z))?.name === 'bookshelf'
        if (isShelf && blockAt(serv, between)?.name === 'air') count += 1
      }
    }
  }
  return Math.min(MOST_SHELVES, count)
}

/** @param {Item} item @returns {number} 0 for items that a table cannot enchant */
function enchantabilityOf(item) {
  if (item.enchants.length || (item.name === 'book' && item.count > 1)) return 0
  const found = ENCHANTABILITY.filter(([names]) => names.test(item.name))
  return registry.items[item.type].enchantCategories || item.name === 'book'
    ? (found.at(-1)?.[1] ?? 0)
    : 0
}

/** @param {Player} player @param {number} salt */
const dice = (player, salt) => {
  const random = columnRandom(player.enchantmentSeed, salt, 7)
  return (/** @type {number} */ sides) => Math.floor(random() * sides)
}

/**
 * Return the level that an offer requires.
 * @param {Player} player @param {Item} item @param {number} at @param {number} shelves
 */
function costOf(player, item, at, shelves) {
  if (!enchantabilityOf(item)) return 0
  const roll = dice(player, -1)
  let cost = 0
  for (let offer = 0; offer <= at; offer++) {
    const base = roll(8) + 1 + (shelves >> 1) + roll(shelves + 1)
    cost = [
      Math.max(Math.floor(base / 3), 1),
      Math.floor((base * 2) / 3) + 1,
      Math.max(base, shelves * 2)
    ][offer]
  }
  return cost < at + 1 ? 0 : cost
}

/**
 * Return the enchantments in an offer.
 * @param {Player} player @param {Item} item @param {number} at @param {number} cost
 * @returns {Chosen[]}
 */
function choose(player, item, at, cost) {
  const roll = dice(player, at)
  const worth = enchantabilityOf(item)
  const bonus = 1 + roll(Math.floor(worth / 4) + 1) + roll(Math.floor(worth / 4) + 1)
  const luck = ((roll(1000) + roll(1000)) / 1000 - 1) * 0.15
  let level = Math.max(1, Math.round((cost + bonus) * (1 + luck)))
  let pool = possible(item, level)
  /** @type {Chosen[]} */
  const chosen = []
  while (pool.length) {
    const picked = weighted(pool, roll)
    chosen.push({ name: picked.kind.name, lvl: picked.lvl })
    if (roll(50) > level) break
    pool = pool.filter(
      ({ kind }) => kind !== picked.kind && !kind.exclude.includes(picked.kind.name)
    )
    level = Math.floor(level / 2)
  }
  if (item.name === 'book' && chosen.length > 1) chosen.splice(roll(chosen.length), 1)
  return chosen
}

/** @param {Item} item @param {number} level @returns {{kind: Enchantment, lvl: number}[]} */
function possible(item, level) {
  const categories = registry.items[item.type].enchantCategories ?? []
  return registry.enchantmentsArray.flatMap((kind) => {
    const fits = item.name === 'book' || categories.includes(kind.category)
    if (!fits || kind.treasureOnly || !kind.discoverable) return []
    for (let lvl = kind.maxLevel; lvl >= 1; lvl--) {
      const least = kind.minCost.a * lvl + kind.minCost.b
      const most = kind.maxCost.a * lvl + kind.maxCost.b
      if (level >= least && level <= most) return [{ kind, lvl }]
    }
    return []
  })
}

/** @param {{kind: Enchantment, lvl: number}[]} pool @param {(sides: number) => number} roll */
function weighted(pool, roll) {
  let left = roll(pool.reduce((sum, { kind }) => sum + kind.weight, 0))
  return pool.find(({ kind }) => (left -= kind.weight) < 0) ?? pool[0]
}

/**
 * Return the window properties: costs, seed, and the enchantment shown for each offer.
 * @param {Player} player @param {Item | null} item @param {number} shelves
 * @returns {[number, number][]}
 */
function propertiesOf(player, item, shelves) {
  const offers = OFFERS.map((at) => {
    const cost = item ? costOf(player, item, at, shelves) : 0
    const [first] = item && cost ? choose(player, item, at, cost) : []
    const id = first ? (registry.enchantmentsByName[first.name]?.id ?? -1) : -1
    return { cost: first ? cost : 0, id, lvl: first?.lvl ?? -1 }
  })
  return [
    ...offers.map(({ cost }, at) => /** @type {[number, number]} */ ([at, cost])),
    [3, player.enchantmentSeed & 0xfff0],
    ...offers.map(({ id }, at) => /** @type {[number, number]} */ ([4 + at, id])),
    ...offers.map(({ lvl }, at) => /** @type {[number, number]} */ ([7 + at, lvl]))
  ]
}
