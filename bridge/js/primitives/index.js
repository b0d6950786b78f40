/**
 * The primitives: what agents' policies are made of, with the signatures of Voyager's.
 *
 * One capability a file, each exporting one function of a context and the agent's arguments. A
 * primitive fails with a reason that its caller can act on, stops at once when the run does, and
 * never leaves the bot on its way or in a window.
 */
import { checkItemInsideChest, depositItemIntoChest, getItemFromChest } from './chest.js'
import { craftItem } from './craft-item.js'
import { goTo } from './go-to.js'
import { mineBlock } from './mine-block.js'
import { placeItem } from './place-item.js'
import { smeltItem } from './smelt-item.js'
import { sendSignal, waitSignal } from './signal.js'
import { withCallSite } from '../room/call-site.js'

const PRIMITIVES = {
  checkItemInsideChest,
  craftItem,
  depositItemIntoChest,
  getItemFromChest,
  goTo,
  mineBlock,
  placeItem,
  sendSignal,
  smeltItem,
  waitSignal
}

/**
 * @typedef {object} Context what a primitive works with
 * @property {any} bot          Mineflayer's own bot
 * @property {AbortSignal} signal fires when the run ends
 * @property {() => void} check throws once the run is over
 * @property {ReturnType<typeof import('../room/signals.js').createSignals>} signals
 * @property {string} name      the agent's
 */

/**
 * @param {object} options
 * @param {any} options.bot
 * @param {any} options.facade what agents pass as `bot`
 * @param {{signal: AbortSignal, check: () => void, done: string[]}} options.run
 * @param {Context['signals']} options.signals
 * @param {string} options.name
 * @returns {Record<string, Function>}
 */
export function createPrimitives({ bot, facade, run, signals, name }) {
  const context = { bot, signal: run.signal, check: () => run.check(), signals, name }
  return Object.fromEntries(
    Object.entries(PRIMITIVES).map(([primitive, perform]) => [
      primitive,
      async (/** @type {unknown} */ first, /** @type {any[]} */ ...args) => {
        run.check()
        if (first !== facade) throw new Error(`the first argument of ${primitive} must be bot`)
        const result = await withCallSite(() => /** @type {any} */ (perform)(context, ...args))
        run.check()
        run.done.push(`${primitive}(${['bot', ...args.map(brief)].join(', ')})`)
        return harden(result)
      }
    ])
  )
}

/** @param {unknown} value */
function brief(value) {
  if (typeof value === 'function') return value.name || 'function'
  if (value && typeof value === 'object' && 'x' in value) return String(value)
  return JSON.stringify(value)
}
