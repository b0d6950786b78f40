/**
 * Smelting recipes and burn times of vanilla 1.20.4 (minecraft.wiki: Smelting), which
 * minecraft-data lacks.
 */

export const COOK_TICKS = { furnace: 200, blast_furnace: 100, smoker: 100 }

const COLOURS =
  'white orange magenta light_blue yellow lime pink gray light_gray cyan purple blue brown green red black'.split(
    ' '
  )
const WOODS = 'oak spruce birch jungle acacia dark_oak mangrove cherry'.split(' ')
const LOGS = WOODS.flatMap((wood) => [
  `${wood}_log`,
  `${wood}_wood`,
  `stripped_${wood}_log`,
  `stripped_${wood}_wood`
])
const METALS = ['iron', 'gold', 'copper']

/** Recipes for furnaces and blast furnaces. @type {Record<string, string>} */
const ORES = {
  ...Object.fromEntries(
    METALS.flatMap((metal) => [
      [`raw_${metal}`, `${metal}_ingot`],
      [`${metal}_ore`, `${metal}_ingot`],
      [`deepslate_${metal}_ore`, `${metal}_ingot`]
    ])
  ),
  ...Object.fromEntries(
    [
      ['coal', 'coal'],
      ['diamond', 'diamond'],
      ['emerald', 'emerald'],
      ['lapis', 'lapis_lazuli'],
      ['redstone', 'redstone']
    ].flatMap(([ore, item]) => [
      [`${ore}_ore`, item],
      [`deepslate_${ore}_ore`, item]
    ])
  ),
  nether_gold_ore: 'gold_ingot',
  nether_quartz_ore: 'quartz',
  ancient_debris: 'netherite_scrap',
  ...Object.fromEntries(
    ['iron', 'golden'].flatMap((metal) =>
      ['sword', 'pickaxe', 'axe', 'shovel', 'hoe', 'helmet', 'chestplate', 'leggings', 'boots'].map(
        (piece) => [`${metal}_${piece}`, metal === 'iron' ? 'iron_nugget' : 'gold_nugget']
      )
    )
  )
}

/** Recipes for furnaces and smokers. @type {Record<string, string>} */
const FOODS = {
  ...Object.fromEntries(
    ['beef', 'porkchop', 'mutton', 'chicken', 'rabbit', 'cod', 'salmon'].map((meat) => [
      meat,
      `cooked_${meat}`
    ])
  ),
  potato: 'baked_potato',
  kelp: 'dried_kelp'
}

/** @type {Record<string, string>} */
const OTHERS = {
  ...Object.fromEntries(LOGS.map((log) => [log, 'charcoal'])),
  ...Object.fromEntries(
    COLOURS.map((colour) => [`${colour}_terracotta`, `${colour}_glazed_terracotta`])
  ),
  cobblestone: 'stone',
  stone: 'smooth_stone',
  cobbled_deepslate: 'deepslate',
  sand: 'glass',
  red_sand: 'glass',
  sandstone: 'smooth_sandstone',
  red_sandstone: 'smooth_red_sandstone',
  basalt: 'smooth_basalt',
  quartz_block: 'smooth_quartz',
  stone_bricks: 'cracked_stone_bricks',
  deepslate_bricks: 'cracked_deepslate_bricks',
  deepslate_tiles: 'cracked_deepslate_tiles',
  nether_bricks: 'cracked_nether_bricks',
  clay_ball: 'brick',
  clay: 'terracotta',
  netherrack: 'nether_brick',
  cactus: 'green_dye',
  sea_pickle: 'lime_dye',
  chorus_fruit: 'popped_chorus_fruit',
  wet_sponge: 'sponge'
}

/**
 * Experience per piece by result; where none is listed, it is 0.1 (minecraft.wiki: Smelting).
 * @type {Record<string, number>}
 */
const EXPERIENCE = {
  ...Object.fromEntries(Object.values(FOODS).map((food) => [food, 0.35])),
  dried_kelp: 0.1,
  iron_ingot: 0.7,
  gold_ingot: 1,
  copper_ingot: 0.7,
  diamond: 1,
  emerald: 1,
  lapis_lazuli: 0.2,
  redstone: 0.7,
  quartz: 0.2,
  netherite_scrap: 2,
  charcoal: 0.15,
  brick: 0.3,
  terracotta: 0.35,
  green_dye: 1,
  sponge: 0.15
}

/** @param {string} made name of the result @returns {number} experience per piece */
export const experienceOf = (made) => EXPERIENCE[made] ?? 0.1

const RESULTS = {
  furnace: { ...ORES, ...FOODS, ...OTHERS },
  blast_furnace: ORES,
  smoker: FOODS
}

/** @typedef {keyof typeof RESULTS} FurnaceKind */

/** @param {FurnaceKind} kind @param {string} item @returns {string | undefined} name of the result */
export const smeltedFrom = (kind, item) => RESULTS[kind][item]

/**
 * Burn time in ticks; in blast furnaces and smokers it is half as long.
 * @type {[RegExp, number][]}
 */
const FUELS = [
  [/^lava_bucket$/, 20_000],
  [/^coal_block$/, 16_000],
  [/^dried_kelp_block$/, 4001],
  [/^blaze_rod$/, 2400],
  [/^(coal|charcoal)$/, 1600],
  [/_boat$|_raft$/, 1200],
  [/^bamboo_mosaic$|^(bamboo_mosaic|bamboo)_(slab|stairs)$|_hanging_sign$/, 300],
  [/^(scaffolding|bamboo)$/, 50],
  [/^(azalea|flowering_azalea|dead_bush)$/, 100],
  [/^(stick|.*_sapling|bowl|mangrove_propagule)$/, 100],
  [/^(?!crimson|warped).*_(wool)$/, 100],
  [/_carpet$/, 67],
  [/^(wooden_(sword|pickaxe|axe|shovel|hoe)|.*_sign)$/, 200],
  [/^(?!iron|stone|polished).*_(button)$/, 100],
  [/^(?!iron|crimson|warped).*_(door)$/, 200],
  [/^(oak|spruce|birch|jungle|acacia|dark_oak|mangrove|cherry|bamboo)_slab$/, 150],
  [
    /^(oak|spruce|birch|jungle|acacia|dark_oak|mangrove|cherry|bamboo)_(planks|stairs|fence|fence_gate|trapdoor|pressure_plate)$/,
    300
  ],
  [/^(stripped_)?(oak|spruce|birch|jungle|acacia|dark_oak|mangrove|cherry)_(log|wood)$/, 300],
  [
    /^(crafting_table|chest|trapped_chest|barrel|bookshelf|chiseled_bookshelf|lectern|composter|loom|cartography_table|fletching_table|smithing_table|note_block|jukebox|ladder|bow|crossbow|fishing_rod|daylight_detector|.*_banner|bamboo_block|mangrove_roots)$/,
    300
  ]
]

/**
 * @param {FurnaceKind} kind @param {string} item
 * @returns {number} burn ticks; 0 if it does not burn
 */
export function fuelTicks(kind, item) {
  const ticks = FUELS.find(([names]) => names.test(item))?.[1] ?? 0
  return kind === 'furnace' ? ticks : Math.floor(ticks / 2)
}
