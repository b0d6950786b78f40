/**
 * Bone meal: makes crops and saplings grow immediately, and grass and flowers appear on grass
 * blocks (minecraft.wiki: Bone Meal).
 */
import { registry } from '../minecraft/index.js'
import { blockAt, propertiesOf, stateAt } from '../blocks/blocks.js'
import { CROPS } from './growth.js'
import { growTree } from './trees.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const SAPLING_CHANCE = 0.45
const BEETROOT_CHANCE = 0.75
/** Number of attempts on grass, and the fraction of them that yield flowers. */
const GRASS = { tries: 32, flowers: 1 / 8 }
const GROWN_EVENT = 1505
const SEEN_WITHIN = 64
const FLOWERS = ['dandelion', 'poppy']

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:bone_meal')

  serv.onUseItem('bone_meal', (player, position) => {
    if (!fertilise(serv, position, random)) return false
    player.useUpHeld()
    serv.send(serv.getNearby({ position, radius: SEEN_WITHIN }), 'world_event', {
      effectId: GROWN_EVENT,
      location: position,
      data: 0,
      global: false
    })
    return true
  })
}

/**
 * @param {Server} serv @param {Vec3} position @param {() => number} random
 * @returns {boolean} true if it had an effect
 */
function fertilise(serv, position, random) {
  const { name } = blockAt(serv, position)
  const { age, stage } = propertiesOf(stateAt(serv.overworld, position))
  if (name in CROPS) {
    const last = CROPS[name]
    if (Number(age) >= last) return false
    const steps =
      name === 'beetroots' ? Number(random() < BEETROOT_CHANCE) : 2 + Math.floor(random() * 4)
    serv.changeBlock(position, { age: String(Math.min(last, Number(age) + steps)) })
    return true
  }
  if (name.endsWith('_sapling')) {
    if (random() >= SAPLING_CHANCE) return true
    if (stage === '0') serv.changeBlock(position, { stage: '1' })
    else growTree(serv, position, name, random)
    return true
  }
  if (name === 'sweet_berry_bush' && Number(age) < 3) {
    serv.changeBlock(position, { age: String(Number(age) + 1) })
    return true
  }
  return name === 'grass_block' && sow(serv, position, random)
}

/** @param {Server} serv @param {Vec3} position of grass @param {() => number} random */
function sow(serv, position, random) {
  if (stateAt(serv.overworld, position.offset(0, 1, 0))) return false
  const step = () => Math.floor(random() * 3) - 1
  for (let tries = 0; tries < GRASS.tries; tries++) {
    let place = position.offset(0, 1, 0)
    for (let steps = 0; steps < tries / 8; steps++) place = place.offset(step(), 0, step())
    const isFree = !stateAt(serv.overworld, place)
    if (!isFree || blockAt(serv, place.offset(0, -1, 0))?.name !== 'grass_block') continue
    const isFlower = random() < GRASS.flowers
    const name = isFlower ? FLOWERS[Math.floor(random() * FLOWERS.length)] : 'short_grass'
    serv.setBlock(place, registry.blocksByName[name].defaultState)
  }
  return true
}
