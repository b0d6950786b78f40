/** Helpers that several checks use. */
import { createRequire } from 'node:module'
import { getSpeed } from '@voxpolis/clock'
import { ensure, FLOOR_Y } from '../stage.js'

const require = createRequire(import.meta.url)
const WAIT_MS = 20_000
/** How long a hurt body is immune. */
const SPARED_TICKS = 10

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('./index.js').Check} Check */
/** @import { Bot } from 'mineflayer' */
/** @import { Entity } from 'prismarine-entity' */
/** @import { Window } from 'prismarine-windows' */
/** @import { Vec3 } from 'vec3' */

/**
 * Define a check.
 * @param {string} group @param {string} name statement that should be true @param {Check[2]} run
 * @returns {Check}
 */
export const check = (group, name, run) => [group, name, run]

/**
 * Wait for an event from a bot.
 * @param {any} emitter Mineflayer's types lack some events @param {string} event
 * @param {(...values: any[]) => boolean} [isIt] @returns {Promise<any[]>}
 */
export function once(emitter, event, isIt = () => true) {
  const heard = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`never heard: ${event}`)), WAIT_MS * getSpeed())
    const listen = (/** @type {any[]} */ ...values) => {
      if (!isIt(...values)) return
      clearTimeout(timer)
      emitter.off(event, listen)
      resolve(values)
    }
    emitter.on(event, listen)
  })
  heard.catch(() => {}) // if the check has failed by then, no code awaits this promise any more
  return heard
}

/**
 * Teleport the other bot next to the first, and wait until both know: a bot that learns of its
 * teleport later walks back.
 * @param {Stage} stage
 */
export async function standBeside(stage) {
  const { bot, other } = stage
  const there = once(other, 'forcedMove')
  await stage.command(`tp ConformB 2.5 ${FLOOR_Y + 1} 0.5`)
  await there
  await stage.until('B is beside A', () => {
    const body = bot.players.ConformB?.entity
    return body && body.position.distanceTo(bot.entity.position) < 3
  })
}

/**
 * Wait for a number of ticks of the server's own clock, which decides what it has processed.
 * @param {Stage} stage @param {number} count
 */
export async function ticks(stage, count) {
  const counted = async () => Number((await stage.command('time query gametime')).match(/\d+/)?.[0])
  const end = (await counted()) + count
  await stage.until(`${count} ticks are over`, async () => (await counted()) >= end)
}

/**
 * Wait until a bot sees another one swing its arm, and then for some ticks more.
 * @param {Stage} stage @param {Bot} watcher @param {Bot} worker @param {number} count
 */
export async function atWork(stage, watcher, worker, count) {
  const hands = () => /** @type {any} */ (watcher.players[worker.username]?.entity?.metadata[8])
  await stage.until('its hand is at work', () => Number(hands()) & 1)
  await ticks(stage, count)
}

/**
 * Wait until the server reports a block with a property value, even briefly.
 * @param {Stage} stage @param {Vec3} place @param {string} name @param {unknown} value
 */
export const told = (stage, place, name, value) =>
  once(stage.bot, `blockUpdate:${place}`, (_, block) => block.getProperties()[name] === value)

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

/**
 * Send a click that Mineflayer does not offer, then return the window as the server reports it.
 * @param {Stage} stage @param {Window} window
 * @param {{mode: number, slot: number, mouseButton: number}} click
 */
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

/**
 * Summon a mob that does not move.
 * @param {Stage} stage @param {string} kind @param {number} x @param {number} z
 * @param {string} [data] @returns {Promise<Entity>}
 */
export async function still(stage, kind, x, z, data = '') {
  const seen = once(stage.bot, 'entitySpawn', (entity) => entity.name === kind)
  const place = `${x} ${FLOOR_Y + 1} ${z}`
  await stage.command(`summon ${kind} ${place} {NoAI:1b${data && `,${data}`}}`)
  return (await seen)[0]
}

/** Put an item into the bot's hand. @param {Stage} stage @param {string} item with its tag */
export async function hold(stage, item) {
  const name = item.replace(/\{.*/, '')
  await stage.command(`give ConformA ${item}`)
  await stage.holds(name, 1)
  await stage.bot.equip(stage.item(name), 'hand')
}

/**
 * Hurt the first bot once it is no longer immune.
 * @param {Stage} stage @param {number} damage in half hearts
 */
export async function harm(stage, damage) {
  await ticks(stage, SPARED_TICKS)
  await stage.command(`damage ConformA ${damage}`)
}
