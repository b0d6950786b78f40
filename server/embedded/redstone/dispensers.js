/**
 * Dispensers and droppers: when a lever, a button or a plate next to one is switched on, it
 * releases a random item four ticks later.
 *
 * Dispensers shoot arrows, throw throwable items, light TNT and use buckets; they drop everything
 * else. Droppers put the item into the container in front, or drop it. Speeds are vanilla's
 * (minecraft.wiki: Dispenser).
 */
import { registry, Vec3 } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { blockAt, FACES, key, propertiesOf, stateAt } from '../blocks/blocks.js'
import { ARROWS, shootArrow } from '../combat/bows.js'
import { exchangeOne, moveOne, placesAt } from './item-moves.js'
import { DIRECTIONS } from '../blocks/orientation.js'
import { isReplaceable } from '../blocks/placing.js'
import { THROWN, throwFrom } from '../combat/projectiles.js'

/** @import { Item, Server } from '../types/index.d.ts' */
/** @import { Container } from '../types/additions.d.ts' */

const NAMES = ['dispenser', 'dropper']
const DELAY_TICKS = 4
/** Distance from the block's centre to where items appear. */
const MOUTH_BLOCKS = 0.7
const SHOT_SPEED = 1.1
const POTION_SPEED = 1.375
/** Spread of shots, and spread of the speed of dropped items. */
const [SPREAD, DROP_SPREAD] = [0.0172275 * 6, 0.0172275 * 6]
const DROP_SPEED = { least: 0.2, more: 0.1 }
const ARROW_DAMAGE = 2

/** @typedef {{serv: Server, container: Container, index: number, item: Item, face: Vec3, position: Vec3}} Turn */

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:dispensers')
  /**
   * Activated blocks, and the tick at which they release an item.
   * @type {Map<string, {position: Vec3, tick: number}>}
   */
  const due = new Map()

  serv.onPower(NAMES, (position, isPowered) => {
    const { triggered } = propertiesOf(stateAt(serv.overworld, position))
    if (triggered === String(isPowered)) return
    if (isPowered) due.set(key(position), { position, tick: serv.tickCount + DELAY_TICKS })
    serv.changeBlock(position, { triggered: String(isPowered) })
  })

  serv.on('tick', () => {
    for (const [id, { position, tick }] of due) {
      if (tick > serv.tickCount) continue
      due.delete(id)
      if (NAMES.includes(blockAt(serv, position)?.name)) give(serv, position, random)
    }
  })
}

/** @param {Server} serv @param {Vec3} position @param {() => number} random */
function give(serv, position, random) {
  const container = /** @type {Container} */ (serv.containerAt(position))
  const filled = container.store.slots.flatMap((item, index) => (item ? [{ item, index }] : []))
  if (!filled.length) return serv.playSound('block.dispenser.fail', position)
  const { item, index } = filled[Math.floor(random() * filled.length)]
  const { facing } = propertiesOf(stateAt(serv.overworld, position))
  const face = FACES[DIRECTIONS.indexOf(facing)]
  const turn = { serv, container, index, item, face, position }
  if (container.name === 'dropper' ? handOn(turn) : use(turn, random)) return
  takeOne(turn)
  drop(turn, /** @type {Item} */ (copyOf(item, 1)), random)
  serv.playSound('block.dispenser.dispense', position)
}

/** @param {Turn} turn */
const takeOne = ({ container, index, item }) =>
  container.store.set(index, copyOf(item, item.count - 1))

/**
 * Put an item into the container in front.
 * @param {Turn} turn @returns {boolean} true if there is a container
 */
function handOn({ serv, container: { store }, index, face, position }) {
  const side = face.y ? (face.y > 0 ? 'down' : 'up') : 'side'
  const places = placesAt(serv, position.plus(face), side)
  if (!places) return false
  const own = { store, index, mayPut: () => false, mayTake: () => true }
  moveOne([own], places)
  return true
}

/**
 * Use an item as a dispenser does.
 * @param {Turn} turn @param {() => number} random
 * @returns {boolean} true if it had a special effect
 */
function use(turn, random) {
  const { serv, item, face, position } = turn
  const { name } = item
  const one = /** @type {Item} */ (copyOf(item, 1))
  if (ARROWS.includes(name)) {
    takeOne(turn)
    const velocity = shotFrom(face, SHOT_SPEED, random)
    const how = { damage: ARROW_DAMAGE, isCritical: false, isTaken: true }
    shootArrow(serv, one, { owner: null, position: mouthOf(position, face), velocity, ...how })
  } else if (name in THROWN && name !== 'ender_pearl') {
    takeOne(turn)
    const speed =
      THROWN[name].entity === 'potion' || name === 'experience_bottle' ? POTION_SPEED : SHOT_SPEED
    throwFrom(serv, one, null, mouthOf(position, face), shotFrom(face, speed, random))
  } else if (name === 'tnt') {
    takeOne(turn)
    serv.ignite(position.plus(face).offset(0.5, 0, 0.5))
  } else return useBucket(turn, random)
  serv.playSound('block.dispenser.launch', position)
  return true
}

/**
 * @param {Turn} turn @param {() => number} random
 * @returns {boolean} true if it is a bucket that was used
 */
function useBucket(turn, random) {
  const { serv, container, index, item, face, position } = turn
  const target = position.plus(face)
  const state = stateAt(serv.overworld, target)
  const { name, defaultState } = registry.blocksByStateId[state]
  const fluid = /^(water|lava)_bucket$/.exec(item.name)?.[1]
  if (fluid) {
    if (!isReplaceable(serv, target)) return false
    serv.setBlock(target, registry.blocksByName[fluid].defaultState)
  } else {
    const isSource = (name === 'water' || name === 'lava') && state === defaultState
    if (item.name !== 'bucket' || !isSource) return false
    serv.setBlock(target, 0)
  }
  const left = exchangeOne(container.store, index, fluid ? 'bucket' : `${name}_bucket`)
  if (left) drop(turn, left, random)
  return true
}

/** @param {Vec3} position @param {Vec3} face */
const mouthOf = (position, face) => position.offset(0.5, 0.5, 0.5).plus(face.scaled(MOUTH_BLOCKS))

/**
 * Draw from a triangular distribution around 0.
 * @param {() => number} random @param {number} most maximum deviation
 */
const stray = (random, most) => most * (random() - random())

/** @param {Vec3} face @param {number} speed @param {() => number} random */
function shotFrom(face, speed, random) {
  const way = face.offset(0, face.y ? 0 : 0.1, 0)
  const aim = way.scaled(1 / way.norm())
  const off = [0, 1, 2].map(() => stray(random, SPREAD))
  return aim.offset(off[0], off[1], off[2]).scaled(speed)
}

/** @param {Turn} turn @param {Item} item @param {() => number} random */
function drop({ serv, face, position }, item, random) {
  const place = mouthOf(position, face).offset(0, face.y ? -0.125 : -0.15625, 0)
  const speed = DROP_SPEED.least + random() * DROP_SPEED.more
  const velocity = new Vec3(
    stray(random, DROP_SPREAD) + face.x * speed,
    stray(random, DROP_SPREAD) + 0.2,
    stray(random, DROP_SPREAD) + face.z * speed
  )
  serv.dropItem(item, place, { velocity })
}
