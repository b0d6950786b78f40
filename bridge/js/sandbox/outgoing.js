/**
 * Conversion of objects in the world to data for agents' code: copies only. The mark `$` selects
 * the engine's constructor.
 */

/** @import { Block, Bot, Entity, Item, Recipe, Window } from '../types.d.ts' */

/** @typedef {{x: number, y: number, z: number}} Place */

const MAX_TEXT = 1000
/** Tables with more rows than this are read row by row. */
const MAX_COPIED = 64
const MAX_DEPTH = 8
/** Shapes for each state of a block: megabytes that no policy reads. */
const HEAVY = ['stateShapes']

/** @param {unknown} value */
export const text = (value) => String(value).slice(0, MAX_TEXT).toWellFormed()

/** @param {Place} place @returns {[number, number, number]} */
export const triple = ({ x, y, z }) => [x, y, z]

/** @param {Place | null | undefined} place */
export const vector = (place) => (place ? { $: 'v', x: place.x, y: place.y, z: place.z } : null)

/** @param {Block | null} block */
export function blockData(block) {
  if (!block?.position) return null
  const { biome } = /** @type {any} */ (block)
  return {
    $: 'b',
    state: block.stateId,
    at: triple(block.position),
    light: block.light,
    skyLight: block.skyLight,
    biome: { id: biome?.id ?? 0, name: biome?.name ?? '' },
    ...(block.name.includes('sign') && { text: signText(block) })
  }
}

/** @param {Block} block */
function signText(block) {
  const signed = /** @type {{getSignText?: () => string[]}} */ (/** @type {unknown} */ (block))
  return (signed.getSignText?.() ?? []).map(text)
}

/** Return the data that all blocks with the same state share. @param {Block} block */
export function stateData(block) {
  const { type, metadata, name, displayName, hardness, boundingBox, transparent, diggable } = block
  const { material, harvestTools, drops, shapes } = /** @type {any} */ (block)
  const fields = { type, metadata, name, displayName, hardness, boundingBox, transparent, diggable }
  const data = { fields: { ...fields, material, harvestTools, drops, shapes } }
  return JSON.parse(JSON.stringify({ ...data, properties: block.getProperties() }))
}

/** @param {Item | null | undefined} item */
export function itemData(item) {
  if (!item) return null
  const { type, count, metadata, name, displayName, stackSize, slot } = item
  const { maxDurability, durabilityUsed } = item
  const common = { type, count, metadata, name, displayName, stackSize, slot }
  return { $: 'i', ...common, maxDurability, durabilityUsed, enchants: enchantments(item) }
}

/** @param {Item} item */
function enchantments(item) {
  if (!item.nbt) return []
  return item.enchants.map(({ name, lvl }) => ({ name: text(name), lvl }))
}

/** @param {Entity} entity */
function entitySeen(entity) {
  const { id, type, name, displayName, username, uuid, yaw, pitch } = entity
  const { onGround, height, width, health, isValid } = entity
  const { kind, isInWater } = /** @type {any} */ (entity)
  const dropped = entity.name === 'item' ? entity.getDroppedItem() : null
  return {
    ...{ id, type, kind, name, displayName, username, uuid, yaw, pitch, onGround, isInWater },
    ...{ height, width, health, isValid },
    position: triple(entity.position),
    velocity: triple(entity.velocity),
    equipment: Array.from(entity.equipment, itemData),
    dropped: itemData(dropped),
    customName: entity.metadata?.[2] ? text(entity.getCustomName?.() ?? '') : null
  }
}

/** @param {Entity | null | undefined} entity */
export const entityData = (entity) =>
  entity ? { $: 'e', id: entity.id, seen: entitySeen(entity) } : null

/**
 * Return the current data of an entity that the code already knows.
 * @param {Entity | undefined} entity
 */
export const entityNow = (entity) => (entity ? { $: 's', seen: entitySeen(entity) } : null)

/** Return the items in a window. @param {Window} window */
export function windowSeen(window) {
  const { id, type, title, inventoryStart, inventoryEnd, hotbarStart } = window
  const { craftingResultSlot, selectedItem } = window
  const furnace = /** @type {any} */ (window)
  const { fuel, fuelSeconds, totalFuel, progress, progressSeconds, totalProgress } = furnace
  return {
    ...{ id, type, title: text(title), inventoryStart, inventoryEnd, hotbarStart },
    ...{ craftingResultSlot, slots: window.slots.map(itemData) },
    ...{ fuel, fuelSeconds, totalFuel, progress, progressSeconds, totalProgress },
    selectedItem: itemData(selectedItem)
  }
}

/** @param {Window} window @param {boolean} open true if it accepts actions */
export const windowData = (window, open) => ({ $: 'w', open, seen: windowSeen(window) })

/**
 * Encode recipes, each with its index among all recipes for an item.
 * @param {Recipe[]} recipes @param {Recipe[]} all
 */
export function recipesData(recipes, all) {
  const known = all.map((recipe) => JSON.stringify(recipe))
  return recipes.map((recipe) => {
    const written = JSON.stringify(recipe)
    const index = known.indexOf(written)
    return { $: 'r', type: recipe.result.id, index, recipe: JSON.parse(written) }
  })
}

/** @param {Bot} bot */
export function statusData(bot) {
  const { experience, food, foodSaturation, game, health, isRaining, isSleeping, time } = bot
  const { timeOfDay, day, isDay, moonPhase, age, doDaylightCycle } = time
  return {
    ...{ experience, food, foodSaturation, health, isRaining, isSleeping },
    game: plain(game, 0),
    quickBarSlot: bot.quickBarSlot,
    spawnPoint: vector(bot.spawnPoint),
    targetDigBlock: blockData(bot.targetDigBlock ?? null),
    heldItem: itemData(bot.heldItem),
    time: { time: time.time, timeOfDay, day, isDay, moonPhase, age, doDaylightCycle }
  }
}

/** @param {Bot} bot */
export function playersData(bot) {
  const all = Object.entries(bot.players).map(([name, player]) => {
    const { uuid, username, ping, gamemode, entity } = player
    const displayName = text(player.displayName ?? username)
    return [name, { uuid, username, ping, gamemode, displayName, entity: entityData(entity) }]
  })
  return Object.fromEntries(all)
}

/**
 * Copy an object's data without functions and deep nesting.
 * @param {any} value @param {number} depth @returns {any}
 */
function plain(value, depth) {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || ['number', 'boolean'].includes(typeof value)) return value
  if (typeof value !== 'object' || depth > 2) return undefined
  if (Array.isArray(value)) return value.map((inner) => plain(inner, depth + 1))
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(value[key], depth + 1)]))
}

/**
 * Encode a table row: small values as copies, large ones as tables.
 * @param {any} value @param {string[]} path @returns {any}
 */
export function row(value, path) {
  if (value === undefined || typeof value === 'function') return { $: 'u' }
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  const keys = Object.keys(value)
  if (!Array.isArray(value) && keys.length > MAX_COPIED) return { $: 'd', path }
  if (path.length > MAX_DEPTH || value instanceof Map) return { $: 'u' }
  if (Array.isArray(value)) return value.map((inner, index) => row(inner, [...path, String(index)]))
  return Object.fromEntries(
    keys
      .filter((key) => typeof value[key] !== 'function' && !HEAVY.includes(key))
      .map((key) => [key, row(value[key], [...path, key])])
  )
}
