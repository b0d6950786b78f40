/** Loot: what a block drops when it is dug with a tool. */

/**
 * Counts without fortune, as vanilla's loot tables have them. minecraft-data mixes fortune into
 * its ranges (1 to 2 diamonds an ore), so ores are listed here.
 * @type {Record<string, [number, number]>}
 */
const COUNTS = {
  coal: [1, 1],
  diamond: [1, 1],
  emerald: [1, 1],
  lapis_lazuli: [4, 9],
  quartz: [1, 1],
  raw_copper: [2, 5],
  raw_gold: [1, 1],
  raw_iron: [1, 1],
  redstone: [4, 5]
}

/**
 * @param {any} serv
 * @param {any} block minecraft-data's block
 * @param {any} tool the item in hand, or null
 * @returns {{name: string, count: number}[]} nothing where the tool is too weak (`harvestTools`)
 */
export function lootOf(serv, block, tool) {
  if (block.harvestTools && !block.harvestTools[tool?.type]) return []
  const loot = serv.registry.blockLoot?.[block.name]
  if (!loot) return []
  const silk = (tool?.enchants ?? []).some((/** @type {any} */ e) => e.name === 'silk_touch')
  return loot.drops
    .filter((/** @type {any} */ drop) => (silk ? !drop.noSilkTouch : !drop.silkTouch))
    .filter((/** @type {any} */ drop) => drop.noSilkTouch || serv.random() < (drop.dropChance ?? 1))
    .map((/** @type {any} */ drop) => ({ name: drop.item, count: countOf(drop, serv.random) }))
    .filter((/** @type {{count: number}} */ drop) => drop.count > 0)
}

/** @param {any} drop @param {() => number} random */
function countOf(drop, random) {
  const [least, most] = COUNTS[drop.item] ?? drop.stackSizeRange ?? [1, 1]
  const upper = most ?? least
  return least + Math.floor(random() * (upper - least + 1))
}
