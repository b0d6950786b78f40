/**
 * Loot: the drops of a block dug with a tool, as in vanilla 1.20.4.
 *
 * The items, and the tools needed, come from minecraft-data (`blockLoot`, `harvestTools`). Its
 * chances are relative weights and its counts include the effect of fortune, so this file lists the
 * counts and chances that differ from these (minecraft.wiki, loot tables of 1.20.4).
 */
import { registry, Item, itemNamed, nbt } from '../minecraft/index.js'
import { propertiesOf } from './blocks.js'
import { tagOfItem, compounds } from '../minecraft/items.js'
import { BOX } from '../windows/containers.js'

/** @import { BlockKind, ItemTag, LootDrop, Server, Vec3 } from '../types/index.d.ts' */

/** @typedef {{name: string, count: number}} Drop */

/**
 * Count without fortune, and how fortune changes it.
 * @type {Record<string, {count: [number, number], fortune?: 'ore' | 'more', most?: number}>}
 */
const COUNTS = {
  coal: { count: [1, 1], fortune: 'ore' },
  diamond: { count: [1, 1], fortune: 'ore' },
  emerald: { count: [1, 1], fortune: 'ore' },
  lapis_lazuli: { count: [4, 9], fortune: 'ore' },
  quartz: { count: [1, 1], fortune: 'ore' },
  raw_copper: { count: [2, 5], fortune: 'ore' },
  raw_gold: { count: [1, 1], fortune: 'ore' },
  raw_iron: { count: [1, 1], fortune: 'ore' },
  redstone: { count: [4, 5], fortune: 'more' },
  gold_nugget: { count: [2, 6], fortune: 'ore' },
  clay_ball: { count: [4, 4] },
  glowstone_dust: { count: [2, 4], fortune: 'more', most: 4 },
  melon_slice: { count: [3, 7], fortune: 'more', most: 9 },
  snowball: { count: [4, 4] },
  book: { count: [3, 3] },
  prismarine_crystals: { count: [2, 3], fortune: 'more', most: 5 }
}

/** @typedef {{item: string, chance: number[], count?: [number, number]}} Chance by level of fortune */

const SAPLING = [0.05, 0.0625, 0.0833, 0.1]
const JUNGLE_SAPLING = [0.025, 0.0278, 0.0313, 0.0417]
const LEAF_STICKS = {
  item: 'stick',
  chance: [0.02, 0.0222, 0.025, 0.0333],
  count: /** @type {[number, number]} */ ([1, 2])
}
const APPLE = { item: 'apple', chance: [0.005, 0.0056, 0.0063, 0.0083] }
const MUSHROOM_BLOCK_COUNT = /** @type {[number, number]} */ ([-6, 2])

/** @param {Item | null} item @returns {Record<string, number>} */
const enchantmentsOf = (item) =>
  Object.fromEntries((item?.enchants ?? []).map((e) => [e.name, e.lvl]))

/**
 * @param {Pick<Server, 'randomSequence'>} serv source of the loot table's random sequence
 * @param {BlockKind} block minecraft-data's block @param {number} state
 * @param {Item | null} tool the item in hand, or null
 * @returns {Drop[]} empty if the tool is too weak (`harvestTools`)
 */
export function lootOf(serv, block, state, tool) {
  if (block.harvestTools && !(tool && block.harvestTools[tool.type])) return []
  const enchantments = enchantmentsOf(tool)
  const fortune = Math.min(3, enchantments.fortune ?? 0)
  const isSheared = tool?.name === 'shears'
  const isSilk = Boolean(enchantments.silk_touch)
  const random = serv.randomSequence(`minecraft:blocks/${block.name}`)
  const special = specialLoot(block.name, propertiesOf(state), { fortune, isSheared, isSilk })
  if (special) return drawn(random, special, fortune)
  const loot = registry.blockLoot[block.name] ?? registry.blockLoot[block.name.replace('wall_', '')]
  if (!loot) return []
  return loot.drops
    .filter((drop) => (isSilk ? !drop.noSilkTouch : !drop.silkTouch))
    .map((drop) => ({
      name: drop.item,
      count: countOf(random, drop, isSilk ? 0 : fortune)
    }))
    .filter((drop) => drop.count > 0)
}

/**
 * Return loot that depends on chance or on the block's state.
 * @param {string} name @param {Record<string, string>} properties
 * @param {{fortune: number, isSheared: boolean, isSilk: boolean}} tool @returns {Chance[] | null}
 */
function specialLoot(name, properties, { fortune, isSheared, isSilk }) {
  const always = (/** @type {string} */ item, /** @type {[number, number]} */ count = [1, 1]) => ({
    item,
    chance: [1],
    count
  })
  if (isSilk && !/_(bed|door)$|crops|wheat|carrots|potatoes|beetroots/.test(name)) return null
  if (/_leaves$/.test(name)) return isSheared ? [always(name)] : leafLoot(name)
  if (/^(grass|short_grass|fern)$/.test(name)) {
    return isSheared ? [always(name)] : [{ item: 'wheat_seeds', chance: [0.125] }]
  }
  if (/^(tall_grass|large_fern)$/.test(name)) return [{ item: 'wheat_seeds', chance: [0.125] }]
  if (/^(vine|seagrass|glow_lichen|cobweb)$/.test(name) && isSheared) return [always(name)]
  if (/^(vine|seagrass|glow_lichen)$/.test(name)) return []
  if (name === 'gravel') {
    const flint = [0.1, 0.1429, 0.25, 1][fortune]
    return [{ item: 'flint|gravel', chance: [flint] }]
  }
  if (/_slab$/.test(name)) return [always(name, properties.type === 'double' ? [2, 2] : [1, 1])]
  if (/^(red|brown)_mushroom_block$/.test(name)) {
    return [always(name.replace('_block', ''), MUSHROOM_BLOCK_COUNT)]
  }
  if (/candle$|^(pink_petals|sea_pickle)$/.test(name)) {
    const number = Number(properties.candles ?? properties.pickles ?? properties.flower_amount ?? 1)
    return [always(name, [number, number])]
  }
  if (name === 'snow') {
    const layers = Number(properties.layers)
    return [always('snowball', [layers, layers])]
  }
  if (name === 'mushroom_stem') return []
  if (name === 'dead_bush') return [always('stick', [0, 2])]
  if (/_door$/.test(name)) return properties.half === 'lower' ? [always(name)] : []
  if (/_bed$/.test(name)) return properties.part === 'head' ? [always(name)] : []
  return cropLoot(name, properties, always)
}

/** @param {string} name */
function leafLoot(name) {
  const sapling = name.replace('_leaves', '_sapling')
  const chance = name === 'jungle_leaves' ? JUNGLE_SAPLING : SAPLING
  const bearsApples = name === 'oak_leaves' || name === 'dark_oak_leaves'
  const saplings = registry.itemsByName[sapling] ? [{ item: sapling, chance }] : []
  return [...saplings, LEAF_STICKS, ...(bearsApples ? [APPLE] : [])]
}

/**
 * @param {string} name @param {Record<string, string>} properties
 * @param {(item: string, count?: [number, number]) => Chance} always
 */
function cropLoot(name, { age }, always) {
  const [isRipe, isRipeBeet] = [age === '7', age === '3']
  if (name === 'wheat') {
    return isRipe ? [always('wheat'), always('wheat_seeds', [1, 4])] : [always('wheat_seeds')]
  }
  if (name === 'carrots') return [always('carrot', isRipe ? [2, 5] : [1, 1])]
  if (name === 'potatoes') return [always('potato', isRipe ? [2, 5] : [1, 1])]
  if (name !== 'beetroots') return null
  const seeds = always('beetroot_seeds', isRipeBeet ? [1, 4] : [1, 1])
  return isRipeBeet ? [always('beetroot'), seeds] : [seeds]
}

/** @param {() => number} random @param {Chance[]} chances @param {number} fortune @returns {Drop[]} */
function drawn(random, chances, fortune) {
  return chances.flatMap(({ item, chance, count = [1, 1] }) => {
    const isDrawn = random() < (chance[Math.min(fortune, chance.length - 1)] ?? 0)
    const [first, otherwise] = item.split('|')
    const name = isDrawn ? first : otherwise
    const number = Math.max(0, uniform(random, count[0], count[1]))
    return name && number ? [{ name, count: number }] : []
  })
}

/** @param {() => number} random @param {LootDrop} drop @param {number} fortune */
function countOf(random, drop, fortune) {
  const rule = COUNTS[drop.item]
  const [least, most] = rule?.count ?? drop.stackSizeRange ?? [1, 1]
  const count = uniform(random, least, most ?? least)
  if (!rule?.fortune || !fortune) return count
  if (rule.fortune === 'more') {
    return Math.min(rule.most ?? Infinity, count + uniform(random, 0, fortune))
  }
  return count * Math.max(1, uniform(random, 0, fortune + 1))
}

/** @param {() => number} random @param {number} least @param {number} most both included */
const uniform = (random, least, most) => least + Math.floor(random() * (most - least + 1))

// Drops of a block that breaks: its loot, or a shulker box with its items.

/**
 * Return a tool that is good enough for a block; in vanilla, a block that breaks by itself needs
 * none.
 * @param {BlockKind} block
 */
function anyTool({ harvestTools }) {
  const [tool] = Object.keys(harvestTools ?? {})
  return tool === undefined ? null : new Item(Number(tool), 1)
}

/**
 * @param {Server} serv @param {Vec3} position of the block, which is still there
 * @param {number} state
 * @param {Item | null} [tool] in the digger's hand; none if it breaks by itself
 * @returns {Item[]} its drops; a shulker box is emptied into its item
 */
export function lootAt(serv, position, state, tool) {
  const block = registry.blocksByStateId[state]
  const packed = packUp(serv, position, block)
  if (packed) return [packed]
  const loot = lootOf(serv, block, state, tool === undefined ? anyTool(block) : tool)
  return loot.map(({ name, count }) => itemNamed(name, count))
}

/**
 * Return a shulker box that contains its items; null if it is empty or the block is not a shulker
 * box.
 * @param {Server} serv @param {Vec3} position @param {BlockKind} block @returns {Item | null}
 */
export function packUp(serv, position, block) {
  const container = BOX.test(block.name) ? serv.containerAt(position) : null
  if (!container?.store.slots.some(Boolean)) return null
  const items = container.store.slots.flatMap((item, slot) => (item ? [tagOfItem(item, slot)] : []))
  serv.emptyContainer(position)
  const value = { BlockEntityTag: nbt.comp({ Items: compounds(items) }) }
  const tag = /** @type {ItemTag} */ (
    /** @type {unknown} */ ({ type: 'compound', name: '', value })
  )
  return new Item(registry.itemsByName[block.name].id, 1, 0, tag)
}
