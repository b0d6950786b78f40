/**
 * Scoreboard objectives: what the server counts of players' actions, and scores that commands set.
 *
 * A criterion determines what an objective counts (criteria.js). As in vanilla, counting starts
 * when the objective is created, in 32-bit whole numbers. Clients receive only objectives that are
 * displayed.
 */
import { packed } from '../minecraft/texts.js'
import { COLOURS } from './teams.js'

/** @import { Component, Player, Server } from '../types/index.d.ts' */

/** Display slots, in the protocol's order. */
export const SLOTS = [
  ...['list', 'sidebar', 'below_name'],
  ...COLOURS.map((colour) => `sidebar.team.${colour}`)
]
const ACTION = { add: 0, remove: 1, change: 2 }
const RENDER_TYPES = ['integer', 'hearts']
const FORMATS = ['blank', 'styled', 'fixed']

/**
 * How scores are displayed: not at all, in a style, or as a text.
 * @typedef {{kind: 'blank'} | {kind: 'styled' | 'fixed', text: Component}} Format
 */
/**
 * @typedef {object} Objective
 * @property {string} criterion
 * @property {Component} display
 * @property {'integer' | 'hearts'} renderType
 * @property {boolean} updatesNames true to update the names of entries when their scores change
 * @property {Format | null} format
 * @property {Map<string, number>} scores
 * @property {Set<string>} enabled players who may trigger it
 * @property {Map<string, {name: Component | null, format: Format | null}>} looks of single entries
 */

/** @param {number} score @returns {number} wrapped to 32 bits */
export const wrapped = (score) => Number(BigInt.asIntN(32, BigInt(Math.trunc(score))))

/** @param {Server} serv */
export function server(serv) {
  serv.objectives = new Map()
  serv.displays = new Map()
  serv.storage = new Map()
  const isShown = (/** @type {string} */ name) => [...serv.displays.values()].includes(name)

  serv.addObjective = (name, criterion, display) => {
    /** @type {Objective} */
    const made = {
      criterion,
      display,
      renderType: criterion === 'health' ? 'hearts' : 'integer',
      updatesNames: false,
      format: null,
      scores: new Map(),
      enabled: new Set(),
      looks: new Map()
    }
    serv.objectives.set(name, made)
    return made
  }

  serv.changeObjective = (name, changes) => {
    const objective = serv.objectives.get(name)
    if (!objective) return
    Object.assign(objective, changes)
    if (isShown(name))
      serv.send(serv.players, 'scoreboard_objective', looksOf(name, objective, ACTION.change))
  }

  serv.removeObjective = (name) => {
    if (isShown(name))
      serv.send(serv.players, 'scoreboard_objective', { name, action: ACTION.remove })
    for (const [slot, shown] of serv.displays) if (shown === name) serv.displays.delete(slot)
    serv.objectives.delete(name)
  }

  serv.setScore = (name, holder, score) => {
    const objective = serv.objectives.get(name)
    if (!objective) return
    objective.scores.set(holder, wrapped(score))
    if (isShown(name)) tellScore(serv, serv.players, name, holder)
  }

  serv.dressScore = (name, holder, look) => {
    const objective = serv.objectives.get(name)
    if (!objective) return
    const before = objective.looks.get(holder) ?? { name: null, format: null }
    objective.looks.set(holder, { ...before, ...look })
    const score = objective.scores.get(holder)
    serv.setScore(name, holder, score ?? 0)
  }

  serv.resetScore = (holder, name) => {
    for (const [objective, { scores, enabled, looks }] of serv.objectives) {
      if (name !== null && name !== objective) continue
      enabled.delete(holder)
      looks.delete(holder)
      const fields = { entity_name: holder, objective_name: objective }
      if (scores.delete(holder) && isShown(objective))
        serv.send(serv.players, 'reset_score', fields)
    }
  }

  serv.displayObjective = (slot, name) => {
    const before = serv.displays.get(slot)
    serv.displays.delete(slot)
    if (name && !isShown(name)) tellObjective(serv, serv.players, name)
    if (name) serv.displays.set(slot, name)
    serv.send(serv.players, 'scoreboard_display_objective', {
      position: SLOTS.indexOf(slot),
      name
    })
    if (before && before !== name && !isShown(before)) {
      serv.send(serv.players, 'scoreboard_objective', { name: before, action: ACTION.remove })
    }
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.on('connected', () => {
    for (const name of new Set(serv.displays.values())) tellObjective(serv, [player], name)
    for (const [slot, name] of serv.displays) {
      serv.send([player], 'scoreboard_display_objective', { position: SLOTS.indexOf(slot), name })
    }
  })
}

/** @param {string} name @param {Objective} objective @param {number} action */
const looksOf = (name, { display, renderType, format }, action) => ({
  name,
  action,
  displayText: packed(display),
  type: RENDER_TYPES.indexOf(renderType),
  ...formatFields(format)
})

/** @param {Format | null} format */
const formatFields = (format) => ({
  number_format: format ? FORMATS.indexOf(format.kind) : undefined,
  styling: format && 'text' in format ? packed(format.text) : undefined
})

/** @param {Server} serv @param {Player[]} players @param {string} name */
function tellObjective(serv, players, name) {
  const objective = /** @type {Objective} */ (serv.objectives.get(name))
  serv.send(players, 'scoreboard_objective', looksOf(name, objective, ACTION.add))
  for (const holder of objective.scores.keys()) tellScore(serv, players, name, holder)
}

/**
 * @param {Server} serv @param {Player[]} players @param {string} scoreName
 * @param {string} itemName whose score it is
 */
function tellScore(serv, players, scoreName, itemName) {
  const { scores, looks } = /** @type {Objective} */ (serv.objectives.get(scoreName))
  const { name = null, format = null } = looks.get(itemName) ?? {}
  serv.send(players, 'scoreboard_score', {
    ...{ itemName, scoreName, value: scores.get(itemName) ?? 0 },
    display_name: name ? packed(name) : undefined,
    ...formatFields(format)
  })
}
