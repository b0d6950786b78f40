/**
 * Monsters that fight by hand: they go for the nearest player whom they can see, and strike.
 *
 * They come by command only, since scenarios keep monsters off; in peaceful worlds they are gone at
 * once, as in vanilla. How they walk is theirs as animals: straight on, up single steps, never off a
 * cliff, and around nothing.
 */
import { isSolid } from './blocks.js'
import { ADVENTURE, SURVIVAL } from './game-modes.js'

/** @import { Animal, Player, Server, Vec3 } from '../types.d.ts' */

const PEACEFUL = 0
/** Half hearts by difficulty, from easy to hard (minecraft.wiki: Zombie). @type {Record<string, [number, number, number]>} */
const BLOWS = {
  zombie: [2.5, 3, 4.5],
  zombie_villager: [2.5, 3, 4.5],
  husk: [2.5, 3, 4.5],
  drowned: [2.5, 3, 4.5]
}
/** How far they notice a player (an attribute of theirs: follow range). */
const NOTICE_BLOCKS = 35
/** Between blows. */
const REST_TICKS = 20
/** From one middle to the other, across and up: bodies that touch, with some reach. */
const REACH = { across: 1.5, up: 2 }
const EYES = 1.6
/** Blocks between looks along a line of sight. */
const LOOK_STEP = 0.25
const SWING = 0

/** @param {Server} serv */
export function server(serv) {
  /** @type {WeakMap<Animal, number>} when it struck last */
  const struck = new WeakMap()

  serv.preyOf = (animal) => {
    if (!BLOWS[animal.name] || animal.isStill || serv.difficulty === PEACEFUL) return null
    const near = serv.players
      .filter(
        (player) => isPrey(player) && animal.position.distanceTo(player.position) <= NOTICE_BLOCKS
      )
      .sort(
        (a, b) => animal.position.distanceTo(a.position) - animal.position.distanceTo(b.position)
      )
    return near.find((player) => hasSight(serv, animal.position, player.position)) ?? null
  }

  serv.strike = (animal, prey) => {
    const { x, y, z } = prey.position.minus(animal.position)
    if (Math.hypot(x, z) > REACH.across || Math.abs(y) > REACH.up) return
    if (serv.tickCount - (struck.get(animal) ?? -REST_TICKS) < REST_TICKS) return
    struck.set(animal, serv.tickCount)
    serv.send([...animal.watchers], 'animation', { entityId: animal.id, animation: SWING })
    const before = prey.health
    prey.hurt(BLOWS[animal.name][serv.difficulty - 1], 'mob_attack', animal)
    if (prey.health < before) serv.pushAway(prey, animal.position)
  }

  serv.on('tick', () => {
    if (serv.difficulty !== PEACEFUL) return
    for (const animal of serv.animals.values()) if (BLOWS[animal.name]) serv.removeAnimal(animal)
  })
}

/** @param {Player} player */
const isPrey = (player) =>
  player.spawned && !player.isDead && [SURVIVAL, ADVENTURE].includes(player.gameMode)

/** Whether nothing solid is between their eyes. @param {Server} serv @param {Vec3} from feet @param {Vec3} to feet */
function hasSight(serv, from, to) {
  const eyes = from.offset(0, EYES, 0)
  const way = to.offset(0, EYES, 0).minus(eyes)
  const looks = Math.ceil(way.norm() / LOOK_STEP)
  for (let look = 1; look < looks; look++) {
    if (isSolid(serv, eyes.plus(way.scaled(look / looks)).floored())) return false
  }
  return true
}
