/**
 * The primitives: building blocks for agents' policies, with the signatures of Voyager's
 * primitives.
 *
 * Each primitive is a file that exports one function with a context and the agent's arguments. A
 * primitive fails with a reason that its caller can act on, and stops immediately when the run
 * ends. It never leaves the bot walking or in a window.
 */
import { createRequire } from 'node:module'
import { Callback } from '../sandbox/incoming.js'
import { checkItemInsideChest, depositItemIntoChest, getItemFromChest } from './chest.js'
import { craftItem } from './craft-item.js'
import { exploreUntil } from './explore-until.js'
import { givePlacedItemBack } from './give-placed-item-back.js'
import { goTo } from './go-to.js'
import { killMob } from './kill-mob.js'
import { mineBlock } from './mine-block.js'
import { placeItem } from './place-item.js'
import { smeltItem } from './smelt-item.js'
import { sendSignal, waitSignal } from './signal.js'
import { useBlock } from './use-block.js'

/** @import { Bot, UseBlock } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')

const MAX_BRIEF_CHARACTERS = 100

/** Primitives that do not use the hands. */
const SPEAKS = new Set(['sendSignal', 'waitSignal'])
const PRIMITIVES = {
  checkItemInsideChest,
  craftItem,
  depositItemIntoChest,
  exploreUntil,
  getItemFromChest,
  givePlacedItemBack,
  goTo,
  killMob,
  mineBlock,
  placeItem,
  sendSignal,
  smeltItem,
  useBlock,
  waitSignal
}

/** Primitives that take no function from the program. */
export const PLAIN = new Set(Object.keys(PRIMITIVES))
PLAIN.delete('exploreUntil')
PLAIN.delete('waitSignal')

/**
 * @typedef {object} Context context of a primitive
 * @property {Bot} bot          Mineflayer's own bot
 * @property {AbortSignal} signal fires when the run ends
 * @property {(fn: unknown) => Promise<boolean>} look calls a function of the agent; true: it found
 *   something
 * @property {ReturnType<typeof import('../sandbox/signals.js').createSignals>} signals
 * @property {string} name      the agent's
 * @property {boolean} digs     true if it may dig and build on its way
 * @property {UseBlock} use asks the world's referee
 * @property {boolean} [takesLess] do as much as possible of an action that cannot be completed
 */

/** @typedef {(context: Context, ...args: any[]) => Promise<unknown>} Primitive */

/**
 * @param {Context} context @param {string} name
 * @param {unknown[]} args data, as `sandbox/incoming.js` has read it
 * @returns {Promise<{value: unknown, done: string}>} the result, and a description of the action
 */
export async function performPrimitive(context, name, args) {
  if (!Object.hasOwn(PRIMITIVES, name)) throw new TypeError(`there is no ${name}`)
  const perform = /** @type {Record<string, Primitive>} */ (PRIMITIVES)[name]
  const { bot } = context
  // clicks would go to the open window
  if (bot.currentWindow && !SPEAKS.has(name)) bot.closeWindow(bot.currentWindow)
  const value = await perform(context, ...args)
  const given = args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1)
  return { value, done: `${name}(${['bot', ...given.map(brief)].join(', ')})` }
}

/** @param {unknown} value */
function brief(value) {
  if (value instanceof Callback) return value.name || 'function'
  if (value instanceof Vec3) return `(${value.x}, ${value.y}, ${value.z})`
  return String(JSON.stringify(value)).slice(0, MAX_BRIEF_CHARACTERS).toWellFormed()
}
