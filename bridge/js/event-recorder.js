/** Records what happens to a bot as events: chat, digging, collecting, containers, positions. */
import { onBlockChanges, recordBlockChanges } from './block-changes.js'
import { countByName, round } from './observe.js'

/** @import { Block, Bot, Emit, Window } from './types.d.ts' */

const POSITION_PERIOD_MS = 1000
/** Timers may fire a little early. */
const OWN_DIG_SHARE = 0.95
/** How long the server may take to say that a block is gone. */
const CONFIRM_MS = 5_000
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
 * Makes `bot.dig` say whether the bot itself dug the block, and records it once the server has said
 * that the block is gone. Mineflayer's also ends well when the block vanished because somebody else
 * was faster; then less than its own dig time has passed.
 * @param {Bot} bot
 * @param {Emit} emit
 */
function watchDigging(bot, emit) {
  const { dig } = bot
  const removals = watchRemovals(bot)
  /** @param {Block} block @param {[forceLook?: boolean | 'ignore']} options */
  const digOwn = async (block, ...options) => {
    const { name, position } = block
    const removed = removals.expect(block)
    const started = performance.now()
    const needed = bot.digTime(block)
    try {
      await dig(block, ...options)
    } catch (error) {
      removed.forget()
      throw error
    }
    const own = performance.now() - started >= needed * OWN_DIG_SHARE
    if (own)
      removed.confirmed(() => emit({ kind: 'block_dug', block: name, position: round(position) }))
    else removed.forget()
    return own
  }
  bot.dig = /** @type {Bot['dig']} */ (digOwn)
}

/**
 * Hears from the server, not from Mineflayer's guesses, that a block has become another one.
 * @param {Bot} bot
 */
function watchRemovals(bot) {
  /** @type {Map<string, {state: number, isGone: boolean, tell: () => void}>} */
  const expected = new Map()
  /** @param {number} x @param {number} y @param {number} z @param {number} state */
  const changed = (x, y, z, state) => {
    const wait = expected.get(`${x},${y},${z}`)
    if (!wait || state === wait.state) return
    wait.isGone = true
    wait.tell()
  }
  onBlockChanges(bot, changed)
  return {
    /** @param {Block} block as it is before it is dug */
    expect({ position: { x, y, z }, stateId }) {
      const key = `${x},${y},${z}`
      const wait = { state: Number(stateId), isGone: false, tell: () => {} }
      expected.set(key, wait)
      const forget = () => {
        if (expected.get(key) === wait) expected.delete(key)
      }
      /** @param {() => void} act done once the server has said so, or never */
      const confirmed = (act) => {
        const timer = setTimeout(forget, CONFIRM_MS)
        wait.tell = () => {
          clearTimeout(timer)
          forget()
          act()
        }
        if (wait.isGone) wait.tell()
      }
      return { forget, confirmed }
    }
  }
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
