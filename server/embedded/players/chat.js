/**
 * Players' chat and the server's messages, serialised once for all receivers.
 *
 * As in vanilla, players are kicked for spam, overlong lines and characters that clients cannot
 * type. The spam limit is not vanilla's: agents' programs may say more than a person types
 * (bridge/js/sandbox/chat.js).
 */
import { getSpeed, wall } from '@voxpolis/clock'
import { nameOfPlayer, packed, plain, textOf, translated } from '../minecraft/texts.js'
import { exceptionOf } from '../network/decoding.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const LONGEST_MESSAGE = 256
/** Control characters and the section sign, as in vanilla. */
// eslint-disable-next-line no-control-regex
const ILLEGAL = /[\u0000-\u001f\u007f\u00a7]/
/**
 * Number of lines and commands that a player may send in a burst, and how many more per second of
 * game time. Agents have 10, and then 2 per second. All lines that waited while the machine was
 * stalled may arrive together, and a stall covers more game time the faster the clock runs.
 */
const AT_ONCE = 100
const FORGOTTEN_PER_S = 10
/** How long a kicked player has to read the reason. */
const LAST_WORDS_MS = 1000

/** @param {Server} serv */
export function server(serv) {
  serv.broadcast = (text, { to = serv.players, isActionBar = false } = {}) =>
    serv.send(to, 'system_chat', { content: packed(textOf(text)), isActionBar })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.system = (text) => serv.broadcast(text, { to: [player] })

  player.kick = (reason) => player._client.end(plain(reason), packed(reason))

  player.isExpelled = false
  player.expel = (reason, why) => {
    if (player.isExpelled) return
    player.isExpelled = true
    serv.warn(`${player.username} was kicked ${why}`)
    player.kick(reason)
    wall.setTimeout(() => player._client.socket.destroy(), LAST_WORDS_MS).unref()
  }

  const spam = new Spam(getSpeed())
  const isFine = (/** @type {string} */ text) => {
    if (player.isExpelled) return false
    if (text.length > LONGEST_MESSAGE) {
      const fault = `The received string length is longer than maximum allowed (${text.length} > ${LONGEST_MESSAGE})`
      player.expel(exceptionOf(fault), `for a message of ${text.length} characters`)
    } else if (ILLEGAL.test(text)) {
      const reason = translated('multiplayer.disconnect.illegal_characters')
      player.expel(reason, 'for illegal characters')
    } else if (spam.isTooMuch(Date.now()) && !player.op) {
      player.expel(translated('disconnect.spam'), 'for spam')
    }
    return !player.isExpelled
  }

  player._client.on('chat_message', ({ message }) => {
    if (!isFine(message)) return
    player.emit('chat', { message })
    serv.broadcast(translated('chat.type.text', nameOfPlayer(player), message))
  })
  player._client.on('chat_command', ({ command }) => {
    if (isFine(command)) player.handleCommand(command)
  })
}

/** Spam counter of a player. */
export class Spam {
  /** @param {number} speed of the game's clock */
  constructor(speed) {
    this.most = AT_ONCE * Math.max(1, speed)
    this.said = 0
    this.at = 0
  }

  /**
   * Count one more line.
   * @param {number} now game time in milliseconds @returns {boolean} true if it is spam
   */
  isTooMuch(now) {
    const forgotten = (FORGOTTEN_PER_S * Math.max(0, now - this.at)) / 1000
    this.said = Math.max(0, this.said - forgotten) + 1
    this.at = now
    return this.said > this.most
  }
}
