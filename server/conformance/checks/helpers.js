/** What several checks do. */
import { createRequire } from 'node:module'
import { getSpeed } from '../../../clock.js'
import { ensure } from '../stage.js'

const require = createRequire(import.meta.url)
const WAIT_MS = 20_000

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('./index.js').Check} Check */
/** @import { Bot } from 'mineflayer' */
/** @import { Window } from 'prismarine-windows' */
/** @import { Vec3 } from 'vec3' */

/** One check. @param {string} group @param {string} name what holds @param {Check[2]} run @returns {Check} */
export const check = (group, name, run) => [group, name, run]

/** Waits for an event of a bot's. @param {any} emitter Mineflayer's types know not all events @param {string} event @param {(...values: any[]) => boolean} [isIt] @returns {Promise<any[]>} */
export function once(emitter, event, isIt = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`never heard: ${event}`)), WAIT_MS * getSpeed())
    const listen = (/** @type {any[]} */ ...values) => {
      if (!isIt(...values)) return
      clearTimeout(timer)
      emitter.off(event, listen)
      resolve(values)
    }
    emitter.on(event, listen)
  })
}

/** @param {Stage} stage @param {[string, string][]} pairs */
export async function answers(stage, pairs) {
  for (const [line, expected] of pairs) {
    const answer = await stage.command(line)
    ensure(answer === expected, `${line}: "${answer}" instead of "${expected}"`)
  }
}

/** @param {Stage} stage @param {string} name @param {number} times @param {Vec3} [table] */
export async function craft(stage, name, times, table) {
  const { id } = stage.bot.registry.itemsByName[name]
  const block = table ? stage.block(table) : undefined
  const [recipe] = stage.bot.recipesFor(id, null, 1, block ?? null)
  ensure(Boolean(recipe), `no recipe for ${name}`)
  await stage.bot.craft(recipe, times, block)
}

/** A click that Mineflayer itself does not offer, then the window as the server has it. @param {Stage} stage @param {Window} window @param {{mode: number, slot: number, mouseButton: number}} click */
export async function raw(stage, window, click) {
  const { Item } = itemsOf(stage.bot)
  stage.bot._client.write('window_click', {
    windowId: window.id,
    stateId: -1,
    ...click,
    changedSlots: [],
    cursorItem: Item.toNotch(window.selectedItem)
  })
  await once(stage.bot, `setWindowItems:${window.id}`)
}

/** @param {Bot} bot */
const itemsOf = (bot) => ({ Item: require('prismarine-item')(bot.registry) })

/** @param {Stage} stage @param {string} part */
export function inChest(stage, part) {
  const line = `data get block ${stage.where(stage.at(2, 0))} Items`
  return stage.until(`the chest holds ${part}`, async () =>
    (await stage.command(line)).includes(part)
  )
}

/** @param {Stage} stage */
export const pickedUp = async (stage) => stage.count('diamond') === 4

/** @param {Stage} stage @param {Vec3} position */
export const near = (stage, position) => stage.walkTo(position.floored()).catch(() => {})

/** @param {Bot} bot */
export const itemSeenBy = (bot) => bot.nearestEntity((e) => e.name === 'item')
