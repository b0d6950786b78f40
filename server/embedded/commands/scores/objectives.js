/** `scoreboard objectives`: criteria, names and display slots of objectives. */
import { criterionOf, isReadOnly } from '../../scores/criteria.js'
import { SLOTS } from '../../scores/scores.js'
import { listed, translated } from '../../minecraft/texts.js'
import { CommandError, said, told } from '../replies.js'

/** @import { Component, Server } from '../../types/index.d.ts' */
/** @import { Format, Objective } from '../../scores/scores.js' */
/** @import { Reader } from '../arguments/reader.js' */
/** @typedef {Objective & {name: string, title: Component}} Named */

const KEY = 'commands.scoreboard.objectives'

/** @param {Server} serv @param {string} name @returns {Named} */
export function objectiveOf(serv, name) {
  const objective = serv.objectives.get(name)
  if (!objective) throw new CommandError('arguments.objective.notFound', name)
  return { ...objective, name, title: titleOf(name, objective.display) }
}

/**
 * Return an objective whose scores commands may change.
 * @param {Server} serv @param {string} name
 */
export function writableOf(serv, name) {
  const objective = objectiveOf(serv, name)
  if (isReadOnly(objective.criterion)) throw new CommandError('arguments.objective.readonly', name)
  return objective
}

/** @param {string} name @param {Component} display @returns {Component} */
const titleOf = (name, display) =>
  translated('chat.square_brackets', {
    ...display,
    hoverEvent: { action: 'show_text', contents: { text: name } }
  })

/** @type {Record<string, (serv: Server, args: Reader) => import('../replies.js').Reply>} */
const ACTIONS = {
  add: (serv, args) => {
    const name = args.word()
    const word = args.word()
    const criterion = criterionOf(word)
    if (!criterion) throw args.error('argument.criteria.invalid', word)
    const display = args.done ? { text: name } : args.component()
    if (serv.objectives.has(name)) throw new CommandError(`${KEY}.add.duplicate`)
    serv.addObjective(name, criterion, display)
    const { size } = serv.objectives
    return said(`${KEY}.add.success`, objectiveOf(serv, name).title).worth(size)
  },
  list: (serv, args) => {
    args.end()
    const names = [...serv.objectives.keys()]
    if (!names.length) return told(`${KEY}.list.empty`).worth(0)
    const titles = listed(names.map((name) => objectiveOf(serv, name).title))
    return told(`${KEY}.list.success`, names.length, titles).worth(names.length)
  },
  modify: (serv, args) => {
    const objective = objectiveOf(serv, args.word())
    return CHANGES[args.oneOf(Object.keys(CHANGES))](serv, args, objective)
  },
  remove: (serv, args) => {
    const { name, title } = objectiveOf(serv, args.word())
    args.end()
    serv.removeObjective(name)
    return said(`${KEY}.remove.success`, title).worth(serv.objectives.size)
  },
  setdisplay: setDisplay
}

/** @type {Record<string, (serv: Server, args: Reader, objective: Named) => import('../replies.js').Reply>} */
const CHANGES = {
  displayname: (serv, args, { name, display }) => {
    const wanted = args.component()
    if (JSON.stringify(wanted) !== JSON.stringify(display)) {
      serv.changeObjective(name, { display: wanted })
    }
    return said(`${KEY}.modify.displayname`, name, objectiveOf(serv, name).title)
  },
  rendertype: (serv, args, { name, title }) => {
    const renderType = args.oneOf(/** @type {const} */ (['integer', 'hearts']))
    args.end()
    serv.changeObjective(name, { renderType })
    return said(`${KEY}.modify.rendertype`, title)
  },
  displayautoupdate: (serv, args, { name, title }) => {
    const updatesNames = args.boolean()
    args.end()
    serv.changeObjective(name, { updatesNames })
    return said(`${KEY}.modify.displayAutoUpdate.${updatesNames ? 'enable' : 'disable'}`, title)
  },
  numberformat: (serv, args, { name, title }) => {
    const format = readFormat(args)
    serv.changeObjective(name, { format })
    return said(`${KEY}.modify.objectiveFormat.${format ? 'set' : 'clear'}`, title)
  }
}

/** @param {Reader} args @returns {Format | null} null if none is given */
export function readFormat(args) {
  if (args.done) return null
  const kind = args.oneOf(/** @type {const} */ (['blank', 'fixed', 'styled']))
  if (kind === 'fixed') return { kind, text: args.component() }
  const format = kind === 'blank' ? { kind } : { kind, text: args.style() }
  args.end()
  return format
}

/** @param {Server} serv @param {Reader} args */
function setDisplay(serv, args) {
  const slot = args.word()
  if (!SLOTS.includes(slot)) throw args.error('argument.scoreboardDisplaySlot.invalid', slot)
  const name = args.done ? null : args.word()
  const title = name === null ? null : objectiveOf(serv, name).title
  args.end()
  const before = serv.displays.get(slot)
  if (title === null) {
    if (!before) throw new CommandError(`${KEY}.display.alreadyEmpty`)
    serv.displayObjective(slot, '')
    return said(`${KEY}.display.cleared`, slot)
  }
  if (before === name) throw new CommandError(`${KEY}.display.alreadySet`)
  serv.displayObjective(slot, String(name))
  return said(`${KEY}.display.set`, slot, serv.objectives.get(String(name))?.display ?? {})
}

/** @param {Server} serv @param {Reader} args */
export const objectives = (serv, args) => ACTIONS[args.oneOf(Object.keys(ACTIONS))](serv, args)
