/**
 * The primitives: what agents' policies are made of, with the signatures of Voyager's.
 *
 * One capability a file, each exporting one function of a context and the agent's arguments. A
 * primitive fails with a reason that its caller can act on, stops at once when the run does, and
 * never leaves the bot on its way or in a window.
 */
import { createRequire } from 'node:module'
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

/**
 * @typedef {object} Context what a primitive works with
 * @property {Bot} bot          Mineflayer's own bot
 * @property {AbortSignal} signal fires when the run ends
 * @property {() => void} check throws once the run is over
 * @property {ReturnType<typeof import('../sandbox/signals.js').createSignals>} signals
 * @property {string} name      the agent's
 * @property {boolean} digs     whether it may dig and build its way
 * @property {UseBlock} use asks the world's referee
 */

/** @typedef {(context: Context, ...args: unknown[]) => Promise<unknown>} Primitive */

/**
 * @param {object} options
 * @param {Bot} options.bot
 * @param {object} options.facade what agents pass as `bot`
 * @param {{signal: AbortSignal, check: () => void, did: (what: string) => void}} options.run
 * @param {ReturnType<typeof import('../sandbox/membrane.js').createMembrane>} options.membrane
 * @param {Context['signals']} options.signals
 * @param {string} options.name
 * @param {boolean} options.digs
 * @param {Context['use']} options.use
 * @returns {Record<string, Function>}
 */
export function createPrimitives({ bot, facade, run, membrane, ...more }) {
  const context = { bot, signal: run.signal, check: () => run.check(), ...more }
  return Object.fromEntries(
    Object.entries(PRIMITIVES).map(([primitive, perform]) => [
      primitive,
      (/** @type {unknown} */ first, /** @type {unknown[]} */ ...args) => {
        run.check()
        if (first !== facade) throw new Error(`the first argument of ${primitive} must be bot`)
        const work = async () => {
          const inner = args.map(membrane.unwrap)
          const result = await /** @type {Primitive} */ (perform)(context, ...inner)
          run.check()
          run.did(`${primitive}(${['bot', ...args.map(brief)].join(', ')})`)
          return result
        }
        return membrane.gate(work())
      }
    ])
  )
}

/** @param {unknown} value */
function brief(value) {
  if (typeof value === 'function') return value.name || 'function'
  if (value instanceof Vec3) return `(${value.x}, ${value.y}, ${value.z})`
  return String(JSON.stringify(value)).slice(0, MAX_BRIEF_CHARACTERS)
}
