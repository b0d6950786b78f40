/**
 * Fishing: after a while a fish bites the floating bobber; reeling in then gives a catch.
 *
 * Times, probabilities and catches are vanilla's (minecraft.wiki: Fishing), including lure and
 * luck.
 */
import { itemNamed, registry, Vec3 } from '../minecraft/index.js'
import { blockOnWay, isWet } from '../entities/bodies.js'
import { directionOf } from '../combat/projectiles.js'

/** @import { Item, Player, Server, Thing } from '../types/index.d.ts' */

const EYES = 1.62
const CAST_SPEED = 0.9
const GRAVITY = 0.03
const DRAG = 0.92
const FARTHEST_BLOCKS = 32
const WAIT_TICKS = { least: 100, most: 600, lure: 100 }
/** How long a fish visibly approaches, and how long it stays at the hook. */
const COMING_TICKS = { least: 20, most: 80 }
const BITE_TICKS = { least: 20, most: 40 }
const EXPERIENCE = { least: 1, most: 6 }

/**
 * Catches by weight.
 * @type {Record<'fish' | 'junk' | 'treasure', [name: string, weight: number][]>}
 */
const CATCHES = {
  fish: [
    ['cod', 60],
    ['salmon', 25],
    ['tropical_fish', 2],
    ['pufferfish', 13]
  ],
  junk: [
    ['lily_pad', 17],
    ['leather_boots', 10],
    ['leather', 10],
    ['bone', 10],
    ['potion', 10],
    ['string', 5],
    ['fishing_rod', 2],
    ['bowl', 10],
    ['stick', 5],
    ['ink_sac', 1],
    ['tripwire_hook', 10],
    ['rotten_flesh', 10]
  ],
  treasure: [
    ['name_tag', 1],
    ['saddle', 1],
    ['bow', 1],
    ['fishing_rod', 1],
    ['book', 1],
    ['nautilus_shell', 1]
  ]
}
const SHARES = { fish: 85, junk: 10, treasure: 5 }

/** @typedef {{thing: Thing, floats: boolean, biteAt: number, biteEnd: number, waits: number}} Bobber */

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<Player, Bobber>} */
  const cast = new Map()
  const random = serv.randomSequence('minecraft:gameplay/fishing')
  const between = (/** @type {{least: number, most: number}} */ { least, most }) =>
    least + Math.floor(random() * (most - least + 1))

  serv.once('asap', () =>
    serv.onUse(['fishing_rod'], (player, rod, hand) => {
      const bobber = cast.get(player)
      if (bobber) reel(player, bobber, hand)
      else throwOut(player, rod)
    })
  )

  /** @param {Player} player @param {Item} rod */
  function throwOut(player, rod) {
    const way = directionOf(player.yaw, player.pitch)
    const lure = rod.enchants.find(({ name }) => name === 'lure')?.lvl ?? 0
    const thing = serv.addThing(
      'fishing_bobber',
      player.position.offset(0, EYES, 0).plus(way.scaled(0.3)),
      (thing) => ({
        velocity: way.scaled(CAST_SPEED).offset(0, 0.15, 0),
        objectData: player.id,
        step: () => drift(player)
      })
    )
    const waits = Math.max(1, between(WAIT_TICKS) - lure * WAIT_TICKS.lure)
    cast.set(player, { thing, floats: false, biteAt: 0, biteEnd: 0, waits })
    serv.playSound('entity.fishing_bobber.throw', player.position)
  }

  /** @param {Player} player */
  function drift(player) {
    const bobber = cast.get(player)
    if (!bobber) return
    const { thing } = bobber
    const isHeld = [0, 1].some((hand) => player.inHand(hand)?.name === 'fishing_rod')
    const isFar = player.position.distanceTo(thing.position) > FARTHEST_BLOCKS
    if (!isHeld || isFar || player.isDead || player.disconnected) return drop(player)
    bobber.floats = isWet(serv, thing.position)
    if (bobber.floats) return bite(bobber)
    const next = thing.position.plus(thing.velocity)
    const wall = blockOnWay(serv, thing.position, next)
    if (wall) thing.velocity.set(0, Math.min(0, thing.velocity.y) * 0.2, 0)
    else serv.moveEntity(thing, next)
    thing.velocity = thing.velocity.scaled(DRAG).offset(0, -GRAVITY, 0)
  }

  /** Process one tick in the water. @param {Bobber} bobber */
  function bite(bobber) {
    const { thing } = bobber
    thing.velocity.set(0, 0, 0)
    if (bobber.biteAt === 0) {
      bobber.biteAt = serv.tickCount + bobber.waits + between(COMING_TICKS)
      return
    }
    if (serv.tickCount === bobber.biteAt) {
      bobber.biteEnd = serv.tickCount + between(BITE_TICKS)
      thing.velocity.set(0, -0.4 * (0.6 + 0.4 * random()), 0)
      showBite(serv, thing)
    }
    if (bobber.biteEnd && serv.tickCount > bobber.biteEnd) {
      Object.assign(bobber, { biteAt: 0, biteEnd: 0, waits: between(WAIT_TICKS) })
    }
  }

  /** @param {Player} player @param {Bobber} bobber @param {number} hand */
  function reel(player, bobber, hand) {
    const { thing, biteEnd } = bobber
    if (biteEnd) {
      const [name] = drawn(caught(player.inHand(hand)), random)
      const way = player.position.minus(thing.position)
      const lift = 0.08 * Math.sqrt(way.norm())
      const velocity = way.scaled(0.1).offset(0, lift, 0)
      serv.dropItem(itemNamed(name), thing.position, { velocity })
      serv.spillExperience(between(EXPERIENCE), player.position.offset(0, 0.5, 0))
      player.wearHand(hand, 1)
    } else if (!bobber.floats) player.wearHand(hand, 2)
    serv.playSound('entity.fishing_bobber.retrieve', player.position)
    drop(player)
  }

  /** @param {Item | null} rod */
  function caught(rod) {
    const luck = rod?.enchants.find(({ name }) => name === 'luck_of_the_sea')?.lvl ?? 0
    const [kind] = drawn(
      [
        ['fish', SHARES.fish - luck],
        ['junk', SHARES.junk - 2 * luck],
        ['treasure', SHARES.treasure + 2 * luck]
      ],
      random
    )
    return CATCHES[/** @type {keyof typeof CATCHES} */ (kind)]
  }

  /** @param {Player} player */
  function drop(player) {
    const bobber = cast.get(player)
    cast.delete(player)
    if (bobber) serv.removeThing(bobber.thing)
  }
}

/** @param {[name: string, weight: number][]} entries @param {() => number} random */
function drawn(entries, random) {
  const sum = entries.reduce((all, [, weight]) => all + Math.max(0, weight), 0)
  let at = random() * sum
  return entries.find(([, weight]) => (at -= Math.max(0, weight)) < 0) ?? entries[0]
}

/**
 * Send vanilla's splash and bubbles, by which programs detect a bite.
 * @param {Server} serv @param {Thing} thing
 */
function showBite(serv, thing) {
  const { x, y, z } = thing.position
  const players = serv.getNearby({ position: thing.position, radius: 32 })
  for (const name of ['bubble', 'fishing']) {
    serv.send(players, 'world_particles', {
      particleId: registry.particlesByName[name].id,
      longDistance: false,
      x,
      y: Math.floor(y) + 1,
      z,
      offsetX: thing.width,
      offsetY: 0,
      offsetZ: thing.width,
      particleData: 0.2,
      particles: 6,
      data: undefined
    })
  }
  serv.playSound('entity.fishing_bobber.splash', new Vec3(x, y, z))
  const velocity = { x: 0, y: -3200, z: 0 }
  serv.send([...thing.watchers], 'entity_velocity', { entityId: thing.id, velocity })
}
