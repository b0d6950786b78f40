/**
 * Husbandry: players feed and breed animals, milk cows and shear sheep; chickens lay eggs.
 *
 * Times and counts are vanilla's (minecraft.wiki: Breeding, Sheep, Chicken).
 */
import { itemNamed, registry } from '../minecraft/index.js'
import { blockAt } from '../blocks/blocks.js'
import { nameOf } from '../entities/labels.js'
import { dye, woolOf } from './wool.js'

/** @import { Animal, Packet, Player, Server } from '../types/index.d.ts' */

const INTERACT = 0
const REACH_BLOCKS = 6
/** @type {Record<string, RegExp>} */
const FOOD = {
  cow: /^wheat$/,
  mooshroom: /^wheat$/,
  goat: /^wheat$/,
  sheep: /^wheat$/,
  rabbit: /^(carrot|golden_carrot|dandelion)$/,
  pig: /^(carrot|potato|beetroot)$/,
  chicken: /^(wheat|beetroot|melon|pumpkin)_seeds$/
}
const MILKED = /^(cow|mooshroom|goat)$/
const LOVE_TICKS = 600
const REST_TICKS = 6000
const CHILDHOOD_TICKS = 24_000
/** Fraction by which a meal shortens the remaining childhood. */
const MEAL_SHARE = 0.1
const LOOK_TICKS = 10
const SEEN_BLOCKS = 8
const MEETING_BLOCKS = 2.5
const EGG_TICKS = { least: 6000, more: 6000 }
/** Chance per tick that a sheep eats grass. */
const GRAZE_CHANCE = 1 / 1000
const LOVE_STATUS = 18
const GRAZE_STATUS = 10
const SHORN = 0x10

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:husbandry')

  serv.on('tick', () => {
    if (serv.tickCount % LOOK_TICKS !== 0) return
    const animals = [...serv.animals.values()].filter((animal) => animal.watchers.size)
    court(
      serv,
      animals.filter((animal) => animal.loveUntil > serv.tickCount),
      random
    )
    for (const animal of animals) {
      if (animal.name === 'chicken') lay(serv, animal, random)
      if (animal.isShorn && random() < GRAZE_CHANCE * LOOK_TICKS) graze(serv, animal)
      if (animal.adultTick && animal.adultTick <= serv.tickCount) {
        animal.adultTick = 0
        show(animal)
      }
    }
  })
}

/** @param {import('../types/index.d.ts').Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob') return
  Object.assign(entity, { loveUntil: 0, restUntil: 0, adultTick: 0, isShorn: false, eggTick: 0 })
  entity.appearance = () => looksOf(entity)
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const random = serv.randomSequence('minecraft:husbandry')

  player._client.on('use_entity', ({ mouse, target }) => {
    const animal = serv.entities[target]
    const { heldItem: item } = player
    if (mouse !== INTERACT || animal?.type !== 'mob' || !item || player.isDead) return
    if (player.position.distanceTo(animal.position) > REACH_BLOCKS) return
    if (FOOD[animal.name]?.test(item.name)) feed(serv, player, animal)
    else if (MILKED.test(animal.name) && item.name === 'bucket' && !animal.adultTick) {
      player.exchangeHeld('milk_bucket')
      serv.playSound(`entity.${animal.name === 'goat' ? 'goat' : 'cow'}.milk`, animal.position)
    } else if (animal.name === 'sheep' && item.name === 'shears')
      shear(serv, player, animal, random)
    else if (animal.name === 'sheep' && dye(player, animal, item)) show(animal)
  })
}

/** @param {Server} serv @param {Player} player @param {Animal} animal */
export function feed(serv, player, animal) {
  if (animal.adultTick) {
    animal.adultTick -= Math.floor((animal.adultTick - serv.tickCount) * MEAL_SHARE)
    return player.useUpHeld()
  }
  if (animal.loveUntil > serv.tickCount || animal.restUntil > serv.tickCount) return
  animal.loveUntil = serv.tickCount + LOVE_TICKS
  animal.fedBy = player.uuid
  player.useUpHeld()
  serv.send([...animal.watchers], 'entity_status', {
    entityId: animal.id,
    entityStatus: LOVE_STATUS
  })
}

/**
 * Move animals in love towards each other, and breed those that meet.
 * @param {Server} serv @param {Animal[]} lovers @param {() => number} random
 */
function court(serv, lovers, random) {
  for (const one of lovers) {
    if (one.loveUntil <= serv.tickCount) continue
    const other = lovers.find(
      (animal) =>
        animal !== one &&
        animal.name === one.name &&
        animal.loveUntil > serv.tickCount &&
        animal.position.distanceTo(one.position) <= SEEN_BLOCKS
    )
    if (!other) continue
    const { x, z } = other.position.minus(one.position)
    if (Math.hypot(x, z) <= MEETING_BLOCKS) bear(serv, one, other, random)
    else Object.assign(one, { heading: Math.atan2(z, x), goalTick: serv.tickCount + LOOK_TICKS })
  }
}

/** @param {Server} serv @param {Animal} one @param {Animal} other @param {() => number} random */
function bear(serv, one, other, random) {
  const feeder = serv.uuidToPlayer[one.fedBy ?? other.fedBy ?? '']
  for (const parent of [one, other]) {
    Object.assign(parent, {
      loveUntil: 0,
      restUntil: serv.tickCount + REST_TICKS,
      fedBy: undefined
    })
  }
  const young = serv.spawnAnimal(one.name, one.position.clone(), random)
  young.adultTick = serv.tickCount + CHILDHOOD_TICKS
  serv.emit('animalBorn', young, one, other)
  show(young)
  feeder?.addExperience(1 + Math.floor(random() * 7))
}

/** @param {Server} serv @param {Player} player @param {Animal} sheep @param {() => number} random */
function shear(serv, player, sheep, random) {
  if (sheep.isShorn || sheep.adultTick) return
  sheep.isShorn = true
  show(sheep)
  player.wearTool(1)
  const wool = itemNamed(woolOf(sheep), 1 + Math.floor(random() * 3))
  serv.dropItem(wool, sheep.position.offset(0, 1, 0))
  serv.playSound('entity.sheep.shear', sheep.position)
}

/** @param {Server} serv @param {Animal} sheep */
function graze(serv, sheep) {
  const feet = sheep.position.floored()
  const below = feet.offset(0, -1, 0)
  if (/^(short_grass|grass)$/.test(blockAt(serv, feet)?.name)) serv.setBlock(feet, 0)
  else if (blockAt(serv, below)?.name === 'grass_block') {
    serv.setBlock(below, registry.blocksByName.dirt.defaultState)
  } else return
  sheep.isShorn = false
  const entityStatus = GRAZE_STATUS
  serv.send([...sheep.watchers], 'entity_status', { entityId: sheep.id, entityStatus })
  show(sheep)
}

/** @param {Server} serv @param {Animal} chicken @param {() => number} random */
function lay(serv, chicken, random) {
  const isDue = chicken.eggTick > 0 && serv.tickCount >= chicken.eggTick
  if (isDue && !chicken.adultTick) serv.dropItem(itemNamed('egg'), chicken.position.clone())
  if (chicken.eggTick > 0 && !isDue) return
  chicken.eggTick = serv.tickCount + EGG_TICKS.least + Math.floor(random() * EGG_TICKS.more)
}

/** Show an animal's changed appearance to players. @param {Animal} animal */
function show(animal) {
  for (const [name, fields] of looksOf(animal)) animal._writeNearby(name, fields)
}

/** @param {Animal} animal @returns {Packet[]} */
function looksOf(animal) {
  const keys = animal.kind.metadataKeys
  const wool = keys.indexOf('wool')
  const baby = keys.indexOf('baby')
  const metadata = [
    { key: keys.indexOf('health'), type: 'float', value: animal.health },
    ...(baby < 0 ? [] : [{ key: baby, type: 'boolean', value: animal.adultTick > 0 }]),
    ...(wool < 0
      ? []
      : [{ key: wool, type: 'byte', value: animal.colour | (animal.isShorn ? SHORN : 0) }])
  ]
  return [['entity_metadata', { entityId: animal.id, metadata }], ...nameOf(animal)]
}
