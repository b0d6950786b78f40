/**
 * Scoreboard objectives: the server's own count of what each player did.
 *
 * An objective counts by its criterion: `minecraft.mined:`, `minecraft.picked_up:` or
 * `minecraft.used:` with a block or item (`minecraft.stone`), `deathCount`, or `dummy` for what only
 * commands change. It counts from when it was added, as in vanilla. Clients are told of those that
 * are displayed.
 */
import { registry } from '../minecraft.js'
import { packed } from '../texts.js'

/** @import { Component, Player, Server } from '../types.d.ts' */

const STATISTIC = /^minecraft\.(mined|picked_up|used):minecraft\.(\w+)$/
/** Where objectives are shown, by their numbers in the protocol. @type {Record<string, number>} */
const SLOTS = { list: 0, sidebar: 1, below_name: 2 }
const ACTION = { add: 0, remove: 1 }

/** @typedef {{criterion: string, display: Component, scores: Map<string, number>}} Objective */

/** @param {string} criterion @returns {boolean} */
export function isCriterion(criterion) {
  if (criterion === 'dummy' || criterion === 'deathCount') return true
  const [, kind, name] = criterion.match(STATISTIC) ?? []
  if (!kind) return false
  return name in (kind === 'mined' ? registry.blocksByName : registry.itemsByName)
}

/** @param {Server} serv */
export function server(serv) {
  serv.objectives = new Map()
  serv.displays = new Map()
  const isShown = (/** @type {string} */ name) => [...serv.displays.values()].includes(name)

  serv.addObjective = (name, criterion, display) =>
    void serv.objectives.set(name, { criterion, display, scores: new Map() })

  serv.removeObjective = (name) => {
    if (isShown(name))
      serv.send(serv.players, 'scoreboard_objective', { name, action: ACTION.remove })
    for (const [slot, shown] of serv.displays) if (shown === name) serv.displays.delete(slot)
    serv.objectives.delete(name)
  }

  serv.setScore = (name, holder, score) => {
    serv.objectives.get(name)?.scores.set(holder, score)
    if (isShown(name)) tellScore(serv, serv.players, name, holder, score)
  }

  serv.resetScore = (holder, name) => {
    for (const [objective, { scores }] of serv.objectives) {
      if ((name !== null && name !== objective) || !scores.delete(holder)) continue
      const fields = { entity_name: holder, objective_name: objective }
      if (isShown(objective)) serv.send(serv.players, 'reset_score', fields)
    }
  }

  serv.displayObjective = (slot, name) => {
    const before = serv.displays.get(slot)
    serv.displays.delete(slot)
    if (name && !isShown(name)) tellObjective(serv, serv.players, name)
    if (name) serv.displays.set(slot, name)
    serv.send(serv.players, 'scoreboard_display_objective', { position: SLOTS[slot], name })
    if (before && before !== name && !isShown(before)) {
      serv.send(serv.players, 'scoreboard_objective', { name: before, action: ACTION.remove })
    }
  }

  /** @param {Player} player @param {string} criterion @param {number} [count] */
  function score(player, criterion, count = 1) {
    for (const [name, objective] of serv.objectives) {
      if (objective.criterion !== criterion) continue
      const before = objective.scores.get(player.username) ?? 0
      serv.setScore(name, player.username, before + count)
    }
  }

  serv.on('counted', (player, kind, name, count) =>
    score(player, `minecraft.${kind}:minecraft.${name}`, count)
  )
  serv.on('playerDied', (player) => score(player, 'deathCount'))
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => {
    for (const name of new Set(serv.displays.values())) tellObjective(serv, [player], name)
    for (const [slot, name] of serv.displays) {
      serv.send([player], 'scoreboard_display_objective', { position: SLOTS[slot], name })
    }
  })
}

/** @param {Server} serv @param {Player[]} players @param {string} name */
function tellObjective(serv, players, name) {
  const { display, scores } = /** @type {Objective} */ (serv.objectives.get(name))
  serv.send(players, 'scoreboard_objective', {
    name,
    action: ACTION.add,
    displayText: packed(display),
    type: 0,
    number_format: undefined
  })
  for (const [holder, score] of scores) tellScore(serv, players, name, holder, score)
}

/** @param {Server} serv @param {Player[]} players @param {string} scoreName @param {string} itemName @param {number} value */
const tellScore = (serv, players, scoreName, itemName, value) =>
  serv.send(players, 'scoreboard_score', {
    ...{ itemName, scoreName, value },
    display_name: undefined,
    number_format: undefined
  })
