/** Sunburn: undead mobs burn in the open by day (minecraft.wiki: Zombie); water extinguishes them. */
import { isWet } from '../entities/bodies.js'
import { MONSTERS } from './monster-kinds.js'

/** @import { Animal, Entity, Packet, Server } from '../types/index.d.ts' */

const LOOK_TICKS = 20
const BURN_TICKS = 160
const DAMAGE = 1
/** It counts as day while the sky is darker than its brightest by less than this. */
const DAY_DARKNESS = 4
/** Brightness above which undead mobs burn, and the chance per tick for each unit above it. */
const BURNS = { from: 0.5, above: 0.4, chance: 2 / 30 }
const BRIGHTEST = 15
const FLAGS_KEY = 0
const BURNING = 0x01
const EYES = 1.74

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const animal of serv.animals.values()) {
      if ((serv.tickCount + animal.id) % LOOK_TICKS === 0) look(serv, animal)
    }
  })
}

/** @param {Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob') return
  entity.burnTicks = 0
  const { appearance } = entity
  entity.appearance = () => [
    ...(appearance?.() ?? []),
    ...(entity.burnTicks ? [fireOf(entity)] : [])
  ]
}

/** @param {Animal} animal @returns {Packet} */
const fireOf = (animal) => [
  'entity_metadata',
  {
    entityId: animal.id,
    metadata: [{ key: FLAGS_KEY, type: 'byte', value: animal.burnTicks ? BURNING : 0 }]
  }
]

/** @param {Server} serv @param {Animal} animal */
function look(serv, animal) {
  const before = animal.burnTicks
  if (MONSTERS[animal.name]?.burns && serv.random() < chanceOf(serv, animal)) {
    animal.burnTicks = BURN_TICKS
  }
  if (!animal.burnTicks) return
  animal.burnTicks = isWet(serv, animal.position) ? 0 : animal.burnTicks - LOOK_TICKS
  if (before > 0 !== animal.burnTicks > 0) {
    const [name, fields] = fireOf(animal)
    animal._writeNearby(name, fields)
  }
  if (before && animal.burnTicks) animal.hurt(DAMAGE, 'on_fire')
}

/**
 * Return the chance that the sun ignites it between two checks.
 * @param {Server} serv @param {Animal} animal
 */
function chanceOf(serv, animal) {
  if (serv.skyDarkness() >= DAY_DARKNESS) return 0
  const eyes = animal.position.offset(0, Math.min(EYES, animal.height), 0)
  if (!serv.seesSky(eyes) || isWet(serv, animal.position)) return 0
  const share = serv.brightnessAt(eyes) / BRIGHTEST
  const brightness = share / (4 - 3 * share)
  if (brightness <= BURNS.from) return 0
  return 1 - (1 - (brightness - BURNS.above) * BURNS.chance) ** LOOK_TICKS
}
