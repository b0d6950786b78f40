/** Which blocks a bot has placed itself, as the server says it and not as Mineflayer guesses. */
import { round } from './observe.js'

/** @import { Block, Bot, Emit, Item, Position } from './types.d.ts' */

/** Where the hotbar begins in the bot's own window. */
const HOTBAR = 36
/** How long the server may take to say that the block stands. */
const CONFIRM_MS = 5_000

/** @param {Position} position */
const keyOf = ({ x, y, z }) => `${x},${y},${z}`

/**
 * One placement that was sent.
 * @typedef {object} Placement
 * @property {string} key of its place
 * @property {number} slot
 * @property {Item | null} held before it
 * @property {Block | null} block that stands there since
 * @property {boolean} isPaid whether what was held is less by it
 */

/**
 * Records each block that the bot placed, once it stands and the server has said that it was paid. Mineflayer takes
 * any new block in that place for the bot's, and somebody else may have been faster.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-items.js').OwnItems} items
 */
export function watchPlacing(bot, emit, items) {
  /** @type {Set<Placement>} */
  const pending = new Set()

  /** @param {Block} block */
  const record = ({ name, position }) =>
    emit({ kind: 'block_placed', block: name, position: round(position) })

  /** @param {Placement} placement */
  const settle = (placement) => {
    if (!placement.block || !placement.isPaid) return
    pending.delete(placement)
    record(placement.block)
  }

  const placing = /** @type {any} */ (bot)
  const place = placing._genericPlace
  placing._genericPlace = async (/** @type {Block} */ reference, /** @type {any[]} */ ...how) => {
    const done = await place(reference, ...how)
    const [face] = how
    const slot = HOTBAR + bot.quickBarSlot
    const key = keyOf(reference.position.plus(face))
    /** @type {Placement} */
    const placement = { key, slot, held: bot.heldItem, block: null, isPaid: false }
    pending.add(placement)
    setTimeout(() => pending.delete(placement), CONFIRM_MS)
    items.ask((slots) => {
      placement.isPaid = isLess(placement.held, slots[slot])
      if (!placement.isPaid) pending.delete(placement)
      for (const other of pending) if (other.slot === slot) other.held = slots[slot]
      settle(placement)
    })
    return done
  }

  bot.on('blockPlaced', (_before, block) => {
    if (bot.game.gameMode === 'creative') return record(block) // it costs nothing
    const key = keyOf(block.position)
    const placement = [...pending].find((one) => one.key === key && !one.block)
    if (!placement) return
    placement.block = block
    settle(placement)
  })
}

/** Whether something of what was held is gone: of what becomes another thing, such as a bucket that is emptied, all is. @param {Item | null} before @param {Item | null} after */
function isLess(before, after) {
  if (!before || !after) return before !== after
  return after.type !== before.type || after.count < before.count
}
