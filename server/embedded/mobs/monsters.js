/**
 * Monsters: they hunt the nearest visible player, and strike or shoot.
 *
 * In peaceful worlds they disappear immediately, as in vanilla. Kinds are in monster-kinds.js,
 * pathfinding in pathfinding.js, spawning in monster-spawning.js.
 */
import { isSolid } from '../blocks/blocks.js'
import { ADVENTURE, SURVIVAL } from '../players/game-modes.js'
import { MONSTERS, PEACEFUL } from './monster-kinds.js'

/** @import { Animal, Player, Server, Vec3 } from '../types/index.d.ts' */
/** @typedef {{prey: Player | null, seenTick: number, lookTick: number, struckTick: number}} Hunt */

/** Ticks between blows. */
const REST_TICKS = 20
/** Ticks between searches for players. */
const LOOK_TICKS = 10
/** Ticks for which a monster keeps following a player that it no longer sees. */
const MEMORY_TICKS = 60
/**
 * Maximum horizontal and vertical distance between body centres for a blow: the bodies touch, or
 * nearly.
 */
const REACH = { across: 1.5, up: 2 }
/** Light level from which spiders are peaceful, and the chance that a hunting spider then gives up. */
const PEACE = { light: 12, share: 0.1 }
/** Distances at which spiders leap, the chance of a leap, and its upward speed. */
const LEAP = { least: 2, most: 4, share: 0.2, up: 0.4 }
const EYES = 1.6
/** Step size along a line of sight, in blocks. */
const LOOK_STEP = 0.25
const SWING = 0

/** @param {Server} serv */
export function server(serv) {
  /** @type {WeakMap<Animal, Hunt>} */
  const hunts = new WeakMap()

  /** @param {Animal} animal @returns {Hunt} */
  function huntOf(animal) {
    const known = hunts.get(animal)
    if (known) return known
    const never = -MEMORY_TICKS
    /** @type {Hunt} */
    const made = { prey: null, seenTick: never, lookTick: never, struckTick: never }
    hunts.set(animal, made)
    return made
  }

  serv.preyOf = (animal) => {
    const kind = MONSTERS[animal.name]
    if (!kind || animal.isStill || serv.difficulty === PEACEFUL) return null
    const hunt = huntOf(animal)
    if (hunt.prey && !isNear(animal, hunt.prey)) hunt.prey = null
    if (serv.tickCount - hunt.lookTick < LOOK_TICKS) return hunt.prey
    hunt.lookTick = serv.tickCount
    const isAtPeace = kind.isTamedByLight && serv.brightnessAt(animal.position) >= PEACE.light
    if (isAtPeace && hunt.prey && serv.random() < PEACE.share) hunt.prey = null
    if (hunt.prey && hasSight(serv, animal.position, hunt.prey.position)) {
      hunt.seenTick = serv.tickCount
    }
    if (serv.tickCount - hunt.seenTick > MEMORY_TICKS) hunt.prey = null
    if (hunt.prey || isAtPeace) return hunt.prey
    hunt.prey = nearest(serv, animal)
    if (hunt.prey) hunt.seenTick = serv.tickCount
    return hunt.prey
  }

  serv.canSee = (animal, player) => hasSight(serv, animal.position, player.position)

  serv.strike = (animal, prey) => {
    const kind = MONSTERS[animal.name]
    if (kind.shoots || !kind.blows) return serv.shootAt(animal, prey)
    const { x, y, z } = prey.position.minus(animal.position)
    if (kind.climbs) leap(serv, animal, Math.hypot(x, z))
    if (Math.hypot(x, z) > REACH.across || Math.abs(y) > REACH.up) return
    const hunt = huntOf(animal)
    if (serv.tickCount - hunt.struckTick < REST_TICKS) return
    hunt.struckTick = serv.tickCount
    serv.send([...animal.watchers], 'animation', { entityId: animal.id, animation: SWING })
    serv.wound(prey, kind.blows[serv.difficulty - 1], 'mob_attack', animal)
  }

  serv.wound = (prey, damage, cause, by, from = by.position) => {
    const wound = prey.hurt(damage, cause, by)
    if (wound === 'new') serv.pushAway(prey, from)
    return wound
  }

  // Spiders hunt a player who has attacked them even by day.
  serv.on('animalHurt', (animal, by) => {
    if (!MONSTERS[animal.name] || !by || !isNear(animal, by)) return
    Object.assign(huntOf(animal), { prey: by, seenTick: serv.tickCount })
  })

  serv.on('tick', () => {
    if (serv.difficulty !== PEACEFUL) return
    for (const animal of serv.animals.values()) {
      if (MONSTERS[animal.name]) serv.removeAnimal(animal)
    }
  })
}

/**
 * Leap now and then at close range.
 * @param {Server} serv @param {Animal} animal @param {number} away
 */
function leap(serv, animal, away) {
  const isStanding =
    animal.velocity.y === 0 && isSolid(serv, animal.position.offset(0, -0.1, 0).floored())
  if (isStanding && away > LEAP.least && away < LEAP.most && serv.random() < LEAP.share) {
    animal.velocity.y = LEAP.up
  }
}

/**
 * Return true if a player can be hunted and is within range.
 * @param {Animal} animal @param {Player} player
 */
const isNear = (animal, player) =>
  player.spawned &&
  !player.isDead &&
  !player.disconnected &&
  [SURVIVAL, ADVENTURE].includes(player.gameMode) &&
  animal.position.distanceTo(player.position) <= MONSTERS[animal.name].notices

/** Return the nearest visible player. @param {Server} serv @param {Animal} animal */
function nearest(serv, animal) {
  const near = serv.players.filter((player) => isNear(animal, player))
  if (near.length > 1) {
    const away = (/** @type {Player} */ player) => animal.position.distanceTo(player.position)
    near.sort((a, b) => away(a) - away(b))
  }
  return near.find((player) => hasSight(serv, animal.position, player.position)) ?? null
}

/**
 * Return true if nothing solid is between the eyes of two bodies.
 * @param {Server} serv @param {Vec3} from feet @param {Vec3} to feet
 */
function hasSight(serv, from, to) {
  const eyes = from.offset(0, EYES, 0)
  const way = to.offset(0, EYES, 0).minus(eyes)
  const looks = Math.ceil(way.norm() / LOOK_STEP)
  for (let look = 1; look < looks; look++) {
    if (isSolid(serv, eyes.plus(way.scaled(look / looks)).floored())) return false
  }
  return true
}
