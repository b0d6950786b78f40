/** Which blocks a bot has dug itself, as the server says it and not as Mineflayer guesses. */
import { onBlockChanges } from './block-changes.js'
import { round } from './observe.js'

/** @import { Block, Bot, Emit, Position } from './types.d.ts' */

/** How long the server may take to say that a block is gone. */
const CONFIRM_MS = 5_000
const STATUS = { START: 0, FINISH: 2 }
/** A server tells everybody near of a block that a player breaks, but for the player. */
const BROKEN_EVENT = 2001

/** @param {Position} position */
const keyOf = ({ x, y, z }) => `${x},${y},${z}`

/**
 * Makes `bot.dig` say whether the bot itself dug the block, and records it once the server has said
 * that the block is gone. Mineflayer's also ends well when the block vanished because somebody else
 * was faster.
 * @param {Bot} bot
 * @param {Emit} emit
 */
export function watchDigging(bot, emit) {
  const { dig } = bot
  /** @type {Map<string, Dig>} */
  const digs = new Map()
  watchServer(bot, digs)
  /** @param {Block} block @param {[forceLook?: boolean | 'ignore']} options */
  const digOwn = async (block, ...options) => {
    const { name, position } = block
    const key = keyOf(position)
    const own = new Dig(block, bot.digTime(block) === 0, () => {
      if (digs.get(key) === own) digs.delete(key)
    })
    digs.set(key, own)
    try {
      await dig(block, ...options)
    } catch (error) {
      own.end(false)
      throw error
    }
    own.whenGone(() => emit({ kind: 'block_dug', block: name, position: round(position) }))
    return own.isOwn
  }
  bot.dig = /** @type {Bot['dig']} */ (digOwn)
}

/** Tells digs what the bot sends and what the server says. @param {Bot} bot @param {Map<string, Dig>} digs */
function watchServer(bot, digs) {
  const client = bot._client
  const { write } = client
  client.write = (name, fields) => {
    if (name === 'block_dig') digs.get(keyOf(fields.location))?.sent(fields.status)
    return write.call(client, name, fields)
  }
  client.on('world_event', ({ effectId, location }) => {
    if (effectId === BROKEN_EVENT) digs.get(keyOf(location))?.end(false)
  })
  onBlockChanges(bot, (x, y, z, state) => {
    const type = bot.registry.blocksByStateId[state]?.id
    digs.get(keyOf({ x, y, z }))?.changed(state, type)
  })
}

/** One block that the bot digs, from its first look at it to what the server says of it. */
class Dig {
  /** @param {Block} block as it is before @param {boolean} isInstant whether its start is its end @param {() => void} over */
  constructor({ stateId, type }, isInstant, over) {
    this.state = Number(stateId)
    this.type = type
    this.isInstant = isInstant
    this.over = over
    /** Whether the bot has told the server that it is through. */
    this.isFinished = false
    /** Whether the block is the bot's; null while that is open. @type {boolean | null} */
    this.verdict = null
    this.tell = () => {}
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined
  }

  /** What can be said of it before the server has spoken. */
  get isOwn() {
    return this.isFinished && this.verdict !== false
  }

  /** @param {number} status of the bot's own packet */
  sent(status) {
    if (status === STATUS.FINISH || (status === STATUS.START && this.isInstant)) {
      this.isFinished = true
    }
  }

  /** The server says what is there. @param {number} state @param {number} type of block */
  changed(state, type) {
    if (type !== this.type) return this.end(this.isFinished)
    if (state === this.state && this.isFinished) return this.end(false) // it is refused
    this.state = state
  }

  /** @param {boolean} isOwn */
  end(isOwn) {
    if (this.verdict !== null) return
    this.verdict = isOwn
    clearTimeout(this.timer)
    this.over()
    if (isOwn) this.tell()
  }

  /** @param {() => void} act done once the server has said that the block is gone by this bot, or never */
  whenGone(act) {
    if (this.verdict) return act()
    this.tell = act
    if (this.verdict === null) this.timer = setTimeout(() => this.end(false), CONFIRM_MS)
  }
}
