/**
 * Growth: crops, saplings, cane, cactus and berries grow by random ticks; fields get wet or dry.
 *
 * Vanilla draws `randomTickSpeed` blocks per tick from each section of 4096 blocks. This server
 * keeps a list of growing blocks and draws from the list at the same rate, so that land without
 * plants costs nothing. Chances and required light are vanilla's (minecraft.wiki: Crops, Farmland,
 * Sapling). Plants on generated land start to grow when a block near them changes.
 */
import { registry } from '../minecraft/index.js'
import { blockAt, FACES, key, propertiesOf, stateAt } from '../blocks/blocks.js'
import { blocksIn } from '../blocks/scan.js'
import { growTree } from './trees.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const SECTION_BLOCKS = 4096
/** Blocks pause while all players are farther away than this. */
const AWAKE_BLOCKS = 128
const WATER_BLOCKS = 4
const MOIST = '7'
const [BELOW, ABOVE] = FACES
const SIDES = FACES.slice(2)
const TALLEST = 3

/** Crops on farmland, and their final age. @type {Record<string, number>} */
export const CROPS = {
  wheat: 7,
  carrots: 7,
  potatoes: 7,
  beetroots: 3,
  melon_stem: 7,
  pumpkin_stem: 7
}
/**
 * Other plants with ages: the final age, and the chance of growing by one.
 * @type {Record<string, {last: number, chance: number}>}
 */
const PLANTS = {
  sweet_berry_bush: { last: 3, chance: 1 / 5 },
  nether_wart: { last: 3, chance: 1 / 10 },
  cocoa: { last: 2, chance: 1 / 5 }
}
const SAPLING_CHANCE = 1 / 7
const STEMS_AGE = 7
/** Light that plants need, from blocks or (at any hour) from the sky. */
const LIGHT = 9
const GROWS = /_sapling$|^(farmland|sugar_cane|cactus)$/

/** @param {string} name */
const doesGrow = (name) => name in CROPS || name in PLANTS || GROWS.test(name)
/** Growth rule by block id; looked up for each block that changes. */
const GROWING = Object.fromEntries(registry.blocksArray.map(({ id, name }) => [id, doesGrow(name)]))
/** @param {number} state */
const isGrowing = (state) => GROWING[registry.blocksByStateId[state].id]

/** @param {Server} serv */
export function server(serv) {
  const growing = new Places()
  const random = serv.randomSequence('minecraft:random_ticks')

  serv.on('blockChanged', (position, before, after) => {
    if (isGrowing(after)) growing.add(position)
    else if (isGrowing(before)) growing.delete(position)
  })
  serv.on('columnRestored', (chunkX, chunkZ) => {
    for (const { position } of blocksIn(serv, chunkX, chunkZ, doesGrow)) growing.add(position)
  })

  serv.on('tick', () => {
    const { length } = growing.list
    if (!length) return
    const due = (length * Number(serv.gamerules.randomTickSpeed)) / SECTION_BLOCKS
    const count = Math.floor(due) + Number(random() < due % 1)
    for (let drawn = 0; drawn < count && growing.list.length; drawn++) {
      const position = growing.list[Math.floor(random() * growing.list.length)]
      const isNear = serv.players.some((p) => p.position.distanceTo(position) <= AWAKE_BLOCKS)
      if (isNear) grow(serv, position, random)
    }
  })
}

/** Set of positions with constant-time insertion, removal and random choice. */
class Places {
  constructor() {
    /** @type {Vec3[]} */
    this.list = []
    /** @type {Map<string, number>} place → index */
    this.indices = new Map()
  }

  /** @param {Vec3} position */
  add(position) {
    const id = key(position)
    if (this.indices.has(id)) return
    this.indices.set(id, this.list.push(position.clone()) - 1)
  }

  /** @param {Vec3} position */
  delete(position) {
    const index = this.indices.get(key(position))
    if (index === undefined) return
    this.indices.delete(key(position))
    const last = /** @type {Vec3} */ (this.list.pop())
    if (index === this.list.length) return
    this.list[index] = last
    this.indices.set(key(last), index)
  }
}

/**
 * Process one random tick.
 * @param {Server} serv @param {Vec3} position @param {() => number} random
 */
function grow(serv, position, random) {
  const { name } = blockAt(serv, position)
  const { age, stage } = propertiesOf(stateAt(serv.overworld, position))
  if (name === 'farmland') return wet(serv, position)
  if (!isBright(serv, position, name)) return
  if (name in CROPS) return growCrop(serv, position, name, Number(age), random)
  if (name in PLANTS) {
    const { last, chance } = PLANTS[name]
    if (Number(age) < last && random() < chance)
      serv.changeBlock(position, { age: String(Number(age) + 1) })
    return
  }
  if (name === 'sugar_cane' || name === 'cactus') return growUp(serv, position, name, Number(age))
  if (name.endsWith('_sapling') && random() < SAPLING_CHANCE) {
    if (stage === '0') serv.changeBlock(position, { stage: '1' })
    else growTree(serv, position, name, random)
  }
}

/**
 * Return true if a plant has enough light: saplings need daylight or a lamp that is as bright.
 * @param {Server} serv @param {Vec3} position @param {string} name
 */
function isBright(serv, position, name) {
  if (name in CROPS) return serv.brightnessAt(position, 0) >= LIGHT
  if (name === 'sweet_berry_bush') return serv.brightnessAt(position.plus(ABOVE), 0) >= LIGHT
  if (name.endsWith('_sapling')) return serv.brightnessAt(position.plus(ABOVE)) >= LIGHT
  return true
}

/**
 * @param {Server} serv @param {Vec3} position @param {string} name @param {number} age
 * @param {() => number} random
 */
function growCrop(serv, position, name, age, random) {
  const isSlow = name === 'beetroots' && random() < 1 / 3
  if (isSlow || random() >= 1 / (Math.floor(25 / growthOf(serv, position, name)) + 1)) return
  if (age < CROPS[name]) return serv.changeBlock(position, { age: String(age + 1) })
  if (name.endsWith('_stem') && age === STEMS_AGE) bearFruit(serv, position, name, random)
}

/**
 * Return a crop's growth rate: higher if surrounded by wet fields, lower next to the same crop.
 * @param {Server} serv @param {Vec3} position @param {string} name
 */
function growthOf(serv, position, name) {
  let growth = 1
  for (let x = -1; x <= 1; x++) {
    for (let z = -1; z <= 1; z++) {
      const soil = position.offset(x, -1, z)
      if (blockAt(serv, soil)?.name !== 'farmland') continue
      const { moisture } = propertiesOf(stateAt(serv.overworld, soil))
      const value = moisture === '0' ? 1 : 3
      growth += x || z ? value / 4 : value
    }
  }
  const has = (/** @type {number} */ x, /** @type {number} */ z) =>
    blockAt(serv, position.offset(x, 0, z))?.name === name
  const [alongX, alongZ] = [has(1, 0) || has(-1, 0), has(0, 1) || has(0, -1)]
  const isDiagonal = has(1, 1) || has(1, -1) || has(-1, 1) || has(-1, -1)
  return (alongX && alongZ) || isDiagonal ? growth / 2 : growth
}

/** @param {Server} serv @param {Vec3} position @param {string} stem @param {() => number} random */
function bearFruit(serv, position, stem, random) {
  const fruit = stem.replace('_stem', '')
  if (SIDES.some((side) => blockAt(serv, position.plus(side))?.name === fruit)) return
  const place = position.plus(SIDES[Math.floor(random() * SIDES.length)])
  const soil = blockAt(serv, place.plus(BELOW))?.name ?? 'air'
  const isFree = !stateAt(serv.overworld, place)
  if (!isFree || !/^(farmland|dirt|grass_block|coarse_dirt|podzol)$/.test(soil)) return
  serv.setBlock(place, registry.blocksByName[fruit].defaultState)
}

/** @param {Server} serv @param {Vec3} position @param {string} name @param {number} age */
function growUp(serv, position, name, age) {
  if (stateAt(serv.overworld, position.plus(ABOVE))) return
  let height = 1
  while (blockAt(serv, position.offset(0, -height, 0))?.name === name) height++
  if (height >= TALLEST) return
  if (age < 15) return serv.changeBlock(position, { age: String(age + 1) })
  serv.changeBlock(position, { age: '0' })
  serv.setBlock(position.plus(ABOVE), registry.blocksByName[name].defaultState)
}

/**
 * Make fields near water wet; dry out others, and turn dry ones without a crop into dirt.
 * @param {Server} serv @param {Vec3} position
 */
function wet(serv, position) {
  const { moisture } = propertiesOf(stateAt(serv.overworld, position))
  if (isNearWater(serv, position)) {
    if (moisture !== MOIST) serv.changeBlock(position, { moisture: MOIST })
  } else if (Number(moisture) > 0) {
    serv.changeBlock(position, { moisture: String(Number(moisture) - 1) })
  } else if (!((blockAt(serv, position.plus(ABOVE))?.name ?? 'air') in CROPS)) {
    serv.setBlock(position, registry.blocksByName.dirt.defaultState)
  }
}

/** @param {Server} serv @param {Vec3} position */
function isNearWater(serv, position) {
  for (let y = 0; y <= 1; y++) {
    for (let x = -WATER_BLOCKS; x <= WATER_BLOCKS; x++) {
      for (let z = -WATER_BLOCKS; z <= WATER_BLOCKS; z++) {
        if (blockAt(serv, position.offset(x, y, z))?.name === 'water') return true
      }
    }
  }
  return false
}
