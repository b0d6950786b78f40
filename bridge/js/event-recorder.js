/** Records what happens to a bot as events: chat, digging, collecting, containers, positions. */
import { countByName, round } from './observe.js'

/** @import { Block, Bot, Emit } from './types.d.ts' */

const POSITION_PERIOD_MS = 1000
/** Timers may fire a little early. */
const OWN_DIG_SHARE = 0.95

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
  bot.on('playerCollect', (collector, collected) => {
    if (collector !== bot.entity) return
    const item = collected.getDroppedItem?.()
    if (item) emit({ kind: 'item_collected', item: item.name, count: item.count })
  })
  watchContainers(bot, emit)
  bot.on('death', () => emit({ kind: 'died' }))
  const timer = setInterval(() => {
    if (bot.entity) emit({ kind: 'position', position: round(bot.entity.position) })
  }, POSITION_PERIOD_MS)
  bot.once('end', () => clearInterval(timer))
}

/**
 * Makes `bot.dig` say whether the bot itself dug the block. Mineflayer's also ends well when the
 * block vanished because somebody else was faster; then less than its own dig time has passed.
 * @param {Bot} bot
 * @param {Emit} emit
 */
function watchDigging(bot, emit) {
  const { dig } = bot
  /** @param {Block} block @param {[forceLook?: boolean | 'ignore']} options */
  const digOwn = async (block, ...options) => {
    const started = performance.now()
    const needed = bot.digTime(block)
    await dig(block, ...options)
    const own = performance.now() - started >= needed * OWN_DIG_SHARE
    if (own) emit({ kind: 'block_dug', block: block.name, position: round(block.position) })
    return own
  }
  bot.dig = /** @type {Bot['dig']} */ (digOwn)
}

/** Compares the own items at a container's opening and closing. @param {Bot} bot @param {Emit} emit */
function watchContainers(bot, emit) {
  /** @type {Record<string, number>} */
  let before = {}
  bot.on('windowOpen', (window) => {
    before = countByName(window.items())
  })
  bot.on('windowClose', (window) => {
    const after = countByName(window.items())
    for (const item of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const count = (after[item] ?? 0) - (before[item] ?? 0)
      if (count) emit({ kind: 'container_moved', item, count, container: String(window.type) })
    }
  })
}
