/** Teams: their members, and how clients display their names. */
import { packed } from '../minecraft/texts.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */

const MODE = { create: 0, remove: 1, change: 2, join: 3, leave: 4 }
const SEES_INVISIBLE = 2

/** Vanilla's colours, by their numbers in the protocol; the last means no colour. */
export const COLOURS = [
  ...['black', 'dark_blue', 'dark_green', 'dark_aqua', 'dark_red', 'dark_purple', 'gold', 'gray'],
  ...['dark_gray', 'blue', 'green', 'aqua', 'red', 'light_purple', 'yellow', 'white']
]
const NO_COLOUR = 21

/**
 * @typedef {object} Team
 * @property {string} name
 * @property {Component} displayName
 * @property {Component} prefix
 * @property {Component} suffix
 * @property {string} color of COLOURS, or reset
 * @property {boolean} friendlyFire
 * @property {boolean} seeFriendlyInvisibles
 * @property {string} nametagVisibility
 * @property {string} deathMessageVisibility
 * @property {string} collisionRule
 * @property {Set<string>} members names of players, uuids of others
 */

/** @param {Server} serv */
export function server(serv) {
  serv.teams = new Map()

  serv.teamOf = (holder) => [...serv.teams.values()].find(({ members }) => members.has(holder))

  serv.addTeam = (name, displayName) => {
    /** @type {Team} */
    const team = {
      name,
      displayName,
      prefix: { text: '' },
      suffix: { text: '' },
      color: 'reset',
      friendlyFire: true,
      seeFriendlyInvisibles: true,
      nametagVisibility: 'always',
      deathMessageVisibility: 'always',
      collisionRule: 'always',
      members: new Set()
    }
    serv.teams.set(name, team)
    serv.sendTeams(serv.players, [team])
    return team
  }

  serv.removeTeam = ({ name }) => {
    serv.teams.delete(name)
    serv.send(serv.players, 'teams', { team: name, mode: MODE.remove })
  }

  serv.changeTeam = (team, changes) => {
    Object.assign(team, changes)
    serv.send(serv.players, 'teams', { team: team.name, mode: MODE.change, ...looks(team) })
  }

  serv.joinTeam = (team, holders) => {
    for (const holder of holders) {
      const before = serv.teamOf(holder)
      if (before) serv.leaveTeam(before, [holder])
      team.members.add(holder)
    }
    serv.send(serv.players, 'teams', { team: team.name, mode: MODE.join, players: holders })
  }

  serv.leaveTeam = (team, holders) => {
    for (const holder of holders) team.members.delete(holder)
    serv.send(serv.players, 'teams', { team: team.name, mode: MODE.leave, players: holders })
  }

  serv.sendTeams = (players, teams) => {
    for (const team of teams) {
      const members = { players: [...team.members] }
      serv.send(players, 'teams', {
        team: team.name,
        mode: MODE.create,
        ...looks(team),
        ...members
      })
    }
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => serv.sendTeams([player], [...serv.teams.values()]))
}

/** Return the fields that tell clients how to display a team. @param {Team} team */
const looks = (team) => ({
  name: packed(team.displayName),
  friendlyFire: Number(team.friendlyFire) + (team.seeFriendlyInvisibles ? SEES_INVISIBLE : 0),
  nameTagVisibility: team.nametagVisibility,
  collisionRule: team.collisionRule,
  formatting: team.color === 'reset' ? NO_COLOUR : COLOURS.indexOf(team.color),
  prefix: packed(team.prefix),
  suffix: packed(team.suffix)
})
