/** Agents' chat: one line at a time, and no commands. */
import { createRequire } from 'node:module'
import { round } from '../observe.js'
import { mayWriteOn } from '../cleanup.js'
import { keyOf, Unconfirmed } from '../unconfirmed.js'
import * as given from './incoming.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

const MAX_CHARACTERS = 256
const MAX_LINES = 10
/** Time limit for the server to report a sign's text, even on a busy machine. */
const TOLD_MS = 30_000
const SIGN = { lines: 4, characters: 45 }
/**
 * Control characters, everything that Unicode lists as invisible (fillers, joiners, tags, variation
 * selectors), annotation marks, the empty braille cell, and the section sign with which Minecraft
 * formats text.
 */
const UNSEEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800\u00a7]/gu

/** Rate limit on a bot's chat lines. */
export const CHAT = {
  burst: 10,
  perSecond: 2,
  complaint: '[chat] too many lines at once: those that follow are dropped until you wait'
}

/**
 * Split a message into the lines that the server receives. Mineflayer splits at newlines and at 256
 * characters; a part that begins with a slash would be a command.
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
 * Say a message's lines if none of them is a command. Lines over the rate limit are dropped, because
 * programs in Voyager's manner talk without counting, and must not fail for it.
 * @param {import('./calls.js').Ports} ports @param {unknown} message
 */
export function speak({ bot, emit, mayChat }, message) {
  const lines = linesOf(given.text(message))
  const command = lines.find((line) => line.trimStart().startsWith('/'))
  if (command !== undefined) {
    // Over the rate limit, the command is still refused but not recorded.
    if (mayChat()) emit({ kind: 'command_refused', text: command })
    throw new Error('agents may not give server commands: a chat message cannot start with "/"')
  }
  for (const line of lines) if (mayChat()) bot.chat(line)
}

/**
 * Write on a sign that the bot has just placed or used. A sign's text counts as one line of chat,
 * because other players also read it.
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
  if (!mayChat()) return
  const clean = lines.map((line) => line.replace(UNSEEN, '').toWellFormed())
  const said = clean.join('\n')
  const { position } = sign
  const act = () => emit({ kind: 'sign_written', position: round(position), text: said })
  const places = new Set([keyOf(position)])
  const writing = { places, said, isOpen: mayWriteOn(bot, position), act }
  writingsOf(bot).pending.add(writing)
  writingsOf(bot).limit(writing, TOLD_MS)
  bot.updateSign(sign, said, isBack === true)
}

/**
 * A text that the bot has written on a sign.
 * @typedef {object} Writing
 * @property {Set<string>} places the sign's position
 * @property {string} said
 * @property {boolean} isOpen true once the server lets the bot write there
 * @property {() => void} act to be called once the server has reported the text
 */

/** By bot. @type {WeakMap<import('../types.d.ts').Bot, Unconfirmed<Writing>>} */
const writings = new WeakMap()

/**
 * Return a bot's texts that the server has not confirmed. A program may write before it knows that
 * the sign is open: the server processes both in order, and takes one text for each opening.
 * @param {import('../types.d.ts').Bot} bot @returns {Unconfirmed<Writing>}
 */
function writingsOf(bot) {
  const before = writings.get(bot)
  if (before) return before
  /** @type {Unconfirmed<Writing>} */
  const own = new Unconfirmed()
  writings.set(bot, own)
  bot._client.on('open_sign_entity', (/** @type {any} */ { location }) => {
    for (const writing of own.at(location)) writing.isOpen = true
  })
  bot._client.on('tile_entity_data', (/** @type {any} */ { location: { x, y, z } }) => {
    const block = /** @type {any} */ (bot.blockAt(new Vec3(x, y, z)))
    const texts = /** @type {string[]} */ (block?.getSignText?.() ?? []).map((one) => one.trimEnd())
    const confirmed = own
      .at({ x, y, z })
      .find(({ isOpen, said }) => isOpen && texts.includes(said.trimEnd()))
    if (confirmed && own.end(confirmed)) confirmed.act()
  })
  return own
}
