/**
 * Progress of blocks that contain items: burning fuel, cooking food, brewing, a book's open page.
 * This file converts it to and from two formats, this server's world folders and Minecraft's.
 * Source: https://minecraft.wiki/w/Block_entity_format
 */
import { plainOf } from '../minecraft/snbt.js'
import { nbt } from '../minecraft/index.js'
import { PLACE } from '../workshops/brewing.js'

/** @import { Tag } from '../types/index.d.ts' */
/** @import { Container } from '../types/additions.d.ts' */
/** @typedef {Record<string, any>} Progress fields of one block */

/** Of 16 bits. */
const LARGEST = 32_767
const FOOD_TICKS = 600

const FURNACE = ['burning', 'burnTotal', 'cooked', 'total', 'used']
/** Saved fields by block name. @type {Record<string, string[]>} */
const FIELDS = {
  furnace: FURNACE,
  blast_furnace: FURNACE,
  smoker: FURNACE,
  brewing_stand: ['fuel', 'left'],
  campfire: ['cooked'],
  soul_campfire: ['cooked'],
  lectern: ['page']
}
/** Saved fields that do not mean that something is in progress. */
const SIZES = ['burnTotal', 'total']

/**
 * @param {Container} container
 * @returns {Progress | undefined} as plain data; undefined if nothing is in progress
 */
export function progressOf(container) {
  const all = /** @type {Progress} */ (container)
  const fields = FIELDS[container.name] ?? []
  const isGoingOn = fields.some(
    (name) => !SIZES.includes(name) && Object.values([all[name]].flat()).some(isSomething)
  )
  if (!isGoingOn) return undefined
  return structuredClone(Object.fromEntries(fields.map((name) => [name, all[name]])))
}

/** @param {number | Record<string, number>} value */
const isSomething = (value) => (typeof value === 'object' ? Object.keys(value).length : value) > 0

/**
 * Restore progress after the items have been restored.
 * @param {Container} container @param {Progress} progress
 */
export function setProgress(container, progress) {
  container.store.emit('change', 1) // makes it check whether there is work
  Object.assign(container, structuredClone(progress))
  if (container.name === 'brewing_stand')
    Object.assign(container, { with: container.store.slots[PLACE.ingredient]?.type ?? -1 })
}

/** @param {Container} container @param {Tag} data in Minecraft's form @returns {Progress} */
export function progressIn(container, data) {
  const within = (/** @type {unknown} */ value, most = LARGEST) =>
    Math.max(0, Math.min(most, Math.floor(Number(value)) || 0))
  const number = (/** @type {string} */ name) => within(plainOf(data, name))
  const { name, burnTotal = 0, total = 0, cooked } = /** @type {Progress} */ (container)
  if (FIELDS[name] === FURNACE) {
    const burning = number('BurnTime')
    return {
      burning,
      burnTotal: Math.max(burning, burnTotal),
      cooked: number('CookTime'),
      total: number('CookTimeTotal') || total
    }
  }
  if (name === 'brewing_stand') return { fuel: number('Fuel'), left: number('BrewTime') }
  if (name === 'lectern') return { page: number('Page') }
  if (!FIELDS[name]) return {}
  const times = plainOf(data, 'CookingTimes')
  return {
    cooked: cooked.map((/** @type {number} */ _, /** @type {number} */ place) =>
      within(Array.isArray(times) ? times[place] : 0, FOOD_TICKS)
    )
  }
}

/**
 * Return progress in Minecraft's format.
 * @param {string} name of the block @param {Progress} progress @returns {Record<string, Tag>}
 */
export function progressParts(name, progress) {
  const { burning = 0, cooked = 0, total = 0, left = 0, fuel = 0, page = 0 } = progress
  if (FIELDS[name] === FURNACE) {
    return {
      BurnTime: nbt.short(burning),
      CookTime: nbt.short(cooked),
      CookTimeTotal: nbt.short(total)
    }
  }
  if (name === 'brewing_stand') return { BrewTime: nbt.short(left), Fuel: nbt.byte(fuel) }
  if (name === 'lectern') return { Page: nbt.int(page) }
  if (!FIELDS[name]) return {}
  const times = [0, 1, 2, 3].map((place) => (cooked ? cooked[place] : 0))
  return {
    CookingTimes: { type: 'intArray', value: times },
    CookingTotalTimes: { type: 'intArray', value: times.map(() => FOOD_TICKS) }
  }
}
