/** Animals: they graze, wander, flee from blows, and drop meat when killed. Others are not needed yet. */
import { itemNamed, Vec3 } from '../minecraft.js'
import { blockAt, isSolid } from './blocks.js'

/** @import { Animal, Player, Server } from '../types.d.ts' */

const WALK_BLOCKS_PER_TICK = 0.06
const FLEE = { factor: 2.2, ticks: 60 }
const GRAVITY = 0.08
/** How far from the nearest player an animal still moves. */
const AWAKE_BLOCKS = 48
const MOVE_TICKS = 2

/** Health in half hearts and drops as [item, least, most] (minecraft.wiki, loot tables). @type {Record<string, {health: number, drops: [string, number, number][]}>} */
export const ANIMALS = {
  cow: {
    health: 10,
    drops: [
      ['leather', 0, 2],
      ['beef', 1, 3]
    ]
  },
  pig: { health: 10, drops: [['porkchop', 1, 3]] },
  sheep: {
    health: 8,
    drops: [
      ['white_wool', 1, 1],
      ['mutton', 1, 2]
    ]
  },
  chicken: {
    health: 4,
    drops: [
      ['feather', 0, 2],
      ['chicken', 1, 1]
    ]
  }
}

/** @param {Server} serv */
export function server(serv) {
  serv.animals = new Map()

  serv.spawnAnimal = (name, position, random = serv.random) => {
    const animal = serv.newEntity('mob', name, position)
    Object.assign(animal, { health: ANIMALS[name].health, random, goalTick: 0, fleeTick: 0 })
    animal.heading = null
    animal.hurt = (damage, _cause, by) => hurt(serv, animal, damage, by)
    serv.animals.set(animal.id, animal)
    serv.enterEntity(animal)
    return animal
  }

  serv.removeAnimal = (animal) => {
    serv.animals.delete(animal.id)
    serv.removeEntity(animal)
  }

  serv.on('tick', () => {
    if (serv.tickCount % MOVE_TICKS !== 0) return
    for (const animal of serv.animals.values()) if (isAwake(animal)) live(serv, animal)
  })
}

/** @param {Server} serv @param {Animal} animal @param {number} damage @param {Player} [by] */
function hurt(serv, animal, damage, by) {
  animal.health -= damage
  serv.send([...animal.watchers], 'damage_event', {
    entityId: animal.id,
    sourceTypeId: 0,
    sourceCauseId: by ? by.id + 1 : 0,
    sourceDirectId: by ? by.id + 1 : 0,
    sourcePosition: undefined
  })
  animal.fleeTick = serv.tickCount + FLEE.ticks
  animal.goalTick = 0
  if (animal.health > 0) return
  const isWhole = serv.gamerules.doMobLoot && !animal.adultTick
  const drops = isWhole ? ANIMALS[animal.name].drops : []
  for (const [name, least, most] of drops) {
    const count = least + Math.floor(serv.random() * (most - least + 1))
    if (animal.isShorn && name.endsWith('_wool')) continue
    if (count) serv.dropItem(itemNamed(name, count), animal.position.offset(0, 0.3, 0))
  }
  serv.emit('animalKilled', by ?? null, animal)
  serv.removeAnimal(animal)
}

/** @param {Animal} animal */
const isAwake = (animal) =>
  [...animal.watchers].some((player) => player.position.distanceTo(animal.position) < AWAKE_BLOCKS)

/** @param {Server} serv @param {Animal} animal */
function live(serv, animal) {
  if (serv.tickCount >= animal.goalTick) decide(serv, animal)
  const next = animal.position.clone()
  fall(serv, animal, next)
  if (animal.heading) walk(serv, animal, animal.heading, next)
  if (!next.equals(animal.position)) serv.moveEntity(animal, next)
}

/** @param {Server} serv @param {Animal} animal */
function decide(serv, animal) {
  const isFleeing = serv.tickCount < animal.fleeTick
  const goes = isFleeing || animal.random() < 0.35
  animal.heading = goes ? animal.random() * 2 * Math.PI : null
  animal.goalTick = serv.tickCount + (isFleeing ? 20 : 40 + Math.floor(animal.random() * 80))
  if (animal.heading === null) return
  animal.yaw = (animal.heading * 180) / Math.PI - 90
  animal.turnedTick = serv.tickCount
}

/** @param {Server} serv @param {Animal} animal @param {Vec3} next */
function fall(serv, animal, next) {
  animal.velocity.y -= GRAVITY * MOVE_TICKS
  let y = next.y + animal.velocity.y * MOVE_TICKS
  const floor = Math.floor(next.y - 1e-6)
  const isOnFloor = isSolid(serv, new Vec3(Math.floor(next.x), floor, Math.floor(next.z)))
  if (isOnFloor && y < floor + 1) {
    y = floor + 1
    animal.velocity.y = 0
  } else if (y < floor) y = floor // block by block, never through one
  next.y = y
}

/** @param {Server} serv @param {Animal} animal @param {number} heading in radians @param {Vec3} next */
function walk(serv, animal, heading, next) {
  const factor = serv.tickCount < animal.fleeTick ? FLEE.factor : 1
  const step = WALK_BLOCKS_PER_TICK * MOVE_TICKS * factor
  const to = next.offset(Math.cos(heading) * step, 0, Math.sin(heading) * step)
  const feet = to.floored()
  const isHigh = isSolid(serv, feet.offset(0, 1, 0))
  const isDeep = !isSolid(serv, feet.offset(0, -1, 0)) && !isSolid(serv, feet.offset(0, -2, 0))
  const isWet = blockAt(serv, feet.offset(0, -1, 0))?.name === 'water'
  if (isHigh || isDeep || isWet) return void (animal.heading = null)
  if (isSolid(serv, feet)) to.y = feet.y + 1
  next.set(to.x, Math.max(next.y, to.y), to.z)
}
