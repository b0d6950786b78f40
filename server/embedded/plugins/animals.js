/** Animals: they graze, wander, flee from blows, and drop meat when killed. Others are not needed yet. */
import { itemNamed, Vec3 } from '../minecraft.js'
import { columnRandom } from '../terrain/noise.js'
import { blockAt, isSolid, stateAt } from './blocks.js'

const WALK_BLOCKS_PER_TICK = 0.06
const FLEE = { factor: 2.2, ticks: 60 }
const GRAVITY = 0.08
const HERD_SHARE = 0.12
const HERD_SALT = 90_210
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

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<number, any>} */
  serv.animals = new Map()

  /** @param {string} name @param {any} position @param {() => number} [random] */
  serv.spawnAnimal = (name, position, random = serv.random) => {
    const animal = serv.newEntity('mob', name, position)
    Object.assign(animal, { health: ANIMALS[name].health, random, goalTick: 0, fleeTick: 0 })
    animal.heading = null
    animal.hurt = (
      /** @type {number} */ damage,
      /** @type {string} */ _cause,
      /** @type {any} */ by
    ) => hurt(animal, damage, by)
    serv.animals.set(animal.id, animal)
    serv.enterEntity(animal)
    return animal
  }

  serv.removeAnimal = (/** @type {any} */ animal) => {
    serv.animals.delete(animal.id)
    serv.removeEntity(animal)
  }

  /** @param {any} animal @param {number} damage @param {any} [by] */
  function hurt(animal, damage, by) {
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
    const drops = serv.gamerules.doMobLoot ? ANIMALS[animal.name].drops : []
    for (const [name, least, most] of drops) {
      const count = least + Math.floor(serv.random() * (most - least + 1))
      if (count) serv.dropItem(itemNamed(name, count), animal.position.offset(0, 0.3, 0))
    }
    serv.emit('animalKilled', by ?? null, animal)
    serv.removeAnimal(animal)
  }

  serv.on('tick', () => {
    if (serv.tickCount % MOVE_TICKS !== 0) return
    for (const animal of serv.animals.values()) if (isAwake(animal)) live(animal)
  })

  /** @param {any} animal */
  const isAwake = (animal) =>
    [...animal.watchers].some(
      (player) => player.position.distanceTo(animal.position) < AWAKE_BLOCKS
    )

  /** @param {any} animal */
  function live(animal) {
    if (serv.tickCount >= animal.goalTick) decide(animal)
    const next = animal.position.clone()
    fall(animal, next)
    if (animal.heading) walk(animal, next)
    if (!next.equals(animal.position)) serv.moveEntity(animal, next)
  }

  /** @param {any} animal */
  function decide(animal) {
    const isFleeing = serv.tickCount < animal.fleeTick
    const goes = isFleeing || animal.random() < 0.35
    animal.heading = goes ? animal.random() * 2 * Math.PI : null
    animal.goalTick = serv.tickCount + (isFleeing ? 20 : 40 + Math.floor(animal.random() * 80))
    if (animal.heading === null) return
    animal.yaw = (animal.heading * 180) / Math.PI - 90
    animal.turnedTick = serv.tickCount
  }

  /** @param {any} animal @param {any} next */
  function fall(animal, next) {
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

  /** @param {any} animal @param {any} next */
  function walk(animal, next) {
    const factor = serv.tickCount < animal.fleeTick ? FLEE.factor : 1
    const step = WALK_BLOCKS_PER_TICK * MOVE_TICKS * factor
    const to = next.offset(Math.cos(animal.heading) * step, 0, Math.sin(animal.heading) * step)
    const feet = to.floored()
    const isHigh = isSolid(serv, feet.offset(0, 1, 0))
    const isDeep = !isSolid(serv, feet.offset(0, -1, 0)) && !isSolid(serv, feet.offset(0, -2, 0))
    const isWet = blockAt(serv, feet.offset(0, -1, 0))?.name === 'water'
    if (isHigh || isDeep || isWet) return void (animal.heading = null)
    if (isSolid(serv, feet)) to.y = feet.y + 1
    next.set(to.x, Math.max(next.y, to.y), to.z)
  }

  /** Columns whose herd has come. @type {Set<string>} */
  serv.herds = new Set()

  // Herds come with new land, once.
  serv.on('columnMade', (/** @type {number} */ chunkX, /** @type {number} */ chunkZ) => {
    const id = `${chunkX},${chunkZ}`
    if (serv.terrain !== 'natural' || !serv.gamerules.doMobSpawning || serv.herds.has(id)) return
    const random = columnRandom(serv.seed + HERD_SALT, chunkX, chunkZ)
    if (random() > HERD_SHARE) return
    serv.herds.add(id)
    const names = Object.keys(ANIMALS)
    const name = names[Math.floor(random() * names.length)]
    const size = 2 + Math.floor(random() * 3)
    for (let index = 0; index < size; index++) {
      const [x, z] = [
        chunkX * 16 + Math.floor(random() * 16),
        chunkZ * 16 + Math.floor(random() * 16)
      ]
      const place = grassAt(x, z)
      if (place) serv.spawnAnimal(name, place, random)
    }
  })

  /** @param {number} x @param {number} z */
  function grassAt(x, z) {
    for (let y = 110; y > 60; y--) {
      const position = new Vec3(x, y, z)
      if (!stateAt(serv.overworld, position)) continue
      const isGrass = blockAt(serv, position).name === 'grass_block'
      return isGrass ? new Vec3(x + 0.5, y + 1, z + 0.5) : null
    }
    return null
  }
}
