/** Blocks that a bot has dug itself, as the server reports them, not as Mineflayer guesses them. */
import { onBlockChanges } from './block-changes.js'
import { round } from './observe.js'
import { keyOf, Unconfirmed } from './unconfirmed.js'

/** @import { Block, Bot, Emit, Position } from './types.d.ts' */

const STATUS = { START: 0, FINISH: 2 }
/** When a player breaks a block, the server sends this event to all other players nearby. */
const BROKEN_EVENT = 2001
const MOST_TAKEN = 1000

/**
 * A block that the bot is digging, from the call to the server's answer.
 * @typedef {object} Dig
 * @property {Position} position the very object that Mineflayer sends
 * @property {Set<string>} places the same as text
 * @property {number} state newest state of the block
 * @property {string} name of this state
 * @property {boolean} isInstant true if it breaks without delay
 * @property {number} owed number of answers that the server owes to the bot's packets
 * @property {boolean} isAnswered true once the server has confirmed or refused the dig
 * @property {boolean} isOver true once the call has ended
 * @property {boolean} isOwn best guess before the server has answered
 */

/**
 * Let `bot.dig` return whether the bot itself dug the block, and record the dig once the server has
 * confirmed that the block is gone. Mineflayer's own `dig` also succeeds if the block vanished
 * because another player was faster.
 * @param {Bot} bot @param {Emit} emit
 * @param {(position: Position) => boolean} isPlacing true while the server has not answered a
 * placement of the bot at a position: its answer also reports the block
 */
export function watchDigging(bot, emit, isPlacing) {
  const { dig, registry, _client: client } = bot
  /** @type {Unconfirmed<Dig>} */
  const digs = new Unconfirmed()
  /** Where another player has broken a block that has not been reported yet. @type {Set<string>} */
  const taken = new Set()

  /** @param {Block} block @param {[forceLook?: boolean | 'ignore']} options */
  const digOwn = async (block, ...options) => {
    const { name, position, stateId } = block
    const [state, isInstant] = [Number(stateId), bot.digTime(block) === 0]
    const places = new Set([keyOf(position)])
    const is = { isInstant, owed: 0, isAnswered: false, isOver: false, isOwn: false }
    const own = { name, position, state, places, ...is }
    digs.pending.add(own)
    try {
      await dig(block, ...options)
    } finally {
      own.isOver = true
      if (own.owed) digs.limit(own)
      else digs.end(own)
    }
    return own.isOwn
  }
  bot.dig = /** @type {Bot['dig']} */ (digOwn)

  const { write } = client
  client.write = (name, fields) => {
    if (name === 'block_dig') sent(fields)
    return write.call(client, name, fields)
  }
  /** @param {{location: Position, status: number}} packet the bot's own */
  const sent = ({ location, status }) => {
    const own = digs.at(location).findLast(({ position }) => position === location)
    if (!own || (status !== STATUS.FINISH && !(status === STATUS.START && own.isInstant))) return
    own.owed += 1
    if (!own.isAnswered) own.isOwn = !isAir(own)
  }

  client.on('world_event', ({ effectId, location }) => {
    if (effectId !== BROKEN_EVENT) return
    if (taken.size >= MOST_TAKEN) taken.clear() // reports of columns that the bot has left never come
    taken.add(keyOf(location))
  })
  onBlockChanges(bot, (x, y, z, state) => {
    const isTaken = taken.delete(keyOf({ x, y, z }))
    const all = digs.at({ x, y, z })
    if (!all.length) return
    const { name } = registry.blocksByStateId[state]
    // One report answers one packet: the server refuses it, or the block is gone.
    const isAnswer = (/** @type {Dig} */ own) =>
      own.state === state
        ? !isPlacing({ x, y, z })
        : !own.isAnswered && own.name !== name && !isAir(own) && !isTaken
    const answered = all.find((own) => own.owed && isAnswer(own))
    if (answered) answer(answered, answered.state !== state)
    for (const own of all) Object.assign(own, { state, name, isOwn: own.isOwn && !isTaken })
  })

  /** @param {Dig} own @param {boolean} isOwn */
  function answer(own, isOwn) {
    own.owed -= 1
    if (own.isOver && !own.owed) digs.end(own)
    if (own.isAnswered) return
    own.isAnswered = true
    own.isOwn = isOwn
    if (isOwn) emit({ kind: 'block_dug', block: own.name, position: round(own.position) })
  }
}

/** @param {{name: string}} block */
const isAir = ({ name }) => name.endsWith('air')
