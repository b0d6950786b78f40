/** What agents say: one line at a time, and never a command. */
import { createRequire } from 'node:module'
import { round } from '../observe.js'
import { mayWriteOn } from '../standing-still.js'
import * as given from './incoming.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

const MAX_CHARACTERS = 256
const MAX_LINES = 10
/** How long the server may take to tell what stands on a sign; a busy machine's, too. */
const TOLD_MS = 30_000
const SIGN = { lines: 4, characters: 45 }
/**
 * Control characters, all that Unicode lists as not shown (fillers, joiners, tags, what selects a
 * variant), marks of annotations, the empty braille cell, and the section sign with which
 * Minecraft formats.
 */
const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800\u00a7]/gu

/** One bot's leave to speak: lines, however they are put together. */
export const CHAT = {
  burst: 10,
  perSecond: 2,
  complaint: 'too many chat messages: wait before the next one'
}

/**
 * The lines of a message as the server would get them: Mineflayer splits at newlines and at 256
 * characters, and a part that begins with a slash would be a command of its own.
 * @param {string} message @returns {string[]}
 */
export function linesOf(message) {
  const [first = ''] = [message.slice(0, MAX_CHARACTERS)]
  return first
    .split(/[\r\n\u0085\u2028\u2029]+/)
    .map((line) => line.replace(UNSEEN, '').toWellFormed())
    .filter((line) => line.trim())
    .slice(0, MAX_LINES)
}

/**
 * Says a message's lines, if none of them is a command: that is judged first, so that the answer to
 * a command does not depend on how much was said before.
 * @param {import('./calls.js').Ports} ports @param {unknown} message
 */
export function speak({ bot, emit, mayChat }, message) {
  const lines = linesOf(given.text(message))
  const command = lines.find((line) => line.trimStart().startsWith('/'))
  if (command !== undefined) {
    try {
      mayChat()
      emit({ kind: 'command_refused', text: command })
    } catch {
      // One of many: it is refused like the others, and the record does without it.
    }
    throw new Error('agents may not give server commands: a chat message cannot start with "/"')
  }
  for (const line of lines) {
    mayChat()
    bot.chat(line)
  }
}

/**
 * Writes on a sign that the bot has just placed or used. A sign's text is taken leave of as one line
 * of chat: others read it, too.
 * @param {import('./calls.js').Ports} ports @param {unknown} block @param {unknown} message
 * @param {unknown} isBack
 */
export function writeSign({ bot, emit, mayChat }, block, message, isBack) {
  const sign = given.block(bot, block, 'updateSign')
  const lines = given.text(message).split('\n')
  if (lines.length > SIGN.lines || lines.some((line) => line.length > SIGN.characters)) {
    throw new TypeError(`a sign has ${SIGN.lines} lines of at most ${SIGN.characters} characters`)
  }
  if (!/_sign$/.test(sign.name)) throw new TypeError(`${sign.name} is no sign`)
  mayChat()
  const clean = lines.map((line) => line.replace(UNSEEN, '').toWellFormed())
  const said = clean.join('\n')
  onceTold(bot, sign.position, said, () =>
    emit({ kind: 'sign_written', position: round(sign.position), text: said })
  )
  bot.updateSign(sign, said, isBack === true)
}

/**
 * Calls back once the server has opened a sign to the bot and told that a text stands on it, or
 * never. A program may write before it is told that the sign is open: the server takes both in order.
 * @param {import('../types.d.ts').Bot} bot @param {import('vec3').Vec3} position @param {string} said
 * @param {() => void} act
 */
function onceTold(bot, position, said, act) {
  const { _client: client } = bot
  let isOpen = mayWriteOn(bot, position)
  /** @param {any} packet */
  const isThere = ({ location: { x, y, z } }) => position.equals(new Vec3(x, y, z))
  /** @param {any} packet */
  const open = (packet) => {
    isOpen ||= isThere(packet)
  }
  /** @param {any} packet */
  const hear = (packet) => {
    if (!isOpen || !isThere(packet)) return
    const block = /** @type {any} */ (bot.blockAt(position))
    const texts = /** @type {string[]} */ (block?.getSignText?.() ?? [])
    if (!texts.some((text) => text.trimEnd() === said.trimEnd())) return
    stop()
    act()
  }
  const stop = () => {
    client.off('open_sign_entity', open)
    client.off('tile_entity_data', hear)
    clearTimeout(timer)
  }
  const timer = setTimeout(stop, TOLD_MS)
  client.on('open_sign_entity', open)
  client.on('tile_entity_data', hear)
}
