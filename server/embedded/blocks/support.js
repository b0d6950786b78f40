/** Support: the neighbouring blocks that a block needs to stay in the world. */
import { registry } from '../minecraft/index.js'
import { blockAt, FACES, propertiesOf } from './blocks.js'
import { DIRECTIONS } from './orientation.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const [BELOW, ABOVE] = FACES
const CROP_LIGHT = 8

/** @param {Server} serv */
export function server(serv) {
  const isFirm = (/** @type {Vec3} */ position) => blockAt(serv, position)?.boundingBox === 'block'

  /** Return true if crops survive there. */
  const isBright = (/** @type {Vec3} */ position) =>
    serv.seesSky(position) || serv.brightnessAt(position, 0) >= CROP_LIGHT

  /** Return true if a block has the support that it needs. */
  serv.hasSupport = (position, state) => {
    const { name } = registry.blocksByStateId[state]
    const below = position.plus(BELOW)
    const floor = blockAt(serv, below)?.name ?? 'air'
    const { half, facing, face, hanging } = propertiesOf(state)
    if (WALL_HUNG.test(name) || name === 'ladder') {
      return isFirm(position.minus(FACES[DIRECTIONS.indexOf(facing)]))
    }
    if (/_button$|^lever$/.test(name)) return isFirm(position.minus(attachedTo(face, facing)))
    if (half === 'upper' && /_door$|^(tall_|large_)/.test(name)) return floor === name
    if (CROPS.test(name)) return floor === 'farmland' && isBright(position)
    if (name === 'sugar_cane')
      return floor === 'sugar_cane' || SOIL.test(floor) || /sand$/.test(floor)
    if (name === 'cactus') return floor === 'cactus' || /sand$/.test(floor)
    if (name === 'dead_bush') return SOIL.test(floor) || /sand$|terracotta$/.test(floor)
    if (FLOWERS.test(name)) return SOIL.test(floor)
    if (hanging === 'true') return isFirm(position.plus(ABOVE))
    if (ON_FLOOR.test(name)) return isFirm(below)
    return true
  }
}

/** @param {string} face @param {string} facing */
export function attachedTo(face, facing) {
  if (face === 'floor') return ABOVE
  return face === 'ceiling' ? BELOW : FACES[DIRECTIONS.indexOf(facing)]
}

// Name patterns of blocks that react when a neighbouring block changes.

export const FALLING =
  /^(sand|red_sand|gravel|suspicious_sand|suspicious_gravel|.*_concrete_powder|anvil|chipped_anvil|damaged_anvil)$/
export const PASSABLE = /^(air|cave_air|water|lava|grass|short_grass|tall_grass|fern|fire|snow)$/
const SOIL = /^(dirt|grass_block|podzol|coarse_dirt|rooted_dirt|farmland|moss_block|mud|mycelium)$/
export const FLOWERS =
  /_sapling$|^(grass|short_grass|fern|tall_grass|large_fern|dandelion|poppy|blue_orchid|allium|azure_bluet|.*_tulip|oxeye_daisy|cornflower|lily_of_the_valley|sunflower|lilac|rose_bush|peony|sweet_berry_bush)$/
export const CROPS = /^(wheat|carrots|potatoes|beetroots|melon_stem|pumpkin_stem)$/
export const ON_FLOOR =
  /(^|_)(torch|lantern|carpet|pressure_plate|rail|sign|banner|door|repeater|comparator)$|^(redstone_wire|brown_mushroom|red_mushroom|snow|cake)$/
export const WALL_HUNG = /wall_(torch|sign|banner)$|^(soul|redstone)_wall_torch$/
