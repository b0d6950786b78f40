/** Appearance of blocks: a colour by the family in their name, and a shape. */

const DYES = /** @type {Record<string, string>} */ ({
  white: '#e4e7e8',
  light_gray: '#9a9a92',
  gray: '#53585b',
  black: '#26272c',
  brown: '#7a5230',
  red: '#a83232',
  orange: '#e07b25',
  yellow: '#ecc23a',
  lime: '#7fb52d',
  green: '#5a7a25',
  cyan: '#21848c',
  light_blue: '#4fa8d6',
  blue: '#3d4aa3',
  purple: '#7a37a8',
  magenta: '#b54aac',
  pink: '#e08aa8'
})
const DYED =
  /^(\w+?)_(wool|concrete|concrete_powder|terracotta|glazed_terracotta|carpet|stained_glass|stained_glass_pane|bed|banner|wall_banner|candle|candle_cake|shulker_box)$/

/** Colours by a pattern in a block's name; the first match counts. */
const FAMILIES = /** @type {[RegExp, string][]} */ ([
  [/diamond/, '#4cc9d6'],
  [/emerald/, '#2fb765'],
  [/lapis/, '#3a5fb5'],
  [/redstone|^fine$|repeater|comparator|tripwire|lever/, '#b5382f'],
  [/copper|lightning_rod/, '#b9705a'],
  [/iron|anvil|^chain$|cauldron|hopper|lantern|heavy_weighted|brewing/, '#c9a58a'],
  [/gold|gilded|^token$|^bell$/, '#e3b93c'],
  [/coal|blackstone|basalt|obsidian|wither|dragon|black/, '#40444a'],
  [
    /chest|barrel|crafting_table|_table$|loom|bookshelf|lectern|composter|note_block|jukebox/,
    '#9a6a2f'
  ],
  [/slime|turtle_egg/, '#7cc36a'],
  [/mushroom_stem/, '#cbc4b4'],
  [/brown_mushroom/, '#957051'],
  [/mushroom|crimson|nether_wart|shroomlight/, '#c8524a'],
  [/nether|magma|lava|fire|debris|anchor/, '#a3442f'],
  [/warped|prismarine|conduit|beacon|sea_|portal|gateway|frogspawn/, '#5fa698'],
  [/water|bubble|blue/, '#5b8fd6'],
  [/ice|snow|powder/, '#dce9f2'],
  [/grass_block/, '#86b266'],
  [
    /leaves|azalea|vine|moss|lily|kelp|fern|bush|bamboo|cactus|cane|sapling|seagrass|dripleaf|propagule|sprouts|roots|lichen|pickle/,
    '#5d8f46'
  ],
  [/grass|stem|crop|carrots|potatoes|beetroots|cocoa|melon/, '#9fbf86'],
  [/wheat|hay|sponge|bee_nest|beehive|honey|torch|glowstone|end_rod/, '#d9b640'],
  [/pumpkin|jack_o|orange|fish$/, '#d9822b'],
  [
    /poppy|rose|tulip|peony|allium|orchid|bluet|daisy|lilac|flower|dandelion|blossom|petals|spore|chorus|torchflower|pitcher/,
    '#c97fa3'
  ],
  [/plank/, '#c8ab7c'],
  [/birch_(log|wood)/, '#d3cdb8'],
  [/dark_oak|spruce/, '#72522f'],
  [/mangrove|acacia|cherry|jungle/, '#a86a48'],
  [/wood|log|oak|birch|door|fence|ladder|sign|scaffold|stripped|decorated|pot/, '#9c7748'],
  [/dirt|mud|podzol|mycelium|path|farmland|soul/, '#866043'],
  [/sand|birch|end_stone|suspicious|glow/, '#dccf9b'],
  [/clay|brick|terracotta|gravel|granite/, '#a5857b'],
  [
    /deepslate|tuff|bedrock|piston|dispenser|dropper|observer|furnace|smoker|sculk|reinforced|spawner|grindstone|smithing/,
    '#66686d'
  ],
  [
    /quartz|calcite|diorite|bone|white|skull|head|egg|candle|cake|wool|coral|purpur|amethyst|shulker/,
    '#d8d2cc'
  ],
  [/glass/, '#cfe4ea'],
  [/wall|barrier/, '#6c6c72'],
  [/stone|andesite|cobble|rock|infested|slab|stairs|target|lodestone/, '#a0a0a0'],
  [/land/, '#aac68c'],
  [/floor/, '#d8d4c8'],
  [
    /cobweb|string|tnt|rail|froglight|command|structure|jigsaw|light|frame|crafter|trial|honeycomb/,
    '#b8a99a'
  ]
])
/** Colours of other blocks, in order of first appearance; distinguishable for most people. */
const OTHERS = [
  '#e69f00',
  '#56b4e9',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#f0e442',
  '#0072b2',
  '#882255',
  '#999933',
  '#332288'
]
/** Patterns of surfaces, which the shader draws. */
export const KINDS = {
  ...{ PLAIN: 0, ROUGH: 1, GRASS: 2, ORE: 3, PLANKS: 4, LOG: 5, LEAVES: 6 },
  ...{ BRICKS: 7, WATER: 8, CROP: 9, BOX: 10, FIGURE: 11 }
}
/** Patterns by a part of a block's name; the first match counts. */
const PATTERNS = /** @type {[RegExp, number][]} */ ([
  [/_ore$|debris/, KINDS.ORE],
  [/grass_block|podzol|mycelium|^land$/, KINDS.GRASS],
  [/chest|barrel|table|furnace|smoker|bookshelf|loom|lectern|crafter|dispenser|dropper/, KINDS.BOX],
  [/_(log|wood|stem|hyphae)$/, KINDS.LOG],
  [/plank|_slab|_stairs|fence|door|ladder|sign|composter/, KINDS.PLANKS],
  [/leaves|azalea|bush|moss|vine/, KINDS.LEAVES],
  [/brick|cobble|wall|tile|chiseled|barrier/, KINDS.BRICKS],
  [/water|lava|bubble|ice/, KINDS.WATER],
  [/wheat|carrots|potatoes|beetroots|grass|fern|sapling|cane|kelp|bamboo|hay|farmland/, KINDS.CROP],
  [/stone|dirt|sand|gravel|andesite|diorite|granite|deepslate|tuff|path|mud|clay|rock/, KINDS.ROUGH]
])
/** @type {Map<string, number>} */
const patterns = new Map()

/** Return the pattern of a block's surface. @param {string} block */
export function patternOf(block) {
  const found = patterns.get(block)
  if (found !== undefined) return found
  const made = PATTERNS.find(([part]) => part.test(block))?.[1] ?? KINDS.PLAIN
  patterns.set(block, made)
  return made
}

/** Rock below a surface, never seen by any agent. */
export const UNSEEN = 'unseen rock'
/** @type {Map<string, string>} */
const known = new Map([[UNSEEN, '#8b8680']])
/** @type {string[]} */
const met = []

/**
 * Return the colour of a block's family; undefined if its name matches none.
 * @param {string} block
 */
function familyColour(block) {
  if (known.has(block)) return known.get(block)
  const [, dye, what] = DYED.exec(block) ?? []
  return (what && DYES[dye]) ?? FAMILIES.find(([part]) => part.test(block))?.[1]
}

/** @param {string} block */
export function blockColour(block) {
  const colour = familyColour(block)
  if (colour) {
    known.set(block, colour)
    return colour
  }
  if (!met.includes(block)) met.push(block)
  return OTHERS[met.indexOf(block) % OTHERS.length]
}

/**
 * Space that a block fills: its width, its bottom and top, and whether it is transparent.
 * @typedef {{width: number, low: number, high: number, isClear: boolean, isFull: boolean}} Shape
 */

/** @param {number} width @param {number} high @param {boolean} [isClear] @returns {Shape} */
const shape = (width, high, isClear = false) => ({
  ...{ width, low: 0, high, isClear },
  isFull: width === 1 && high === 1 && !isClear
})
const FULL = shape(1, 1)
const SHAPES = /** @type {[RegExp, Shape][]} */ ([
  [/^(water|lava|bubble_column)/, shape(1, 0.875, true)],
  [/glass|^ice$/, shape(1, 1, true)],
  [/^barrier$/, shape(1, 0.3)],
  [
    /carpet|rail|plate|^snow$|petals|lily_pad|wire|trapdoor|repeater|comparator|frogspawn/,
    shape(1, 0.12)
  ],
  [/slab|_bed$|cake|daylight/, shape(1, 0.5)],
  [
    /torch|lever|button|^chain$|rod$|candle|string|hook|fence|pane|bars|_wall$|sign|banner|ladder/,
    shape(0.3, 0.9)
  ],
  [/farmland|dirt_path/, shape(1, 0.94)],
  [/chest$|cactus|head|skull|pot$|^lantern|soul_lantern|_egg$/, shape(0.8, 0.8)],
  [
    /^(red|brown)_mushroom$|sapling|^short_grass|^grass$|fern|poppy|dandelion|tulip|daisy|bluet|orchid|allium|flower|rose|lilac|peony|bush|cane|wheat|carrots|potatoes|beetroots|stem\[|_stem$|seagrass|^kelp|vine|sprouts|roots$|valley|fungus|fire$|tall_grass|lichen|_vein|spore_|dripleaf|pitcher|web$|propagule|coral$|fan$|wart$|berries|pickle/,
    shape(0.5, 0.7)
  ]
])
/** Units that are no full square: boxes, each with its middle, width and depth. */
const FORMS = /** @type {Record<string, [number, number, number, number][]>} */ ({
  fish: [
    [0.08, 0, 0.5, 0.26],
    [-0.24, 0, 0.16, 0.44]
  ],
  token: [[0, 0, 0.5, 0.5]]
})
/** Return the boxes of a unit, seen from above. @param {string} block @param {number} full width */
export const formOf = (block, full) =>
  Object.hasOwn(FORMS, block) ? FORMS[block] : [[0, 0, full, full]]
/** @type {Map<string, Shape>} */
const shapes = new Map()
/** Age of ripe crops. */
const RIPE = 7

/** @param {string} block its name, with its age where it has one @returns {Shape} */
export function shapeOf(block) {
  const found = shapes.get(block)
  if (found) return found
  const isWhole = /mushroom_(stem|block)|wart_block|(crimson|warped)_stem|muddy|piston/.test(block)
  const plain = isWhole ? FULL : (SHAPES.find(([part]) => part.test(block))?.[1] ?? FULL)
  const age = /\[age=(\d+)\]/.exec(block)?.[1]
  const made = age ? { ...plain, high: 0.2 + (0.8 * Math.min(Number(age), RIPE)) / RIPE } : plain
  shapes.set(block, made)
  return made
}
