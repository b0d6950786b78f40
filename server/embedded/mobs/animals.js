/**
 * Animals and other mobs: they wander, flee when hit, and drop loot when killed.
 *
 * The four herd animals' loot is listed here; all other loot is minecraft-data's `entityLoot`.
 */
import { itemNamed, registry, Vec3 } from '../minecraft/index.js'
import { blockAt, isSolid, stateAt } from '../blocks/blocks.js'
import { damageType } from '../health/damage-types.js'
import { isTall } from '../blocks/full.js'
import { nameOf } from '../entities/labels.js'
import { fullHealthOf } from './mob-health.js'
import { MONSTERS } from './monster-kinds.js'
import { isSteered } from './saddles.js'
import { recordBlow } from '../health/immunity.js'
import { healthOf } from '../health/vitals.js'
import { woolOf } from './wool.js'

/** @import { Animal, Player, Server } from '../types/index.d.ts' */
/** @import { Wound } from '../types/additions.d.ts' */

const WALK_BLOCKS_PER_TICK = 0.06
const FLEE = { factor: 2.2, ticks: 60 }
const GRAVITY = 0.08
/** An animal moves only if a player is within this distance. */
const AWAKE_BLOCKS = 48
const MOVE_TICKS = 2
/** Maximum drop on a path, normally and for hunting mobs. */
const DROP_BLOCKS = { usual: 1, hunting: 3 }
const CLIMB_BLOCKS_PER_TICK = 0.2

/** Placeholder for wool in the sheep's colour. */
const WOOL = 'white_wool'

/**
 * Drops as [item, minimum, maximum] (minecraft.wiki, loot tables).
 * @type {Record<string, {drops: [string, number, number][]}>}
 */
export const ANIMALS = {
  cow: {
    drops: [
      ['leather', 0, 2],
      ['beef', 1, 3]
    ]
  },
  pig: { drops: [['porkchop', 1, 3]] },
  sheep: {
    drops: [
      [WOOL, 1, 1],
      ['mutton', 1, 2]
    ]
  },
  chicken: {
    drops: [
      ['feather', 0, 2],
      ['chicken', 1, 1]
    ]
  }
}

/** Mobs that stay at the same height. */
const FLOATS = /^(allay|bat|bee|blaze|breeze|ender_dragon|ghast|parrot|phantom|vex|wither)$/
const LIVING = /^(animal|ambient|hostile|mob|passive|water_creature)$/
export const MOBS = Object.values(registry.entitiesByName)
  .filter(({ type }) => LIVING.test(type))
  .map(({ name }) => name)

/** @param {Server} serv */
export function server(serv) {
  serv.animals = new Map()
  serv.onSummon(MOBS, (position, _data, name) => serv.spawnAnimal(name, position))

  serv.spawnAnimal = (name, position, random = serv.random) => {
    const animal = serv.newEntity('mob', name, position)
    const health = fullHealthOf(name)
    Object.assign(animal, {
      health,
      random,
      goalTick: 0,
      fleeTick: 0,
      nearTick: serv.tickCount,
      isStill: false,
      isHunting: false
    })
    animal.heading = null
    animal.hurt = (damage, cause, by) => hurt(serv, animal, damage, cause, by)
    serv.animals.set(animal.id, animal)
    serv.enterEntity(animal)
    return animal
  }

  serv.removeAnimal = (animal) => {
    serv.dismountAll(animal)
    serv.animals.delete(animal.id)
    serv.removeEntity(animal)
  }

  serv.on('tick', () => {
    if (serv.tickCount % MOVE_TICKS !== 0) return
    for (const animal of serv.animals.values()) if (isAwake(animal)) live(serv, animal)
  })
}

const DEATH_STATUS = 3

/**
 * @param {Server} serv @param {Animal} animal @param {number} damage @param {string} [cause]
 * @param {Player} [by] @returns {Wound}
 */
function hurt(serv, animal, damage, cause = 'generic', by) {
  if (animal.health <= 0) return null
  const { wound, counts } = recordBlow(serv, animal, damage, cause)
  if (!wound) return null
  animal.health = Math.max(0, animal.health - counts)
  if (wound === 'new') {
    serv.send([...animal.watchers], 'damage_event', {
      entityId: animal.id,
      sourceTypeId: damageType(cause),
      sourceCauseId: by ? by.id + 1 : 0,
      sourceDirectId: by ? by.id + 1 : 0,
      sourcePosition: undefined
    })
  }
  for (const [packet, fields] of healthOf(animal)) serv.send([...animal.watchers], packet, fields)
  animal.fleeTick = serv.tickCount + FLEE.ticks
  animal.goalTick = 0
  serv.emit('animalHurt', animal, by ?? null)
  if (animal.health <= 0) die(serv, animal, by)
  return wound
}

/** @param {Server} serv @param {Animal} animal @param {Player} [by] */
function die(serv, animal, by) {
  const isWhole = serv.gamerules.doMobLoot && !animal.adultTick
  for (const [name, least, most] of isWhole ? dropsOf(serv, animal, Boolean(by)) : []) {
    const count = least + Math.floor(serv.random() * (most - least + 1))
    const isWool = name === WOOL
    if (!count || (isWool && animal.isShorn)) continue
    const item = itemNamed(isWool ? woolOf(animal) : name, count)
    serv.dropItem(item, animal.position.offset(0, 0.3, 0))
  }
  serv.emit('animalKilled', by ?? null, animal)
  const fields = { entityId: animal.id, entityStatus: DEATH_STATUS }
  serv.send([...animal.watchers], 'entity_status', fields)
  serv.removeAnimal(animal)
}

/**
 * Return items, with minimum and maximum of each.
 * @param {Server} serv @param {Animal} animal @param {boolean} isPlayers true if a player killed it
 * @returns {[string, number, number][]}
 */
function dropsOf(serv, { name }, isPlayers) {
  if (ANIMALS[name]) return ANIMALS[name].drops
  const drops = registry.entityLoot[name]?.drops ?? []
  return drops
    .filter(({ dropChance, playerKill }) => {
      return (!playerKill || isPlayers) && serv.random() < dropChance
    })
    .map(({ item, stackSizeRange: [least, most = least] }) => [item, least, most])
}

/** @param {Animal} animal */
const isAwake = (animal) =>
  [...animal.watchers].some((player) => player.position.distanceTo(animal.position) < AWAKE_BLOCKS)

/** @param {Server} serv @param {Animal} animal */
function live(serv, animal) {
  if (animal.vehicle || isSteered(animal)) return
  const prey = serv.preyOf(animal)
  if (prey) hunt(serv, animal, prey)
  else if (serv.tickCount >= animal.goalTick && !animal.isStill) decide(serv, animal)
  const next = animal.position.clone()
  if (!FLOATS.test(animal.name)) fall(serv, animal, next)
  if (animal.heading !== null) walk(serv, animal, animal.heading, next)
  if (!next.equals(animal.position)) serv.moveEntity(animal, next)
}

/** @param {Server} serv @param {Animal} animal */
function decide(serv, animal) {
  const isFleeing = serv.tickCount < animal.fleeTick
  animal.isHunting = false
  const goes = isFleeing || animal.random() < 0.35
  animal.heading = goes ? animal.random() * 2 * Math.PI : null
  animal.goalTick = serv.tickCount + (isFleeing ? 20 : 40 + Math.floor(animal.random() * 80))
  if (animal.heading === null) return
  animal.yaw = (animal.heading * 180) / Math.PI - 90
  animal.turnedTick = serv.tickCount
}

/** @param {Server} serv @param {Animal} animal @param {Player} prey */
function hunt(serv, animal, prey) {
  const { x, z } = prey.position.minus(animal.position)
  animal.isHunting = true
  animal.goalTick = serv.tickCount // choose a new goal when a player comes near again
  animal.heading = serv.headingTo(animal, prey)
  animal.yaw = ((animal.heading ?? Math.atan2(z, x)) * 180) / Math.PI - 90
  animal.turnedTick = serv.tickCount
  serv.strike(animal, prey)
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
  } else if (y < floor) y = floor // move block by block, so as not to pass through a block
  const isUnder =
    y > next.y && isSolid(serv, next.offset(0, y - next.y + animal.height, 0).floored())
  if (isUnder) animal.velocity.y = 0
  else next.y = y
}

/** @param {Server} serv @param {Animal} animal @param {number} heading in radians @param {Vec3} next */
function walk(serv, animal, heading, next) {
  const { climbs = false, pace = 1 } = MONSTERS[animal.name] ?? {}
  const hurries = animal.isHunting || serv.tickCount < animal.fleeTick
  const factor = hurries ? FLEE.factor * pace : 1
  const step = WALK_BLOCKS_PER_TICK * MOVE_TICKS * factor
  const to = next.offset(Math.cos(heading) * step, 0, Math.sin(heading) * step)
  const feet = to.floored()
  const isStep = isSolid(serv, feet)
  const isHigh =
    isSolid(serv, feet.offset(0, 1, 0)) || (isStep && isTall(stateAt(serv.overworld, feet)))
  if (isHigh && climbs && animal.isHunting) return climb(serv, animal, next)
  const most = animal.isHunting ? DROP_BLOCKS.hunting : DROP_BLOCKS.usual
  const isDeep = !climbs && !hasFloor(serv, feet, most + 1)
  const isWet = blockAt(serv, feet.offset(0, -1, 0))?.name === 'water'
  if (isHigh || isDeep || isWet) return void (animal.heading = null)
  if (isStep) to.y = feet.y + 1
  next.set(to.x, Math.max(next.y, to.y), to.z)
}

/**
 * Return true if there is ground within this many blocks below.
 * @param {Server} serv @param {Vec3} feet @param {number} blocks
 */
function hasFloor(serv, feet, blocks) {
  for (let down = 1; down <= blocks; down++) {
    if (isSolid(serv, feet.offset(0, -down, 0))) return true
  }
  return false
}

/** Up a wall. @param {Server} serv @param {Animal} animal @param {Vec3} next */
function climb(serv, animal, next) {
  animal.velocity.y = 0
  next.y = animal.position.y + CLIMB_BLOCKS_PER_TICK * MOVE_TICKS
  if (!isSolid(serv, next.offset(0, animal.height, 0).floored())) return
  next.y = animal.position.y
  animal.heading = null
}
