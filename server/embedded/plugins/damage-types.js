/** Damage types: their numbers in the registry that clients get. */
import { nbt, registry } from '../minecraft.js'

/** @type {{'minecraft:damage_type': {value: {id: number, name: string}[]}}} */
const codec = nbt.simplify(/** @type {any} */ (registry.loginPacket.dimensionCodec))
const NUMBERS = new Map(
  codec['minecraft:damage_type'].value.map(({ id, name }) => [name.replace('minecraft:', ''), id])
)

/** @param {string} name such as fall @returns {number} that of `generic` for what is not known */
export const damageType = (name) => NUMBERS.get(name) ?? NUMBERS.get('generic') ?? 0
