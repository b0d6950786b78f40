/** Experience orbs: they fly to nearby players and carry experience. */
import { plainOf } from '../minecraft/snbt.js'
import { Vec3 } from '../minecraft/index.js'
import { fallOn } from './bodies.js'
import { SPECTATOR } from '../players/game-modes.js'

/** @import { Player, Server, Thing } from '../types/index.d.ts' */

const LIFE_TICKS = 6000
const GRAVITY = 0.03
const SEEN_BLOCKS = 8
const TAKEN_BLOCKS = 1.3
const PULL = 0.1
/** Minimum ticks between two orbs that the same player collects. */
const REST_TICKS = 2
/** Possible values of orbs, largest first (minecraft.wiki: Experience). */
const SIZES = [2477, 1237, 617, 307, 149, 73, 37, 17, 7, 3, 1]
/**
 * Minimum and maximum experience of ores (minecraft.wiki: Experience).
 * @type {Record<string, [number, number]>}
 */
const ORES = {
  coal_ore: [0, 2],
  diamond_ore: [3, 7],
  emerald_ore: [3, 7],
  lapis_ore: [2, 5],
  nether_gold_ore: [0, 1],
  nether_quartz_ore: [2, 5],
  redstone_ore: [1, 5],
  spawner: [15, 43],
  sculk: [1, 1]
}
/**
 * Experience for kills by players, for mobs that differ from ordinary animals and monsters.
 * @type {Record<string, [number, number]>}
 */
const KILLS = { villager: [0, 0], blaze: [10, 10], ender_dragon: [500, 500], wither: [50, 50] }

/** Maximum value that an orb's packet can contain. */
const MOST_WORTH = 32_767

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:experience')
  const between = (/** @type {[number, number]} */ [least, most]) =>
    least + Math.floor(random() * (most - least + 1))

  serv.onSummon(['experience_orb'], (position, data) =>
    orb(serv, position, Math.min(plainOf(data, 'Value') ?? 1, MOST_WORTH))
  )

  serv.spillExperience = (amount, position) => {
    for (let left = amount; left > 0;) {
      const size = SIZES.find((worth) => worth <= left) ?? 1
      orb(serv, position, size)
      left -= size
    }
  }

  serv.on('blockDug', (player, position, block) => {
    const range = ORES[block.name.replace('deepslate_', '')]
    const isSilk = player.heldItem?.enchants.some(({ name }) => name === 'silk_touch')
    const isDug = !block.harvestTools || block.harvestTools[player.heldItem?.type ?? -1]
    if (!range || isSilk || !isDug || player.gameMode !== 0 || !serv.gamerules.doTileDrops) return
    serv.spillExperience(between(range), position.offset(0.5, 0.5, 0.5))
  })

  serv.on('animalKilled', (by, animal) => {
    if (!by || animal.adultTick || !serv.gamerules.doMobLoot) return
    const isHostile = /hostile/.test(animal.kind.type)
    const range = KILLS[animal.name] ?? (isHostile ? [5, 5] : [1, 3])
    serv.spillExperience(between(range), animal.position.offset(0, 0.3, 0))
  })
}

/** @param {Player} player */
export function player(player) {
  player.orbTick = 0
}

/** @param {Server} serv @param {Vec3} position @param {number} worth */
function orb(serv, position, worth) {
  const thing = serv.addThing('experience_orb', position, (thing) => ({
    objectData: worth,
    step: () => {
      if (thing.ageTicks > LIFE_TICKS) return serv.removeThing(thing)
      const player = nearest(serv, thing)
      if (player && thing.position.distanceTo(player.position) <= TAKEN_BLOCKS)
        take(serv, thing, player)
      else {
        if (player) pull(thing, player)
        fallOn(serv, thing, GRAVITY)
      }
    }
  }))
  return thing
}

/** @param {Server} serv @param {Thing} thing */
function nearest(serv, { position }) {
  const isNear = (/** @type {Player} */ player) =>
    player.spawned && !player.isDead && player.gameMode !== SPECTATOR
  const away = (/** @type {Player} */ player) => player.position.distanceTo(position)
  const [first] = serv.players.filter(isNear).sort((a, b) => away(a) - away(b))
  return first && away(first) <= SEEN_BLOCKS ? first : null
}

/** @param {Thing} thing @param {Player} player */
function pull(thing, player) {
  const way = player.position.offset(0, 0.8, 0).minus(thing.position)
  const strength = (1 - way.norm() / SEEN_BLOCKS) ** 2 * PULL
  thing.velocity.add(way.scaled(strength / (way.norm() || 1)))
  thing.onGround = false
}

/** @param {Server} serv @param {Thing} thing @param {Player} player */
function take(serv, thing, player) {
  if (serv.tickCount - player.orbTick < REST_TICKS) return
  player.orbTick = serv.tickCount
  serv.send([...thing.watchers], 'collect', {
    collectedEntityId: thing.id,
    collectorEntityId: player.id,
    pickupItemCount: 1
  })
  serv.removeThing(thing)
  player.addExperience(thing.objectData ?? 1)
}
