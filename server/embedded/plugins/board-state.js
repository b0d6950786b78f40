/** Scoreboards, teams, bossbars and storage as plain data, and back: a world keeps them. */

/** @import { Board, Server } from '../types.d.ts' */

/** @param {Server} serv @returns {Board} as it is now */
export const boardNow = (serv) => ({
  objectives: [...serv.objectives].map(([name, { scores, enabled, looks, ...rest }]) => ({
    ...rest,
    name,
    scores: [...scores],
    enabled: [...enabled],
    looks: [...looks]
  })),
  displays: [...serv.displays],
  teams: [...serv.teams.values()].map((team) => ({ ...team, members: [...team.members] })),
  bossbars: [...serv.bossbars.values()].map((bar) => ({ ...bar, players: [...bar.players] })),
  storage: [...serv.storage]
})

/** Puts these in the place of what there is. @param {Server} serv @param {Board} board */
export function restoreBoard(serv, { objectives, displays, teams, bossbars, storage }) {
  for (const kept of ['objectives', 'displays', 'teams', 'bossbars', 'storage'])
    serv[/** @type {'teams'} */ (kept)].clear()
  for (const { name, scores, enabled, looks, ...rest } of objectives) {
    const maps = { scores: new Map(scores), enabled: new Set(enabled), looks: new Map(looks) }
    serv.objectives.set(name, { ...rest, ...maps })
  }
  for (const [slot, name] of displays) {
    if (serv.objectives.has(name)) serv.displays.set(slot, name)
  }
  for (const team of teams) serv.teams.set(team.name, { ...team, members: new Set(team.members) })
  for (const bar of bossbars) serv.bossbars.set(bar.id, { ...bar, players: new Set(bar.players) })
  for (const [name, tag] of storage) serv.storage.set(name, tag)
}
