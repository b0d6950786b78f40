/** Cleanup after a program, so that the next program starts with a bot at rest. */
import { createRequire } from 'node:module'

/** @import { Bot } from './types.d.ts' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

/**
 * The sign whose editor the server has opened for a bot; the bot may write on this sign once.
 * @type {WeakMap<Bot, {location: {x: number, y: number, z: number}, isFrontText: boolean}>}
 */
const openSigns = new WeakMap()

/** Entity ids of a bot's fishing bobbers. @type {WeakMap<Bot, Set<number>>} */
const lines = new WeakMap()

/** Time limit in game time for unfinished work to end. */
const SETTLE_MS = 2_000
/**
 * Mineflayer's methods that consist of several steps and continue after the program that called
 * them.
 */
const WORK = ['activateBlock', 'clickWindow', 'consume', 'craft', 'dig', 'equip', 'fish']
WORK.push('openContainer', 'openFurnace', 'placeBlock', 'sleep', 'toss', 'tossStack', 'transfer')
WORK.push('unequip', 'wake')

/**
 * Track the bot's unfinished work.
 * @param {Bot} bot @returns {Set<Promise<unknown>>} calls that have not finished
 */
export function watchWork(bot) {
  /** @type {Set<Promise<unknown>>} */
  const underWay = new Set()
  const client = /** @type {any} */ (bot._client)
  const cast = new Set()
  lines.set(bot, cast)
  const bobber = bot.registry.entitiesByName.fishing_bobber?.id
  client.on('spawn_entity', (/** @type {any} */ { type, objectData, entityId }) => {
    if (type === bobber && objectData === bot.entity.id) cast.add(entityId)
  })
  client.on('open_sign_entity', (/** @type {any} */ sign) => openSigns.set(bot, sign))
  const methods = /** @type {Record<string, any>} */ (/** @type {unknown} */ (bot))
  for (const name of WORK) {
    const perform = methods[name]
    methods[name] = (/** @type {unknown[]} */ ...args) => {
      const work = perform.apply(bot, args)
      underWay.add(work)
      Promise.resolve(work)
        .catch(() => {})
        .finally(() => underWay.delete(work))
      return work
    }
  }
  return underWay
}

/**
 * End the bot's goal, movement, dig, open window and sign, and wait until its unfinished work has
 * ended.
 * @param {Bot} bot @param {Set<Promise<unknown>>} underWay
 * @returns {Promise<boolean>} true if it is at rest
 */
export async function standStill(bot, underWay) {
  try {
    halt(bot)
    await settled(underWay)
    if (underWay.size) return false
    halt(bot) // unfinished work may have opened a window, or walked
    const isBusy = bot.currentWindow || bot.targetDigBlock || bot.isSleeping
    const { vehicle } = /** @type {any} */ (bot)
    return !isBusy && !vehicle && !isFishing(bot) && !bot.pathfinder.isMoving()
  } catch {
    return false
  }
}

/** @param {Bot} bot */
function halt(bot) {
  bot.pathfinder.setGoal(null)
  bot.clearControlStates()
  if (bot.targetDigBlock) bot.stopDigging()
  if (bot.currentWindow) bot.closeWindow(bot.currentWindow)
  if (/** @type {any} */ (bot).usingHeldItem) bot.deactivateItem()
  leaveSign(bot)
}

/**
 * Return true if the server lets a bot write on a sign.
 * @param {Bot} bot @param {import('vec3').Vec3} position
 */
export function mayWriteOn(bot, position) {
  const open = openSigns.get(bot)
  const { x, y, z } = open?.location ?? { x: NaN, y: NaN, z: NaN }
  return position.equals(new Vec3(x, y, z))
}

/**
 * Close a sign's editor like a player who changes nothing, with the sign's current text.
 * @param {Bot} bot
 */
function leaveSign(bot) {
  const open = openSigns.get(bot)
  if (!open) return
  openSigns.delete(bot)
  const { x, y, z } = open.location
  const block = /** @type {any} */ (bot.blockAt(new Vec3(x, y, z)))
  if (!block?.getSignText) return
  const [front = '', back = ''] = block.getSignText()
  const [text1 = '', text2 = '', text3 = '', text4 = ''] = (open.isFrontText ? front : back).split(
    '\n'
  )
  const { location, isFrontText } = open
  bot._client.write('update_sign', { location, isFrontText, text1, text2, text3, text4 })
}

/** Return true if the bot has cast a line. @param {Bot} bot */
const isFishing = (bot) => [...(lines.get(bot) ?? [])].some((id) => bot.entities[id])

/** @param {Set<Promise<unknown>>} underWay */
async function settled(underWay) {
  const until = Date.now() + SETTLE_MS
  while (underWay.size && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
