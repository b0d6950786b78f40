/** Horses: who rides a wild one is thrown off until it is tame (minecraft.wiki: Horse § Taming). */
import { plainOf } from '../minecraft/snbt.js'
import { nbt } from '../minecraft/index.js'

/** @import { Animal, Packet, Server, Tag } from '../types/index.d.ts' */

const HORSE = /^(horse|donkey|mule)$/
const MOST_TEMPER = 100
/** How much tamer each ride makes it. */
const RIDE_TEMPER = 5
/** How often it makes up its mind, a tick. */
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

/** Tells those who see it how it looks now. @param {Animal} horse */
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

// Ownership: who owns an animal. It stands in what the animal was summoned with, in vanilla's
// form (`Owner`, four numbers of 32 bits), so that kept worlds and those of Minecraft have it.

const PARTS = [0, 8, 16, 24]

/** @param {Animal} animal @returns {string | null} the UUID of whose it is */
export function ownerOf({ data }) {
  const owner = plainOf(data, 'Owner')
  const isOne = Array.isArray(owner) && owner.length === 4 && owner.every(Number.isInteger)
  if (!isOne) return null
  const hex = owner.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Makes one a player's. @param {Animal} animal @param {string} uuid */
export function own(animal, uuid) {
  const hex = uuid.replaceAll('-', '')
  const value = PARTS.map((at) => Number.parseInt(hex.slice(at, at + 8), 16) | 0)
  change(animal, { Owner: { type: 'intArray', value } })
}

/** Says more of what one is, in vanilla's form. @param {Animal} animal @param {Record<string, Tag>} parts */
export function change(animal, parts) {
  const before = /** @type {Record<string, Tag>} */ (animal.data?.value ?? {})
  animal.data = { type: 'compound', value: { ...before, ...parts } }
}

const STATUS = { smoke: 6, hearts: 7 }

/** Shows whether an attempt at taming was one. @param {Server} serv @param {Animal} animal @param {keyof typeof STATUS} as */
export const showAs = (serv, animal, as) =>
  serv.send([...animal.watchers], 'entity_status', {
    entityId: animal.id,
    entityStatus: STATUS[as]
  })
