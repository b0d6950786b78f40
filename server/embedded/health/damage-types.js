/** Damage types, with their numbers in the clients' registry. */
import { nbt, registry } from '../minecraft/index.js'

/** @type {{'minecraft:damage_type': {value: {id: number, name: string, element: {message_id: string}}[]}}} */
const codec = nbt.simplify(/** @type {any} */ (registry.loginPacket.dimensionCodec))
const TYPES = codec['minecraft:damage_type'].value
const NUMBERS = new Map(TYPES.map(({ id, name }) => [name.replace('minecraft:', ''), id]))

/** @param {string} name such as fall */
export const isDamageType = (name) => NUMBERS.has(name)

/**
 * @param {string} name such as fall
 * @returns {number} number of the type; unknown names get the number of `generic`
 */
export const damageType = (name) => NUMBERS.get(name) ?? NUMBERS.get('generic') ?? 0

const MESSAGES = new Map(
  TYPES.map(({ name, element }) => [name.replace('minecraft:', ''), element.message_id])
)

/**
 * @param {string} name of a damage type
 * @returns {string} last part of vanilla's key for a death by it
 */
export const messageOf = (name) => MESSAGES.get(name) ?? 'generic'
