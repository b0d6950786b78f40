/**
 * Pets: wolves, cats and parrots are tamed by feeding, sit on command, follow their owner, heal
 * when fed and breed; horses are tamed by riding. An animal's owner is stored in its entity data,
 * as in vanilla (`Owner`, `Sitting`, `CollarColor`, `Tame`), so that it is saved with the world.
 *
 * Chances, foods and distances are vanilla's (minecraft.wiki: Wolf, Cat, Parrot, Horse,
 * Tutorials/Taming).
 */
import { plainOf } from '../minecraft/snbt.js'
import { nbt, registry } from '../minecraft/index.js'
import { isSolid } from '../blocks/blocks.js'
import { SPECTATOR } from '../players/game-modes.js'
import { feed } from './husbandry.js'
import { fullHealthOf } from './mob-health.js'
import { change, own, ownerOf, showAs } from './taming.js'
import { healthOf } from '../health/vitals.js'
import { COLOURS } from './wool.js'

/** @import { Animal, Item, Packet, Player, Server, Vec3 } from '../types/index.d.ts' */

/**
 * @typedef {object} Kind of pets
 * @property {RegExp} tames food that tames it
 * @property {number} chance of success per item
 * @property {RegExp | null} meals food that heals it and makes it breed
 * @property {number} health of a tame one, in half hearts
 * @property {number} near distance that it keeps to its owner, in blocks
 * @property {number} far distance from which on it follows
 */

const FISH = /^(cod|salmon)$/
const SEEDS = /^(wheat|melon|pumpkin|beetroot|torchflower)_seeds$|^pitcher_pod$/
const MEAT = /^(cooked_)?(beef|porkchop|chicken|mutton|rabbit)$|^rotten_flesh$/
/** @type {Record<string, Kind>} */
const KINDS = {
  wolf: { tames: /^bone$/, chance: 1 / 3, meals: MEAT, health: 20, near: 2, far: 10 },
  cat: { tames: FISH, chance: 1 / 3, meals: FISH, health: 10, near: 5, far: 10 },
  parrot: { tames: SEEDS, chance: 1 / 10, meals: null, health: 6, near: 1, far: 5 }
}
const INTERACT = 0
const REACH_BLOCKS = 6
const FLAG = { sitting: 1, tame: 4 }
const RED = 14
const LOOK_TICKS = 10
const JUMP_BLOCKS = 12
/** Minimum and maximum distance from the owner at which a pet reappears, and number of attempts. */
const BESIDE = { most: 3, least: 2, tries: 10 }
/** Items that have another use on any animal. */
const OTHERS = /^(name_tag|lead)$/

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    if (serv.tickCount % LOOK_TICKS !== 0) return
    for (const animal of serv.animals.values()) if (KINDS[animal.name]) follow(serv, animal)
  })

  serv.on('animalBorn', (young, one, other) => {
    const owner = ownerOf(one) ?? ownerOf(other)
    if (!KINDS[young.name] || !owner) return
    own(young, owner)
    show(young)
  })
}

/** @param {import('../types/index.d.ts').Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob' || !KINDS[entity.name]) return
  const { appearance } = entity
  entity.appearance = () => [...(appearance?.() ?? []), ...looksOf(entity)]
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const random = serv.randomSequence('minecraft:pets')

  player._client.on('use_entity', ({ mouse, target, hand }) => {
    const animal = serv.entities[target]
    if (mouse !== INTERACT || hand === 1 || animal?.type !== 'mob' || !KINDS[animal.name]) return
    if (player.isDead || player.gameMode === SPECTATOR) return
    if (player.position.distanceTo(animal.position) > REACH_BLOCKS) return
    const { heldItem: item } = player
    if (OTHERS.test(item?.name ?? '')) return
    if (!ownerOf(animal)) tame(serv, player, animal, item, random)
    else care(serv, player, animal, item)
  })
}

/**
 * @param {Server} serv @param {Player} player @param {Animal} animal @param {Item | null} item
 * @param {() => number} random
 */
function tame(serv, player, animal, item, random) {
  const { tames, chance } = KINDS[animal.name]
  if (!item || !tames.test(item.name)) return
  player.useUpHeld()
  const isTamed = random() < chance
  if (isTamed) {
    own(animal, player.uuid)
    change(animal, { Sitting: nbt.byte(animal.name === 'parrot' ? 0 : 1) })
    animal.health = KINDS[animal.name].health
    animal.heading = null
    show(animal)
  }
  showAs(serv, animal, isTamed ? 'hearts' : 'smoke')
}

/**
 * Handle items and commands given to a tame animal.
 * @param {Server} serv @param {Player} player @param {Animal} animal @param {Item | null} item
 */
function care(serv, player, animal, item) {
  const { meals, health } = KINDS[animal.name]
  const isOwner = ownerOf(animal) === player.uuid
  const colour = COLOURS.indexOf(/^(.+)_dye$/.exec(item?.name ?? '')?.[1] ?? '')
  if (item && meals?.test(item.name)) {
    const full = animal.adultTick ? fullHealthOf(animal.name) : health
    if (animal.health >= full) return feed(serv, player, animal)
    const { foodPoints } = registry.foodsByName[item.name]
    animal.health = Math.min(health, animal.health + foodPoints)
    player.useUpHeld()
    return show(animal)
  }
  if (!isOwner) return
  if (colour >= 0 && animal.name !== 'parrot') {
    if (colour === (plainOf(animal.data, 'CollarColor') ?? RED)) return
    change(animal, { CollarColor: nbt.byte(colour) })
    player.useUpHeld()
  } else {
    change(animal, { Sitting: nbt.byte(Number(!plainOf(animal.data, 'Sitting'))) })
    animal.heading = null
  }
  show(animal)
}

/**
 * Make a standing pet walk to its owner, or teleport it there from too far away.
 * @param {Server} serv @param {Animal} animal
 */
function follow(serv, animal) {
  const owner = serv.uuidToPlayer[ownerOf(animal) ?? '']
  if (plainOf(animal.data, 'Sitting') && ownerOf(animal)) {
    Object.assign(animal, { heading: null, goalTick: serv.tickCount + LOOK_TICKS })
    return
  }
  if (!owner || owner.isDead || owner.gameMode === SPECTATOR) return
  if (animal.vehicle || animal.isStill) return
  const { near, far } = KINDS[animal.name]
  const { x, z } = owner.position.minus(animal.position)
  const away = owner.position.distanceTo(animal.position)
  if (away >= JUMP_BLOCKS) return jump(serv, animal, owner)
  const isFollowing = following.has(animal)
  if (away <= near || (!isFollowing && away <= far)) return void following.delete(animal)
  following.add(animal)
  const until = serv.tickCount + LOOK_TICKS
  const heading = Math.atan2(z, x)
  const yaw = (heading * 180) / Math.PI - 90
  Object.assign(animal, {
    heading,
    yaw,
    goalTick: until,
    fleeTick: until,
    turnedTick: serv.tickCount
  })
}

/** Pets that are walking to their owner. @type {WeakSet<Animal>} */
const following = new WeakSet()

/** @param {Server} serv @param {Animal} animal @param {Player} owner */
function jump(serv, animal, owner) {
  const base = owner.position.floored()
  const step = () => Math.floor(animal.random() * (2 * BESIDE.most + 1)) - BESIDE.most
  for (let tries = 0; tries < BESIDE.tries; tries++) {
    const [dx, dz] = [step(), step()]
    const isNear = Math.abs(dx) < BESIDE.least && Math.abs(dz) < BESIDE.least
    if (isNear || !isPlace(serv, base.offset(dx, 0, dz))) continue
    animal.velocity.y = 0
    return serv.moveEntity(animal, base.offset(dx + 0.5, 0, dz + 0.5))
  }
}

/** Return true if a pet can stand there. @param {Server} serv @param {Vec3} feet */
const isPlace = (serv, feet) =>
  isSolid(serv, feet.offset(0, -1, 0)) &&
  !isSolid(serv, feet) &&
  !isSolid(serv, feet.offset(0, 1, 0))

/** @param {Animal} animal */
function show(animal) {
  for (const [name, fields] of [...healthOf(animal), ...looksOf(animal)])
    animal._writeNearby(name, fields)
}

/** @param {Animal} animal @returns {Packet[]} */
function looksOf(animal) {
  const owner = ownerOf(animal)
  if (!owner) return []
  const keyOf = (/** @type {string} */ name) => animal.kind.metadataKeys.indexOf(name)
  const flags = FLAG.tame | (plainOf(animal.data, 'Sitting') ? FLAG.sitting : 0)
  const collar = keyOf('collar_color')
  const colour = Number(plainOf(animal.data, 'CollarColor') ?? RED)
  const metadata = [
    { key: keyOf('flags'), type: 'byte', value: flags },
    { key: keyOf('owneruuid'), type: 'optional_uuid', value: owner },
    ...(collar < 0 ? [] : [{ key: collar, type: 'int', value: colour }])
  ]
  return [['entity_metadata', { entityId: animal.id, metadata }]]
}
