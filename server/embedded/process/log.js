/**
 * Log: one plain line per event on standard output, which `python -m server logs` shows.
 *
 * Text from clients cannot forge a log line: characters that end or hide a line are escaped, and
 * lines of a stack trace are indented. For each client, only the first error is logged.
 */

/** @import { Player, Server } from '../types/index.d.ts' */

const LONGEST_LINE = 1000
const MOST_LINES = 30
const MOST_OF_A_CLIENT = 20
/** Control characters, and Unicode's line separators and direction marks. */
// eslint-disable-next-line no-control-regex
const NO_TEXT = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu

/** @param {string} text @returns {string} on one line, with unprintable characters escaped */
export function escaped(text) {
  const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text
  return cut.replace(NO_TEXT, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** @param {unknown} message @returns {string} */
function written(message) {
  if (!(message instanceof Error && message.stack)) return escaped(String(message))
  return message.stack.split('\n').slice(0, MOST_LINES).map(escaped).join('\n    ')
}

/** @param {Server} serv */
export function server(serv) {
  const line = (/** @type {string} */ level) => (/** @type {unknown} */ message) => {
    console.log(`${new Date().toISOString()} ${level} ${written(message)}`)
  }
  serv.info = line('INFO')
  serv.warn = line('WARN')
  serv.err = line('ERROR')
  serv.createLog = () => {}
  serv.on('error', serv.err)
  /** @type {WeakMap<object, number>} */
  const told = new WeakMap()
  serv.on('clientError', (client, error) => {
    const count = (told.get(client) ?? 0) + 1
    told.set(client, count)
    if (count > MOST_OF_A_CLIENT) return
    serv.warn(`client ${client.username ?? client.socket?.remoteAddress}: ${error.message}`)
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => serv.info(`${player.username} joined`))
  player.on('disconnected', () => serv.info(`${player.username} left`))
  player.on('chat', ({ message }) => serv.info(`<${player.username}> ${message}`))
}
