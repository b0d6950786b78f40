/** Forward a bot's events to its agent's code if the code listens for them. */
import { blockData, entityData, text } from './outgoing.js'

/** @import { Bot, BotEventName } from '../types.d.ts' */

/**
 * Conversion of each event's arguments.
 * @type {Partial<Record<BotEventName, (...args: any[]) => unknown[]>>}
 */
const TOLD = {
  blockUpdate: (before, after) => [blockData(before), blockData(after)],
  chat: (speaker, message) => [text(speaker), text(message)],
  death: () => [],
  diggingCompleted: (block) => [blockData(block)],
  entityGone: (entity) => [entityData(entity)],
  entitySpawn: (entity) => [entityData(entity)],
  goal_reached: () => [],
  health: () => [],
  physicsTick: () => [],
  playerCollect: (collector, collected) => [entityData(collector), entityData(collected)]
}

/** @param {Bot} bot @param {(event: string, args: unknown[]) => void} tell */
export function createListeners(bot, tell) {
  /** @type {Map<BotEventName, (...args: any[]) => void>} */
  const mine = new Map()
  const forget = (/** @type {BotEventName} */ event) => {
    const listener = mine.get(event)
    if (listener) bot.off(/** @type {any} */ (event), listener)
    mine.delete(event)
  }
  return {
    /** @param {string} event @param {boolean} on */
    listen(event, on) {
      const name = /** @type {BotEventName} */ (event)
      const read = Object.hasOwn(TOLD, event) ? TOLD[name] : undefined
      if (!read) return
      if (!on) return forget(name)
      if (mine.has(name)) return
      const listener = (/** @type {any[]} */ ...args) => tell(event, read(...args))
      mine.set(name, listener)
      bot.on(/** @type {any} */ (name), listener)
    },
    end() {
      for (const event of [...mine.keys()]) forget(event)
    }
  }
}
