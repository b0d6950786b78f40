/** Horses: a wild one throws its rider off until it is tame (minecraft.wiki: Horse § Taming). */
import { plainOf } from '../minecraft/snbt.js'
import { nbt } from '../minecraft/index.js'

/** @import { Animal, Packet, Server, Tag } from '../types/index.d.ts' */

const HORSE = /^(horse|donkey|mule)$/
const MOST_TEMPER = 100
/** Increase of a horse's temper per ride. */
const RIDE_TEMPER = 5
/** Chance per tick that a horse decides: it becomes tame or throws its rider off. */
const CHANCE = 1 / 50
const FLAG = { tame: 2, saddled: 4 }

/** @param {Animal} animal a horse or its like @returns {boolean} */
export const isTameHorse = ({ name, data }) => !HORSE.test(name) || Boolean(plainOf(data, 'Tame'))

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:taming')

  serv.on('tick', () => {
    for (const { vehicle } of serv.players) {
      if (vehicle?.type !== 'mob' || isTameHorse(vehicle) || random() >= CHANCE) continue
      if (random() * MOST_TEMPER < temperOf(vehicle)) tame(serv, vehicle)
      else throwOff(serv, vehicle)
    }
  })
}

/** @param {import('../types/index.d.ts').Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob' || !HORSE.test(entity.name)) return
  const { appearance } = entity
  entity.appearance = () => [...(appearance?.() ?? []), looksOf(entity)]
}

/** @param {Animal} animal */
const temperOf = ({ data }) => Number(plainOf(data, 'Temper') ?? 0)

/** @param {Server} serv @param {Animal} horse */
function tame(serv, horse) {
  const [rider] = horse.passengers
  if (rider?.type === 'player') own(horse, rider.uuid)
  change(horse, { Tame: nbt.byte(1) })
  showAs(serv, horse, 'hearts')
  showHorse(horse)
}

/** @param {Server} serv @param {Animal} horse */
function throwOff(serv, horse) {
  change(horse, { Temper: nbt.int(Math.min(MOST_TEMPER, temperOf(horse) + RIDE_TEMPER)) })
  serv.dismountAll(horse)
  showAs(serv, horse, 'smoke')
  serv.playSound('entity.horse.angry', horse.position)
}

/** Show a horse's changed appearance to players. @param {Animal} horse */
export function showHorse(horse) {
  if (HORSE.test(horse.name)) horse._writeNearby(...looksOf(horse))
}

/** @param {Animal} horse @returns {Packet} */
function looksOf(horse) {
  const isSaddled = horse.isSaddled || plainOf(horse.data, 'SaddleItem') !== undefined
  const value = (isTameHorse(horse) ? FLAG.tame : 0) | (isSaddled ? FLAG.saddled : 0)
  const key = horse.kind.metadataKeys.indexOf('flags')
  return ['entity_metadata', { entityId: horse.id, metadata: [{ key, type: 'byte', value }] }]
}

// Ownership, stored in the animal's entity data in vanilla's form (`Owner`, four 32-bit numbers),
// so that it is saved with worlds, including Minecraft worlds.

const PARTS = [0, 8, 16, 24]

/** @param {Animal} animal @returns {string | null} its owner's UUID */
export function ownerOf({ data }) {
  const owner = plainOf(data, 'Owner')
  const isOne = Array.isArray(owner) && owner.length === 4 && owner.every(Number.isInteger)
  if (!isOne) return null
  const hex = owner.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Give an animal to a player. @param {Animal} animal @param {string} uuid */
export function own(animal, uuid) {
  const hex = uuid.replaceAll('-', '')
  const value = PARTS.map((at) => Number.parseInt(hex.slice(at, at + 8), 16) | 0)
  change(animal, { Owner: { type: 'intArray', value } })
}

/**
 * Set fields of an animal's entity data.
 * @param {Animal} animal @param {Record<string, Tag>} parts
 */
export function change(animal, parts) {
  const before = /** @type {Record<string, Tag>} */ (animal.data?.value ?? {})
  animal.data = { type: 'compound', value: { ...before, ...parts } }
}

const STATUS = { smoke: 6, hearts: 7 }

/**
 * Show the result of a taming attempt.
 * @param {Server} serv @param {Animal} animal @param {keyof typeof STATUS} as
 */
export const showAs = (serv, animal, as) =>
  serv.send([...animal.watchers], 'entity_status', {
    entityId: animal.id,
    entityStatus: STATUS[as]
  })
