import { COLOURS } from '../../scores/teams.js'
import { listed, nameOfEntity, textOf, translated } from '../../minecraft/texts.js'
import { CommandError, said, told } from '../replies.js'
import { holderOf, isSelector } from '../arguments/selectors.js'

/** @import { Component, Server } from '../../types/index.d.ts' */
/** @import { Team } from '../../scores/teams.js' */
/** @import { Reader } from '../arguments/reader.js' */

const KEY = 'commands.team'
const VISIBILITIES = ['always', 'never', 'hideForOtherTeams', 'hideForOwnTeam']
const COLLISIONS = ['always', 'never', 'pushOtherTeams', 'pushOwnTeam']
/** Options whose message keys use another word. @type {Record<string, string>} */
const VISIBILITY_KEYS = { nametagVisibility: 'visibility', deathMessageVisibility: 'visibility' }

/** @type {Record<string, (serv: Server, args: Reader) => ReturnType<typeof said> | ReturnType<typeof said>[]>} */
const ACTIONS = {
  add: (serv, args) => {
    const name = args.word()
    const display = args.done ? { text: name } : args.component()
    if (serv.teams.has(name)) throw new CommandError(`${KEY}.add.duplicate`)
    return said(`${KEY}.add.success`, titleOf(serv.addTeam(name, display))).worth(serv.teams.size)
  },
  remove: (serv, args) => {
    const team = readTeam(serv, args)
    args.end()
    serv.removeTeam(team)
    return said(`${KEY}.remove.success`, titleOf(team)).worth(serv.teams.size)
  },
  empty: (serv, args) => {
    const team = readTeam(serv, args)
    args.end()
    const members = [...team.members]
    if (!members.length) throw new CommandError(`${KEY}.empty.unchanged`)
    serv.leaveTeam(team, members)
    return said(`${KEY}.empty.success`, members.length, titleOf(team)).worth(members.length)
  },
  join: (serv, args) => {
    const team = readTeam(serv, args)
    const holders = readHolders(args)
    args.end()
    serv.joinTeam(
      team,
      holders.map(({ holder }) => holder)
    )
    const [{ shown }] = holders
    if (holders.length === 1) return said(`${KEY}.join.success.single`, shown, titleOf(team))
    const { length } = holders
    return said(`${KEY}.join.success.multiple`, length, titleOf(team)).worth(length)
  },
  leave: (serv, args) => {
    const holders = readHolders(args)
    args.end()
    for (const { holder } of holders) {
      const team = serv.teamOf(holder)
      if (team) serv.leaveTeam(team, [holder])
    }
    if (holders.length === 1) return said(`${KEY}.leave.success.single`, holders[0].shown)
    return said(`${KEY}.leave.success.multiple`, holders.length).worth(holders.length)
  },
  list: (serv, args) => {
    if (args.done) return allTeams(serv)
    const team = readTeam(serv, args)
    args.end()
    const { size } = team.members
    if (!size) return told(`${KEY}.list.members.empty`, titleOf(team)).worth(0)
    const names = [...team.members].join(', ')
    return told(`${KEY}.list.members.success`, titleOf(team), size, names).worth(size)
  },
  modify: (serv, args) => modify(serv, readTeam(serv, args), args)
}

/** @type {import('../index.js').Command} */
export const command = {
  names: ['team'],
  run: ({ serv, args }) => ACTIONS[args.oneOf(Object.keys(ACTIONS))](serv, args)
}

/** @param {Server} serv */
function allTeams(serv) {
  const { size } = serv.teams
  if (!size) return told(`${KEY}.list.teams.empty`).worth(0)
  const titles = listed([...serv.teams.values()].map(titleOf))
  return told(`${KEY}.list.teams.success`, size, titles).worth(size)
}

/** @param {Server} serv @param {Team} team @param {Reader} args */
function modify(serv, team, args) {
  const option = args.word()
  const key = `${KEY}.option.${option === 'displayName' ? 'name' : option}`
  if (option === 'displayName' || option === 'prefix' || option === 'suffix') {
    const text = args.component()
    serv.changeTeam(team, { [option]: text })
    return said(`${key}.success`, option === 'displayName' ? titleOf(team) : text)
  }
  if (option === 'friendlyFire' || option === 'seeFriendlyInvisibles') {
    const isOn = args.boolean()
    args.end()
    const name = `${KEY}.option.${option === 'friendlyFire' ? 'friendlyfire' : option}`
    if (team[option] === isOn) {
      throw new CommandError(`${name}.already${isOn ? 'Enabled' : 'Disabled'}`)
    }
    serv.changeTeam(team, { [option]: isOn })
    return said(`${name}.${isOn ? 'enabled' : 'disabled'}`, titleOf(team))
  }
  if (option === 'color') return changeTo(option, args.oneOf([...COLOURS, 'reset']))
  if (option === 'collisionRule') return changeTo(option, args.oneOf(COLLISIONS), 'collision')
  if (option === 'nametagVisibility' || option === 'deathMessageVisibility') {
    return changeTo(option, args.oneOf(VISIBILITIES), VISIBILITY_KEYS[option])
  }
  throw args.error('command.unknown.argument')

  /**
   * @param {'color' | 'collisionRule' | 'nametagVisibility' | 'deathMessageVisibility'} field
   * @param {string} value @param {string} [words]
   */
  function changeTo(field, value, words) {
    args.end()
    if (team[field] === value) throw new CommandError(`${key}.unchanged`)
    serv.changeTeam(team, { [field]: value })
    return said(
      `${key}.success`,
      titleOf(team),
      words ? translated(`team.${words}.${value}`) : value
    )
  }
}

/** @param {Server} serv @param {Reader} args @returns {Team} */
function readTeam(serv, args) {
  const name = args.word()
  const team = serv.teams.get(name)
  if (!team) throw new CommandError('team.notFound', name)
  return team
}

/** @param {Reader} args @returns {{holder: string, shown: Component}[]} at least one */
function readHolders(args) {
  if (args.done) {
    const entity = args.self()
    return [{ holder: holderOf(entity), shown: nameOfEntity(entity) }]
  }
  const word = args.word()
  if (!isSelector(word)) return [{ holder: word, shown: textOf(word) }]
  const found = args.select(word)
  if (!found.length) args.lack('entity')
  return found.map((target) => ({ holder: holderOf(target), shown: nameOfEntity(target) }))
}

/** @param {Team} team @returns {Component} its name in brackets, in its colour */
const titleOf = ({ displayName, color }) => ({
  ...translated('chat.square_brackets', displayName),
  ...(color === 'reset' ? {} : { color })
})
