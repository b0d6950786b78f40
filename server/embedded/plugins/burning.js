/** How easily blocks catch fire, and how fast it eats them (minecraft.wiki: Fire, "Burnable blocks"). */
import { registry } from '../minecraft.js'
import { propertiesOf } from './blocks.js'

/** @typedef {{catches: number, goes: number}} Odds */

const WOOD = '(oak|spruce|birch|jungle|acacia|cherry|dark_oak|mangrove|bamboo|bamboo_mosaic)'
/** The first that fits counts. @type {[names: RegExp, catches: number, goes: number][]} */
const KINDS = [
  [new RegExp(`^${WOOD}_(planks|mosaic|slab|stairs|fence|fence_gate)$`), 5, 20],
  [new RegExp(`^(stripped_)?${WOOD}_(log|wood|block)$`), 5, 5],
  [/^mangrove_roots$/, 5, 20],
  [/_leaves$/, 30, 60],
  [/^(bookshelf|chiseled_bookshelf|bee_nest|lectern)$/, 30, 20],
  [/^tnt$/, 15, 100],
  [/^(short_grass|fern|dead_bush|sunflower|lilac|rose_bush|peony|tall_grass|large_fern)$/, 60, 100],
  [/^(dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower)$/, 60, 100],
  [/_tulip$|^(lily_of_the_valley|torchflower|pitcher_plant|wither_rose|pink_petals)$/, 60, 100],
  [/^(sweet_berry_bush|spore_blossom|big_dripleaf|small_dripleaf)$/, 60, 100],
  [/_wool$/, 30, 60],
  [/_carpet$|^hay_block$/, 60, 20],
  [/^(vine|glow_lichen)$/, 15, 100],
  [/^coal_block$/, 5, 5],
  [/^target$/, 15, 20],
  [/^(dried_kelp_block|azalea|flowering_azalea|hanging_roots)$/, 30, 60],
  [/^(bamboo|scaffolding)$/, 60, 60],
  [/^(composter|beehive)$/, 5, 20],
  [/^(cave_vines|cave_vines_plant)$/, 15, 60]
]
/** Of what does not burn. */
const NONE = { catches: 0, goes: 0 }

/** By block id. @type {Record<number, Odds>} */
const ODDS = Object.fromEntries(
  registry.blocksArray.flatMap(({ id, name }) => {
    const kind = KINDS.find(([names]) => names.test(name))
    return kind && name !== 'moss_carpet' ? [[id, { catches: kind[1], goes: kind[2] }]] : []
  })
)

/** @param {number} state @returns {Odds} none under water */
export function oddsOf(state) {
  const odds = ODDS[registry.blocksByStateId[state].id]
  return odds && propertiesOf(state).waterlogged !== 'true' ? odds : NONE
}
