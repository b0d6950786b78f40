import { untilStopped } from './until.js'

const DEFAULT_NAME = 'go'
const MAX_NAME_CHARACTERS = 64

/**
 * sendSignal(bot, to, name = 'go'): signal one agent, or every other agent if `to` is missing. The
 * signal is kept until its addressee waits for it.
 * @param {import('./index.js').Context} context @param {unknown} [to] @param {unknown} [name]
 */
export async function sendSignal({ signal, signals }, to, name = DEFAULT_NAME) {
  await untilStopped(signal, signals.send(readName('to', to), readSignal(name)))
}

/**
 * waitSignal(bot, task, from, name = 'go'): sleep until a signal comes from `from`, or from any
 * agent if `from` is missing. The agent's engine has already run `task`.
 * @param {import('./index.js').Context} context @param {unknown} [from] @param {unknown} [name]
 * @returns {Promise<string>} the sender
 */
export async function waitSignal({ signal, signals }, from, name = DEFAULT_NAME) {
  const arrived = await untilStopped(signal, signals.wait(readName('from', from), readSignal(name)))
  return arrived.from
}

/** @param {unknown} name */
function readSignal(name) {
  if (typeof name === 'string' && name.length <= MAX_NAME_CHARACTERS) return name
  throw new Error(`a signal's name is a text of at most ${MAX_NAME_CHARACTERS} characters`)
}

/** @param {string} what @param {unknown} name */
function readName(what, name) {
  if (name === undefined || name === null) return null
  if (typeof name !== 'string') throw new Error(`"${what}" must be an agent's name`)
  return name
}
