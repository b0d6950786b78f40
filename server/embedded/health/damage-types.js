/** Damage types: their numbers in the registry that clients get. */
import { nbt, registry } from '../minecraft/index.js'

/** @type {{'minecraft:damage_type': {value: {id: number, name: string, element: {message_id: string}}[]}}} */
const codec = nbt.simplify(/** @type {any} */ (registry.loginPacket.dimensionCodec))
const TYPES = codec['minecraft:damage_type'].value
const NUMBERS = new Map(TYPES.map(({ id, name }) => [name.replace('minecraft:', ''), id]))

/** @param {string} name such as fall */
export const isDamageType = (name) => NUMBERS.has(name)

/** @param {string} name such as fall @returns {number} that of `generic` for what is not known */
export const damageType = (name) => NUMBERS.get(name) ?? NUMBERS.get('generic') ?? 0

const MESSAGES = new Map(
  TYPES.map(({ name, element }) => [name.replace('minecraft:', ''), element.message_id])
)

/** @param {string} name of a damage type @returns {string} the last word of what vanilla says of a death by it */
export const messageOf = (name) => MESSAGES.get(name) ?? 'generic'
