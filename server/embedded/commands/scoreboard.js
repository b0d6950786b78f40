import { isCriterion } from '../plugins/scores.js'
import { CommandError } from './reader.js'

/** @import { Server } from '../types.d.ts' */

/**
 * Objectives and scores (see plugins/scores.js); displays and operations are not there.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['scoreboard'],
  usage:
    'scoreboard objectives add <name> <criterion> | objectives remove <name> | objectives list | ' +
    'players get <player> <objective> | players set|add <player> <objective> <score> | ' +
    'players reset <player> [objective]',
  run: ({ serv, args }) =>
    args.oneOf(['objectives', 'players']) === 'objectives'
      ? objectives(serv, args)
      : players(serv, args)
}

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function objectives(serv, args) {
  const what = args.oneOf(['add', 'remove', 'list'])
  if (what === 'list') return listed(serv)
  const name = args.word()
  if (what === 'remove') {
    objectiveOf(serv, name)
    args.end()
    serv.objectives.delete(name)
    return `Removed objective [${name}]`
  }
  const criterion = args.word()
  args.end()
  if (!isCriterion(criterion)) throw args.error(`Unknown criterion '${criterion}'`)
  if (serv.objectives.has(name)) {
    throw new CommandError('An objective already exists by that name')
  }
  serv.objectives.set(name, { criterion, scores: new Map() })
  return `Created new objective [${name}]`
}

/** @param {Server} serv */
function listed(serv) {
  const names = [...serv.objectives.keys()]
  if (!names.length) return 'There are no objectives'
  return `There are ${names.length} objective(s): ${names.map((name) => `[${name}]`).join(', ')}`
}

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function players(serv, args) {
  const what = args.oneOf(['get', 'set', 'add', 'reset'])
  const player = args.word()
  if (what === 'reset') return reset(serv, player, args)
  const name = args.word()
  const { scores } = objectiveOf(serv, name)
  if (what === 'get') {
    args.end()
    if (scores.has(player)) return `${player} has ${scores.get(player)} [${name}]`
    throw new CommandError(`Can't get value of ${name} for ${player}; none is set`)
  }
  const number = args.integer()
  args.end()
  const score = what === 'set' ? number : (scores.get(player) ?? 0) + number
  scores.set(player, score)
  if (what === 'set') return `Set [${name}] for ${player} to ${score}`
  return `Added ${number} to [${name}] for ${player} (now ${score})`
}

/** @param {Server} serv @param {string} player @param {import('./reader.js').Reader} args */
function reset(serv, player, args) {
  const name = args.done ? null : args.word()
  args.end()
  const chosen = name === null ? [...serv.objectives.values()] : [objectiveOf(serv, name)]
  for (const { scores } of chosen) scores.delete(player)
  return name === null ? `Reset all scores for ${player}` : `Reset [${name}] for ${player}`
}

/** @param {Server} serv @param {string} name */
function objectiveOf(serv, name) {
  const objective = serv.objectives.get(name)
  if (!objective) throw new CommandError(`Unknown scoreboard objective '${name}'`)
  return objective
}
