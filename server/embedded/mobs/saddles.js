/**
 * Using saddles, name tags and bowls on animals, and mounting animals.
 *
 * Pigs, striders and tame horses can be saddled; saddled animals and all horses can be mounted. A
 * rider's client steers the horse.
 */
import { partOf, plainOf } from '../minecraft/snbt.js'
import { componentOf } from '../minecraft/texts.js'
import { nameOf } from '../entities/labels.js'
import { SPECTATOR } from '../players/game-modes.js'
import { isTameHorse, showHorse } from './taming.js'

/** @import { Animal, Item, Packet, Player, Server } from '../types/index.d.ts' */

const INTERACT = 0
const REACH_BLOCKS = 6
const SADDLED = /^(pig|strider)$/
const HORSES = /^(horse|donkey|mule|skeleton_horse|zombie_horse|camel)$/

/** @param {import('../types/index.d.ts').Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob') return
  entity.isSaddled = false
  const { appearance } = entity
  entity.appearance = () => [...(appearance?.() ?? []), ...saddleOf(entity)]
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player._client.on('use_entity', ({ mouse, target, hand }) => {
    const animal = serv.entities[target]
    if (mouse !== INTERACT || hand === 1 || animal?.type !== 'mob') return
    if (player.isDead || player.gameMode === SPECTATOR) return
    if (player.position.distanceTo(animal.position) > REACH_BLOCKS) return
    const { heldItem: item } = player
    if (item?.name === 'name_tag') tag(player, animal, item)
    else if (item?.name === 'bowl' && animal.name === 'mooshroom' && !animal.adultTick)
      player.exchangeHeld('mushroom_stew')
    else if (item?.name === 'saddle' && takesSaddle(animal)) saddle(serv, player, animal)
    else if (!player.crouching && !animal.passengers.length && isRidden(animal))
      serv.mount(player, animal)
  })
}

/** @param {Animal} animal */
const hasSaddle = ({ isSaddled, data }) =>
  isSaddled || Boolean(plainOf(data, 'Saddle')) || plainOf(data, 'SaddleItem') !== undefined

/** @param {Animal} animal */
const takesSaddle = (animal) =>
  (SADDLED.test(animal.name) || (HORSES.test(animal.name) && isTameHorse(animal))) &&
  !animal.adultTick &&
  !hasSaddle(animal)

/** @param {Animal} animal */
const isRidden = (animal) =>
  !animal.adultTick &&
  (HORSES.test(animal.name) || (SADDLED.test(animal.name) && hasSaddle(animal)))

/** Return true if the rider's client moves the animal. @param {Animal} animal */
export const isSteered = (animal) =>
  animal.passengers[0]?.type === 'player' &&
  HORSES.test(animal.name) &&
  isTameHorse(animal) &&
  hasSaddle(animal)

/** @param {Server} serv @param {Player} player @param {Animal} animal */
function saddle(serv, player, animal) {
  animal.isSaddled = true
  player.useUpHeld()
  for (const [name, fields] of saddleOf(animal)) animal._writeNearby(name, fields)
  showHorse(animal)
  serv.playSound(
    `entity.${SADDLED.test(animal.name) ? animal.name : 'horse'}.saddle`,
    animal.position
  )
}

/** @param {Animal} animal @returns {Packet[]} */
function saddleOf(animal) {
  const key = animal.kind.metadataKeys.indexOf('saddle')
  if (key < 0 || !hasSaddle(animal)) return []
  const metadata = [{ key, type: 'boolean', value: true }]
  return [['entity_metadata', { entityId: animal.id, metadata }]]
}

/** @param {Player} player @param {Animal} animal @param {Item} item */
function tag(player, animal, { nbt: data }) {
  const name = plainOf(partOf(data ?? undefined, 'display'), 'Name')
  if (typeof name !== 'string') return
  animal.customName = componentOf(name)
  player.useUpHeld()
  for (const [packet, fields] of nameOf(animal)) animal._writeNearby(packet, fields)
}
