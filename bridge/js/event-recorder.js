/** Record what happens to a bot as events: chat, digging, collecting, containers, positions. */
import { recordBlockChanges } from './block-changes.js'
import { round } from './observe.js'
import { watchContainers } from './container-moves.js'
import { watchDigging } from './own-digs.js'
import { OwnItems } from './own-items.js'
import { watchPlacing } from './own-placements.js'
import { OwnUses } from './own-uses.js'

/** @import { Bot, Emit } from './types.d.ts' */

const POSITION_PERIOD_MS = 1000

/**
 * @param {Bot} bot @param {Emit} emit
 * @returns {import('./own-placements.js').Placements} the bot's own placements
 */
export function recordEvents(bot, emit) {
  // Each bot reports its own messages once the server has broadcast them.
  bot.on('chat', (speaker, text) => {
    if (speaker === bot.username) emit({ kind: 'chat', text })
  })
  onCollected(bot, (item, count) => emit({ kind: 'item_collected', item, count }))
  const uses = new OwnUses(bot)
  const placements = watchPlacing(bot, emit, uses)
  watchDigging(bot, emit, placements.isPending)
  const collecting = (/** @type {Parameters<typeof onCollected>[1]} */ fn) => onCollected(bot, fn)
  watchContainers(bot, emit, new OwnItems(bot), uses, collecting, placements.listen)
  recordBlockChanges(bot, emit)
  bot.on('death', () => emit({ kind: 'died' }))
  const timer = setInterval(() => {
    if (bot.entity) emit({ kind: 'position', position: round(bot.entity.position) })
  }, POSITION_PERIOD_MS)
  bot.once('end', () => clearInterval(timer))
  return placements
}

/**
 * Record chat, joins and leaves of all other players; Python knows which of them are bots of the
 * run.
 * @param {Bot} bot @param {Emit} emit
 */
export function recordOthers(bot, emit) {
  /** @param {{username: string}} player */
  const joined = ({ username }) => {
    if (username !== bot.username) emit({ kind: 'player_joined', name: username, has_seat: false })
  }
  Object.values(bot.players).forEach(joined)
  bot.on('playerJoined', joined)
  bot.on('playerLeft', ({ username }) => {
    emit({ kind: 'player_left', name: username, has_seat: false })
  })
  // Console announcements start with a bracketed name, as players' messages do, but no player has
  // sent them.
  bot.on('chat', (name, text) => {
    if (name !== bot.username && bot.players[name]) emit({ kind: 'stranger_said', name, text })
  })
}

/**
 * Call a function with each item that the bot picks up and the picked-up count. Items that do not
 * fit into the inventory stay on the ground.
 * @param {Bot} bot @param {(item: string, count: number) => void} collected
 */
export function onCollected(bot, collected) {
  bot._client.on('collect', ({ collectedEntityId, collectorEntityId, pickupItemCount }) => {
    if (collectorEntityId !== bot.entity?.id) return
    const item = bot.entities[collectedEntityId]?.getDroppedItem?.()
    if (item) collected(item.name, Math.min(item.count, pickupItemCount))
  })
}
