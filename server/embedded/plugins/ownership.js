/**
 * Ownership: who owns an animal. It stands in what the animal was summoned with, in vanilla's form
 * (`Owner`, four numbers of 32 bits), so that kept worlds and those of Minecraft have it.
 */
import { plainOf } from '../commands/snbt.js'

/** @import { Animal, Server, Tag } from '../types.d.ts' */

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
