/**
 * Vanilla's commands, the subset that scenarios use, with vanilla's words in the answers.
 *
 * One file a command, each exporting `command = {names, usage, level, run}`. `run(context)` gets a
 * reader for the arguments and returns the answer; it throws `CommandError` for what vanilla
 * refuses, and then has changed nothing.
 */
import { command as clear } from './clear.js'
import { command as clone } from './clone.js'
import { command as data } from './data.js'
import { command as difficulty } from './difficulty.js'
import { command as effect } from './effect.js'
import { command as fill } from './fill.js'
import { command as forceload } from './forceload.js'
import { command as gamemode } from './gamemode.js'
import { command as gamerule } from './gamerule.js'
import { command as give } from './give.js'
import { command as item } from './item.js'
import { command as kick } from './kick.js'
import { command as kill } from './kill.js'
import { command as list } from './list.js'
import { command as deop, op } from './op.js'
import { command as random } from './random.js'
import { command as save } from './save.js'
import { command as say } from './say.js'
import { command as scoreboard } from './scoreboard.js'
import { command as setblock } from './setblock.js'
import { command as setworldspawn, seed, spawnpoint } from './spawn.js'
import { command as spreadplayers } from './spreadplayers.js'
import { command as stop } from './stop.js'
import { command as summon } from './summon.js'
import { command as tell, tellraw, title } from './tell.js'
import { command as tick } from './tick.js'
import { command as time } from './time.js'
import { command as tp } from './tp.js'
import { command as weather } from './weather.js'
import { CommandError, Reader } from './reader.js'

/** @import { Player, Server } from '../types.d.ts' */

/**
 * @typedef {object} Source where the command comes from
 * @property {string} name
 * @property {'op' | 'player'} level
 * @property {Player} [player]
 *
 * @typedef {object} Context
 * @property {Server} serv
 * @property {Source} source
 * @property {Reader} args
 *
 * @typedef {object} Command
 * @property {string[]} names
 * @property {string} usage
 * @property {(context: Context) => string | Promise<string>} run
 */

const COMMANDS = [
  clear,
  clone,
  data,
  deop,
  difficulty,
  effect,
  fill,
  forceload,
  gamemode,
  gamerule,
  give,
  item,
  kick,
  kill,
  list,
  op,
  random,
  save,
  say,
  scoreboard,
  seed,
  setblock,
  setworldspawn,
  spawnpoint,
  spreadplayers,
  stop,
  summon,
  tell,
  tellraw,
  tick,
  time,
  title,
  tp,
  weather
]

/** @type {Map<string, Command>} */
const BY_NAME = new Map(COMMANDS.flatMap((command) => command.names.map((name) => [name, command])))

/**
 * @param {Server} serv
 * @param {string} line with or without the leading slash
 * @param {Source} source
 * @returns {Promise<string>} vanilla's answer, also for what is refused
 */
export async function runCommand(serv, line, source) {
  const text = line.trim().replace(/^\//, '')
  const name = text.split(' ', 1)[0]
  const command = BY_NAME.get(name)
  if (!command || source.level !== 'op') return unknown(text)
  try {
    const answer = await command.run({
      serv,
      source,
      args: new Reader(serv, text, name.length, source)
    })
    serv.tellWindows()
    return answer
  } catch (error) {
    if (error instanceof CommandError) return error.message
    serv.err(error)
    return 'An unexpected error occurred trying to execute that command'
  }
}

/** Vanilla says the same of a command that is unknown and of one that is not allowed. @param {string} text */
function unknown(text) {
  return `Unknown or incomplete command, see below for error\n${text}<--[HERE]`
}
