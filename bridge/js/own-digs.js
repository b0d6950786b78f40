/** Blocks that a bot has dug itself, as the server reports them, not as Mineflayer guesses them. */
import { onBlockChanges } from './block-changes.js'
import { round } from './observe.js'

/** @import { Block, Bot, Emit, Position } from './types.d.ts' */

/** Time limit for the server to confirm that a block is gone. */
const CONFIRM_MS = 5_000
const STATUS = { START: 0, FINISH: 2 }
/** When a player breaks a block, the server sends this event to all other players nearby. */
const BROKEN_EVENT = 2001

/** @param {Position} position */
const keyOf = ({ x, y, z }) => `${x},${y},${z}`

/**
 * Let `bot.dig` return whether the bot itself dug the block, and record the dig once the server has
 * confirmed that the block is gone. Mineflayer's own `dig` also succeeds if the block vanished
 * because another player was faster.
 * @param {Bot} bot @param {Emit} emit
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

/**
 * Pass the bot's dig packets and the server's reports to its digs.
 * @param {Bot} bot @param {Map<string, Dig>} digs
 */
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

/** A block that the bot is digging, from the start of the dig to the server's confirmation. */
class Dig {
  /**
   * @param {Block} block before the dig @param {boolean} isInstant true if it breaks without delay
   * @param {() => void} over
   */
  constructor({ stateId, type }, isInstant, over) {
    this.state = Number(stateId)
    this.type = type
    this.isInstant = isInstant
    this.over = over
    /** True once the bot has told the server that it finished digging. */
    this.isFinished = false
    /** True if the bot dug the block; null while undecided. @type {boolean | null} */
    this.verdict = null
    this.tell = () => {}
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined
  }

  /** Best guess before the server has answered. */
  get isOwn() {
    return this.isFinished && this.verdict !== false
  }

  /** @param {number} status of the bot's own packet */
  sent(status) {
    if (status === STATUS.FINISH || (status === STATUS.START && this.isInstant)) {
      this.isFinished = true
    }
  }

  /**
   * Handle the server's report of a new block at the position.
   * @param {number} state @param {number} type of block
   */
  changed(state, type) {
    if (type !== this.type) return this.end(this.isFinished)
    // the server refused the dig
    if (state === this.state && this.isFinished) return this.end(false)
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

  /** @param {() => void} act called once the server has confirmed that this bot dug the block; never called otherwise */
  whenGone(act) {
    if (this.verdict) return act()
    this.tell = act
    if (this.verdict === null) this.timer = setTimeout(() => this.end(false), CONFIRM_MS)
  }
}
