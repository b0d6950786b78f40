/** Records what happens to a bot as events: chat, digging, collecting, containers, positions. */
import { recordBlockChanges } from './block-changes.js'
import { countByName, round } from './observe.js'
import { watchDigging } from './own-digs.js'

/** @import { Bot, Emit, Window } from './types.d.ts' */

const POSITION_PERIOD_MS = 1000
/** The slot that stands for the place beside a window. */
const OUTSIDE = -999

/**
 * @param {Bot} bot
 * @param {Emit} emit
 */
export function recordEvents(bot, emit) {
  // Each bot reports its own words once the server has said them to everyone.
  bot.on('chat', (speaker, text) => {
    if (speaker === bot.username) emit({ kind: 'chat', text })
  })
  watchDigging(bot, emit)
  bot.on('blockPlaced', (_before, block) => {
    emit({ kind: 'block_placed', block: block.name, position: round(block.position) })
  })
  onCollected(bot, (item, count) => emit({ kind: 'item_collected', item, count }))
  watchContainers(bot, emit)
  recordBlockChanges(bot, emit)
  bot.on('death', () => emit({ kind: 'died' }))
  const timer = setInterval(() => {
    if (bot.entity) emit({ kind: 'position', position: round(bot.entity.position) })
  }, POSITION_PERIOD_MS)
  bot.once('end', () => clearInterval(timer))
}

/**
 * Reports what others say, and who comes and goes: which of them are bots of the run Python knows.
 * @param {Bot} bot
 * @param {Emit} emit
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
  bot.on('chat', (name, text) => {
    if (name !== bot.username) emit({ kind: 'stranger_said', name, text })
  })
}

/**
 * Calls a function with each item that the bot picks up, and how many of it: what a full inventory
 * has no room for stays where it lies.
 * @param {Bot} bot @param {(item: string, count: number) => void} collected
 */
export function onCollected(bot, collected) {
  bot._client.on('collect', ({ collectedEntityId, collectorEntityId, pickupItemCount }) => {
    if (collectorEntityId !== bot.entity?.id) return
    const item = bot.entities[collectedEntityId]?.getDroppedItem?.()
    if (item) collected(item.name, Math.min(item.count, pickupItemCount))
  })
}

/**
 * Compares the own items at a container's opening and closing, but for what was thrown away or
 * picked up meanwhile. Opening another one closes the first.
 * @param {Bot} bot @param {Emit} emit
 */
function watchContainers(bot, emit) {
  /** @type {{container: string, before: Record<string, number>} | null} */
  let open = null
  /** @param {Window} window that says what the bot has now */
  const settle = (window) => {
    if (!open) return
    const { container, before } = open
    open = null
    const after = ownItems(window)
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const count = (after[item] ?? 0) - (before[item] ?? 0)
      if (count) emit({ kind: 'container_moved', item, count, container })
    }
  }
  /** @param {string} item @param {number} count that the bot got, or lost, otherwise */
  const otherwise = (item, count) => {
    if (open) open.before[item] = (open.before[item] ?? 0) + count
  }
  bot.on('windowOpen', (window) => {
    settle(window)
    open = { container: String(window.type), before: ownItems(window) }
    watchThrows(window, otherwise)
  })
  bot.on('windowClose', settle)
  onCollected(bot, otherwise)
}

/** What the bot has while a window is open, with what it holds by the cursor, which it gets back. @param {Window} window */
const ownItems = (window) =>
  countByName([...window.items(), window.selectedItem].filter((item) => item !== null))

/** Clicks beside a window throw away what the cursor holds. @param {Window} window @param {(item: string, count: number) => void} changed */
function watchThrows(window, changed) {
  const clicked = /** @type {{acceptClick: (click: {slot: number}) => unknown}} */ (
    /** @type {unknown} */ (window)
  )
  const { acceptClick } = clicked
  clicked.acceptClick = (click) => {
    const held = window.selectedItem
    const count = held?.count ?? 0
    const done = acceptClick.call(window, click)
    const left = window.selectedItem?.count ?? 0
    if (click.slot === OUTSIDE && held) changed(held.name, left - count)
    return done
  }
}
