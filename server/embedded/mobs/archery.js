/** Archery of monsters; the accuracy depends on the difficulty (minecraft.wiki: Skeleton). */
import { Item, itemNamed } from '../minecraft/index.js'
import { launchArrow } from '../combat/arrows.js'
import { MONSTERS } from './monster-kinds.js'

/** @import { Animal, Entity, Player, Server } from '../types/index.d.ts' */

const EYES = 1.52
const RANGE = 15
const SPEED = 1.6
/** Ticks between two shots, from easy to hard. */
const PERIODS = [40, 40, 20]
/** Spread of arrows, from easy to hard, and the unit of the spread in blocks per tick. */
const ERRORS = [10, 6, 2]
const ERROR_UNIT = 0.0172275
/** Damage of an arrow per block per tick: mean, increase per step of difficulty, and random spread. */
const DAMAGE = { base: 2, step: 0.11, spread: 0.57425 }
/** Monsters aim this much higher per block of distance. */
const LIFT = 0.2
/** Fraction of a body's height at which monsters aim. */
const AIM = 1 / 3

/** @param {Server} serv */
export function server(serv) {
  /** @type {WeakMap<Animal, number>} tick of the last shot */
  const shot = new WeakMap()

  serv.shootAt = (animal, prey) => {
    if (!MONSTERS[animal.name].shoots) return
    const last = shot.get(animal)
    if (last === undefined) shot.set(animal, serv.tickCount) // the monster draws the bow first
    const isDue = last !== undefined && serv.tickCount - last >= PERIODS[serv.difficulty - 1]
    if (!isDue || animal.position.distanceTo(prey.position) > RANGE) return
    if (!serv.canSee(animal, prey)) return
    shot.set(animal, serv.tickCount)
    shoot(serv, animal, prey)
    serv.playSound('entity.skeleton.shoot', animal.position)
  }
}

/** @param {Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob' || !MONSTERS[entity.name]?.shoots) return
  const { appearance } = entity
  const equipments = [{ slot: 0, item: Item.toNotch(itemNamed('bow')) }]
  entity.appearance = () => [
    ...(appearance?.() ?? []),
    ['entity_equipment', { entityId: entity.id, equipments }]
  ]
}

/** Draw from a triangular distribution around 0. @param {Server} serv @param {number} spread */
const triangle = (serv, spread) => spread * (serv.random() - serv.random())

/** @param {Server} serv @param {Animal} animal @param {Player} prey */
function shoot(serv, animal, prey) {
  const from = animal.position.offset(0, EYES, 0)
  const way = prey.position.offset(0, prey.height * AIM, 0).minus(from)
  way.y += Math.hypot(way.x, way.z) * LIFT
  const error = ERROR_UNIT * ERRORS[serv.difficulty - 1]
  const velocity = way
    .scaled(1 / way.norm())
    .offset(triangle(serv, error), triangle(serv, error), triangle(serv, error))
    .scaled(SPEED)
  const damage = DAMAGE.base + DAMAGE.step * serv.difficulty + triangle(serv, DAMAGE.spread)
  const flight = { owner: animal, position: from, velocity }
  launchArrow(serv, flight, damage, (struck, strength, source) => {
    if (struck.type === 'player')
      return serv.wound(struck, strength, 'arrow', animal, source) !== null
    const wound = struck.hurt?.(strength, 'arrow')
    if (struck.type === 'mob' && wound === 'new') serv.pushAway(struck, source)
    return struck.type === 'thing' || Boolean(wound)
  })
}
