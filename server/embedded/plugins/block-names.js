/** Sets of blocks, as patterns of their names, that what happens around a block depends on. */

export const FALLING =
  /^(sand|red_sand|gravel|suspicious_sand|suspicious_gravel|.*_concrete_powder|anvil|chipped_anvil|damaged_anvil)$/
export const PASSABLE = /^(air|cave_air|water|lava|grass|short_grass|tall_grass|fern|fire|snow)$/
export const SOIL =
  /^(dirt|grass_block|podzol|coarse_dirt|rooted_dirt|farmland|moss_block|mud|mycelium)$/
export const FLOWERS =
  /_sapling$|^(grass|short_grass|fern|tall_grass|large_fern|dandelion|poppy|blue_orchid|allium|azure_bluet|.*_tulip|oxeye_daisy|cornflower|lily_of_the_valley|sunflower|lilac|rose_bush|peony|sweet_berry_bush)$/
export const CROPS = /^(wheat|carrots|potatoes|beetroots|melon_stem|pumpkin_stem)$/
export const ON_FLOOR =
  /(^|_)(torch|lantern|carpet|pressure_plate|rail|sign|banner|door|repeater|comparator)$|^(redstone_wire|brown_mushroom|red_mushroom|snow|cake)$/
export const WALL_HUNG = /wall_(torch|sign|banner)$|^(soul|redstone)_wall_torch$/
