/**
 * Updates: what happens around a block that changed. Sand and gravel fall, plants and torches
 * without their support break and drop, leaves without a log do not decay.
 */
import { itemNamed, registry } from '../minecraft.js'
import { blockAt, FACES, propertiesOf, stateAt } from './blocks.js'
import { lootOf } from './loot.js'

const FALLING =
  /^(sand|red_sand|gravel|suspicious_sand|suspicious_gravel|.*_concrete_powder|anvil|chipped_anvil|damaged_anvil)$/
const PASSABLE = /^(air|cave_air|water|lava|grass|short_grass|tall_grass|fern|fire|snow)$/
const SOIL = /^(dirt|grass_block|podzol|coarse_dirt|rooted_dirt|farmland|moss_block|mud|mycelium)$/
const FLOWERS =
  /_sapling$|^(grass|short_grass|fern|tall_grass|large_fern|dandelion|poppy|blue_orchid|allium|azure_bluet|.*_tulip|oxeye_daisy|cornflower|lily_of_the_valley|sunflower|lilac|rose_bush|peony|sweet_berry_bush)$/
const CROPS = /^(wheat|carrots|potatoes|beetroots|melon_stem|pumpkin_stem)$/
const ON_FLOOR =
  /(^|_)(torch|lantern|carpet|pressure_plate|rail|sign|banner|door|repeater|comparator)$|^(redstone_wire|brown_mushroom|red_mushroom|snow|cake)$/
const WALL_HUNG = /wall_(torch|sign|banner)$|^(soul|redstone)_wall_torch$/
const DIRECTIONS = ['down', 'up', 'north', 'south', 'west', 'east']
const [BELOW] = FACES
const CHANGES_PER_TICK = 10_000

/** By block id: what it does when something beside it changes. @type {Record<number, 'falls' | 'stands'>} */
const CARES = Object.fromEntries(
  registry.blocksArray.flatMap((/** @type {any} */ { id, name }) => {
    if (FALLING.test(name)) return [[id, 'falls']]
    const stands =
      [WALL_HUNG, CROPS, FLOWERS, ON_FLOOR].some((names) => names.test(name)) ||
      /^(ladder|lever|sugar_cane|cactus|dead_bush)$|_button$|lantern$/.test(name)
    return stands ? [[id, 'stands']] : []
  })
)

/** @param {any} serv */
export function server(serv) {
  const isFirm = (/** @type {any} */ position) => blockAt(serv, position)?.boundingBox === 'block'

  /** Whether a block could stay where it is. @param {any} position @param {number} state */
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
    if (CROPS.test(name)) return floor === 'farmland'
    if (name === 'sugar_cane')
      return floor === 'sugar_cane' || SOIL.test(floor) || /sand$/.test(floor)
    if (name === 'cactus') return floor === 'cactus' || /sand$/.test(floor)
    if (name === 'dead_bush') return SOIL.test(floor) || /sand$|terracotta$/.test(floor)
    if (FLOWERS.test(name)) return SOIL.test(floor)
    if (hanging === 'true') return isFirm(position.plus(FACES[1]))
    if (ON_FLOOR.test(name)) return isFirm(below)
    return true
  }

  /** @param {string} face @param {string} facing */
  function attachedTo(face, facing) {
    if (face === 'floor') return FACES[1]
    return face === 'ceiling' ? FACES[0] : FACES[DIRECTIONS.indexOf(facing)]
  }

  /** @type {any[]} blocks that changed and whose surroundings are to be looked at */
  let due = []
  serv.on('blockChanged', (/** @type {any} */ position) => due.push(position))

  serv.on('tick', () => {
    const now = due.slice(0, CHANGES_PER_TICK)
    due = due.slice(CHANGES_PER_TICK)
    for (const position of now) {
      settle(position)
      for (const face of FACES) settle(position.plus(face))
    }
  })

  /** @param {any} position */
  function settle(position) {
    const state = stateAt(serv.overworld, position)
    const care = state && CARES[registry.blocksByStateId[state].id]
    if (care === 'falls') fall(position, state)
    else if (care === 'stands' && !serv.hasSupport(position, state)) {
      breakLoose(position, registry.blocksByStateId[state])
    }
  }

  /** Down to the ground in one go: nobody can stand in its way for long. @param {any} position @param {number} state */
  function fall(position, state) {
    let landing = position
    while (landing.y > -64 && PASSABLE.test(blockAt(serv, landing.plus(BELOW))?.name ?? 'air')) {
      landing = landing.plus(BELOW)
    }
    if (landing === position) return
    serv.setBlock(position, 0)
    if (landing.y > -64) serv.setBlock(landing, state)
  }

  /** @param {any} position @param {any} block */
  function breakLoose(position, block) {
    const drops = lootOf(serv, block, stateAt(serv.overworld, position), null)
    serv.setBlock(position, 0)
    for (const { name, count } of serv.gamerules.doTileDrops ? drops : []) {
      serv.dropItem(itemNamed(name, count), position.offset(0.5, 0.25, 0.5))
    }
  }
}
