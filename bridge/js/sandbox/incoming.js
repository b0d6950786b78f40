/**
 * Conversion of data from agents' code to objects in the world.
 *
 * The data arrives as JSON, so it contains no functions or other objects. Each argument is checked
 * here, and references to blocks, entities, items, windows, recipes and goals are looked up in the
 * bot's own world. From agents, only finite numbers and texts reach Mineflayer.
 */
import { createRequire } from 'node:module'

/** @import { Block, Bot, Entity, Goal, Item, Recipe, Window } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const { goals: GOALS } = require('mineflayer-pathfinder')
const { Vec3 } = require('vec3')

const MAX_TEXT = 1000
const MAX_PARTS = 5000
const MAX_DEPTH = 12
/** Minecraft's limit on coordinates. */
const FARTHEST = 3e7
const MAX_GOALS = 50
const MAX_REACH = 256

/** A function in the agent's code, which only its engine can call. */
export class Callback {
  /** @param {number} id @param {string} name */
  constructor(id, name) {
    this.id = id
    this.name = name
  }
}

/** Reference to an object of the world. */
class Reference {
  /** @param {Record<string, unknown>} fields */
  constructor(fields) {
    this.kind = fields.$
    this.fields = fields
  }
}

/** @param {string} json @returns {unknown[]} the arguments of a call */
export function readArguments(json) {
  const args = JSON.parse(json)
  if (!Array.isArray(args)) throw new TypeError('arguments are a list')
  const budget = { left: MAX_PARTS }
  return args.map((arg) => read(arg, budget, 0))
}

/** @param {any} value @param {{left: number}} budget @param {number} depth @returns {unknown} */
function read(value, budget, depth) {
  if (--budget.left < 0 || depth > MAX_DEPTH) throw new TypeError('that is too much data')
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((inner) => read(inner, budget, depth + 1))
  const fields = Object.fromEntries(
    Object.keys(value).map((key) => [key.toWellFormed(), read(value[key], budget, depth + 1)])
  )
  if (fields.$ === 'u') return undefined
  if (fields.$ === 'v') return vector(fields)
  if (fields.$ === 'f') return new Callback(whole(fields.id, 'a function'), text(fields.name, 100))
  return typeof fields.$ === 'string' ? new Reference(fields) : fields
}

/** @param {unknown} value @param {string} what @param {number} [most] */
export function number(value, what, most = FARTHEST) {
  if (typeof value !== 'number' || !(Math.abs(value) <= most)) {
    throw new TypeError(`${what} must be a number of at most ${most}`)
  }
  return value
}

/** @param {unknown} value @param {string} what @param {number} [most] */
export function whole(value, what, most = 1e9) {
  const found = number(value, what, most)
  if (!Number.isInteger(found)) throw new TypeError(`${what} must be a whole number`)
  return found
}

/** @param {unknown} value @param {number} [most] @returns {number} a count, 0 or more */
export function count(value, most) {
  const found = whole(value, 'a count', most)
  if (found < 0) throw new TypeError('a count is 0 or more')
  return found
}

/** @param {unknown} value @param {number} [most] */
export const text = (value, most = MAX_TEXT) => String(value).slice(0, most).toWellFormed()

/** @param {unknown} value @returns {import('vec3').Vec3} */
export function vector(value) {
  const { x, y, z } = /** @type {Record<string, unknown>} */ (value ?? {})
  return new Vec3(number(x, 'x'), number(y, 'y'), number(z, 'z'))
}

/**
 * @param {unknown} value @param {string} kind
 * @returns {Record<string, unknown> | null} the reference if it has this kind
 */
const referenceOf = (value, kind) =>
  value instanceof Reference && value.kind === kind ? value.fields : null

/** Return the position of a block, a vector, or anything with a position. @param {unknown} value */
function placeOf(value) {
  const at = referenceOf(value, 'b')?.at
  if (Array.isArray(at)) return vector({ x: at[0], y: at[1], z: at[2] })
  const { position } = /** @type {Record<string, unknown>} */ (value ?? {})
  return vector(position ?? value).floored()
}

/** @param {Bot} bot @param {unknown} value @param {string} method @returns {Block} as it is now */
export function block(bot, value, method) {
  if (!(value instanceof Reference) && !(value instanceof Vec3)) {
    const { position } = /** @type {Record<string, unknown>} */ (value ?? {})
    if (!position) throw new TypeError(`${method} needs a block, as bot.blockAt finds it`)
  }
  const found = bot.blockAt(placeOf(value))
  if (!found) throw new Error(`${method}: that place is too far away to be seen`)
  return found
}

/** @param {Bot} bot @param {unknown} value @param {string} method @returns {Entity} */
export function entity(bot, value, method) {
  const id = referenceOf(value, 'e')?.id
  const found = typeof id === 'number' ? bot.entities[id] : undefined
  if (!found) throw new Error(`${method} needs an entity that exists now`)
  return found
}

/**
 * @param {Bot} bot @param {unknown} value @param {string} method
 * @returns {Item} one of the bot's own items
 */
export function item(bot, value, method) {
  const fields = referenceOf(value, 'i')
  const type = fields ? fields.type : value
  const { slots } = bot.currentWindow ?? bot.inventory
  const there = fields ? bot.inventory.slots[Number(fields.slot)] : null
  const found =
    there?.type === type ? there : slots.find((one) => one !== null && one.type === type)
  if (!found) throw new Error(`${method} needs an item that you hold`)
  return /** @type {Item} */ (found)
}

/**
 * Return the open window if it has this id.
 * @param {Bot} bot @param {unknown} id @returns {Window | null}
 */
export const openWindow = (bot, id) =>
  bot.currentWindow && bot.currentWindow.id === id ? bot.currentWindow : null

/** @param {unknown} value */
export const windowId = (value) => referenceOf(value, 'w')?.id

/** @param {Bot} bot @param {unknown} value @returns {Recipe} */
export function recipe(bot, value) {
  const { type, index } = referenceOf(value, 'r') ?? {}
  const known = bot.recipesAll(whole(type ?? -1, 'a recipe'), null, true)
  const found = known[whole(index ?? -1, 'a recipe')]
  if (!found) throw new TypeError('craft needs a recipe of bot.recipesFor')
  return found
}

/** @param {Bot} bot @param {unknown} value @returns {Goal | null} */
export function goal(bot, value) {
  if (value === null || value === undefined) return null
  const { name, args } = referenceOf(value, 'g') ?? {}
  const make = typeof name === 'string' && Object.hasOwn(MAKERS, name) ? MAKERS[name] : null
  if (!make || !Array.isArray(args)) {
    throw new TypeError('a goal is one of GoalNear, GoalBlock, GoalXZ, …')
  }
  return make(bot, args)
}

/** @param {Bot} bot @param {unknown} value @returns {Goal} */
function goalNeeded(bot, value) {
  const found = goal(bot, value)
  if (!found) throw new TypeError('a goal is needed')
  return found
}

/** @param {Bot} bot @param {unknown} value */
function goalList(bot, value) {
  if (!Array.isArray(value) || value.length > MAX_GOALS) {
    throw new TypeError(`goals must be a list of at most ${MAX_GOALS} goals`)
  }
  return value.map((inner) => goalNeeded(bot, inner))
}

/** @param {string} name of a goal that takes numbers @param {number} count number of arguments */
const ofNumbers = (name, count) => (/** @type {Bot} */ _bot, /** @type {unknown[]} */ args) => {
  const numbers = Array.from({ length: count }, (_, index) => number(args[index] ?? 0, name))
  return new /** @type {any} */ (GOALS)[name](...numbers)
}

/** @param {any} options */
const reachOf = (options) => {
  const { reach, range } = options ?? {}
  return {
    ...(reach !== undefined && { reach: number(reach, 'reach', MAX_REACH) }),
    ...(range !== undefined && { range: number(range, 'range', MAX_REACH) })
  }
}

/** @type {Record<string, (bot: Bot, args: any[]) => Goal>} */
const MAKERS = {
  GoalBlock: ofNumbers('GoalBlock', 3),
  GoalGetToBlock: ofNumbers('GoalGetToBlock', 3),
  GoalNear: ofNumbers('GoalNear', 4),
  GoalNearXZ: ofNumbers('GoalNearXZ', 3),
  GoalXZ: ofNumbers('GoalXZ', 2),
  GoalY: ofNumbers('GoalY', 1),
  GoalBreakBlock: (bot, [x, y, z]) => {
    const { x: bx, y: by, z: bz } = vector({ x, y, z })
    return new /** @type {any} */ (GOALS.GoalBreakBlock)(bx, by, bz, bot)
  },
  GoalCompositeAll: (bot, [list]) => new GOALS.GoalCompositeAll(goalList(bot, list)),
  GoalCompositeAny: (bot, [list]) => new GOALS.GoalCompositeAny(goalList(bot, list)),
  GoalFollow: (bot, [who, range]) =>
    new GOALS.GoalFollow(entity(bot, who, 'GoalFollow'), number(range ?? 1, 'range', MAX_REACH)),
  GoalInvert: (bot, [inner]) => new GOALS.GoalInvert(goalNeeded(bot, inner)),
  GoalLookAtBlock: (bot, [place, , options]) =>
    new GOALS.GoalLookAtBlock(placeOf(place), bot.world, reachOf(options)),
  GoalPlaceBlock: (bot, [place, , options]) =>
    new GOALS.GoalPlaceBlock(placeOf(place), bot.world, /** @type {any} */ (reachOf(options)))
}

/** @param {unknown} value true if it is a reference to an entity */
export const isEntity = (value) => referenceOf(value, 'e') !== null
