/**
 * Vanilla's commands, with vanilla's replies: the subset that scenarios use.
 *
 * Files export commands as `{names, run}`. `run(context)` reads its arguments from
 * `context.args` and returns replies. When vanilla would refuse the command, it throws
 * `CommandError` before it changes anything. The command tree for clients (tree.js) is built from
 * the same table.
 */
import { command as bossbar } from './scores/bossbar.js'
import { command as clear } from './players/clear.js'
import { command as clone } from './world/clone.js'
import { command as damage } from './entities/damage.js'
import { command as data } from './control/data.js'
import { command as difficulty, gamerule } from './world/difficulty.js'
import { command as effect } from './players/effect.js'
import { command as enchant } from './players/enchant.js'
import { command as execute } from './control/execute.js'
import { command as experience } from './players/experience.js'
import { command as fill, setblock } from './world/fill.js'
import { command as forceload } from './world/forceload.js'
import { command as gamemode } from './players/gamemode.js'
import { command as give } from './players/give.js'
import { command as help } from './control/help.js'
import { command as item } from './players/item.js'
import { command as kill } from './entities/kill.js'
import { command as list } from './players/list.js'
import { command as deop, kick, op } from './players/op.js'
import { command as particle } from './world/particle.js'
import { command as playsound, stopsound } from './world/playsound.js'
import { command as random } from './control/random.js'
import { command as ride } from './entities/ride.js'
import { command as save, stop } from './control/save.js'
import { command as scoreboard } from './scores/scoreboard.js'
import { command as setworldspawn, seed, spawnpoint } from './players/spawn.js'
import { command as spreadplayers } from './entities/spreadplayers.js'
import { command as summon } from './entities/summon.js'
import { command as tag } from './entities/tag.js'
import { command as team } from './scores/team.js'
import { command as tell, me, say, tellraw, title } from './players/tell.js'
import { command as tick } from './control/tick.js'
import { command as time, weather } from './world/time.js'
import { command as tp } from './entities/tp.js'
import { command as trigger } from './scores/trigger.js'
import { translated } from '../minecraft/texts.js'
import { Reader } from './arguments/reader.js'
import { CommandError, Reply } from './replies.js'

/** @import { Component, Entity, Rotation, Server, Vec3 } from '../types/index.d.ts' */

/**
 * @typedef {object} Source source of the command
 * @property {Component} title its name in messages
 * @property {'op' | 'player'} level
 * @property {Entity} [entity] that runs it
 * @property {Vec3} [position] if not the entity's
 * @property {Rotation} [rotation] if not the entity's
 * @property {{count: number}} [contexts] number of contexts in which `execute` has run it
 *
 * @typedef {object} Context
 * @property {Server} serv
 * @property {Source} source
 * @property {Reader} args
 * @property {ReadonlyMap<string, Command>} commands all commands by name
 * @property {typeof dispatch extends (serv: Server, ...rest: infer Rest) => infer Answers ?
 * (...rest: Rest) => Answers : never} run runs another command
 *
 * @typedef {Reply | Reply[] | null} Answer
 *
 * @typedef {object} Command
 * @property {string[]} names
 * @property {string[]} [branches] vanilla's first words that are supported; default all
 * @property {boolean} [isForAll] true if players without operator rights may use it
 * @property {(context: Context) => Answer | Promise<Answer>} run
 */

const COMMANDS = [
  bossbar,
  clear,
  clone,
  damage,
  data,
  deop,
  difficulty,
  effect,
  enchant,
  execute,
  experience,
  fill,
  forceload,
  gamemode,
  gamerule,
  give,
  help,
  item,
  kick,
  kill,
  list,
  me,
  op,
  particle,
  playsound,
  random,
  ride,
  save,
  say,
  scoreboard,
  seed,
  setblock,
  setworldspawn,
  spawnpoint,
  spreadplayers,
  stop,
  stopsound,
  summon,
  tag,
  team,
  tell,
  tellraw,
  tick,
  time,
  title,
  tp,
  trigger,
  weather
]

/** @type {Map<string, Command>} */
export const BY_NAME = new Map(
  COMMANDS.flatMap((command) => command.names.map((name) => [name, command]))
)

/** @param {Command} command @param {Source} source */
const isAllowed = (command, source) => source.level === 'op' || Boolean(command.isForAll)

/**
 * Run one command, which may be part of another.
 * @param {Server} serv @param {string} text the whole command, without a leading slash
 * @param {number} at start of this command @param {Source} source
 * @returns {Reply[] | Promise<Reply[]>} @throws {CommandError} for what vanilla refuses, before any change
 */
function dispatch(serv, text, at, source) {
  const start = at + text.slice(at).search(/\S|$/)
  const name = text.slice(start).split(' ', 1)[0]
  const command = BY_NAME.get(name)
  // Vanilla's error is the same for unknown commands and for those that are not allowed.
  if (!command || !isAllowed(command, source)) {
    throw new CommandError('command.unknown.command').within(text, start)
  }
  const args = new Reader(serv, text, start + name.length, source)
  const run = (/** @type {Parameters<Context['run']>} */ ...rest) => dispatch(serv, ...rest)
  const answer = command.run({ serv, source, args, commands: BY_NAME, run })
  args.refuse()
  return answer instanceof Promise ? answer.then(listOf) : listOf(answer)
}

/** @param {Answer} answer */
const listOf = (answer) => (answer instanceof Reply ? [answer] : (answer ?? []))

/** @typedef {{texts: Component[], isRefused: boolean}} Outcome vanilla's answer to the source, also for refusals */

/**
 * Run a command and send its effects before any later message, as in vanilla: the outcome is
 * returned synchronously unless the command has to wait.
 * @param {Server} serv @param {string} line with or without the leading slash
 * @param {Source} source @returns {Outcome | Promise<Outcome>}
 */
export function runCommand(serv, line, source) {
  /** @param {Reply[]} replies @returns {Outcome} */
  const done = (replies) => {
    // a private reply changes no window
    const isQuestion = replies.every(({ isPrivate }) => isPrivate)
    if (!isQuestion) serv.sendWindows()
    serv.emit('commandRun')
    for (const { text, isPrivate } of replies) if (!isPrivate) serv.notifyOperators(text, source)
    return { texts: replies.map(({ text }) => text), isRefused: false }
  }
  /** @param {unknown} error @returns {Outcome} */
  const failed = (error) => {
    if (error instanceof CommandError) return { texts: error.texts, isRefused: true }
    serv.err(error)
    return { texts: [translated('command.failed')], isRefused: true }
  }
  try {
    const replies = dispatch(serv, line.trim().replace(/^\//, ''), 0, source)
    return replies instanceof Promise ? replies.then(done).catch(failed) : done(replies)
  } catch (error) {
    return failed(error)
  }
}
