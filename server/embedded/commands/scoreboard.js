import { isCriterion } from '../plugins/scores.js'
import { nameOfEntity, textOf } from '../texts.js'
import { CommandError, said, told } from './replies.js'
import { holderOf, isSelector } from './selectors.js'

/** @import { Component, Server } from '../types.d.ts' */
/** @import { Objective } from '../plugins/scores.js' */

const SLOTS = ['list', 'sidebar', 'below_name']
const KEY = 'commands.scoreboard'

/**
 * Objectives and scores (see plugins/scores.js).
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['scoreboard'],
  run: ({ serv, args }) =>
    args.oneOf(['objectives', 'players']) === 'objectives'
      ? objectives(serv, args)
      : players(serv, args)
}

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function objectives(serv, args) {
  const what = args.oneOf(['add', 'remove', 'list', 'setdisplay'])
  if (what === 'list') return allObjectives(serv)
  if (what === 'setdisplay') return setDisplay(serv, args)
  const name = args.word()
  if (what === 'remove') {
    const { title } = objectiveOf(serv, name)
    args.end()
    serv.removeObjective(name)
    return said(`${KEY}.objectives.remove.success`, title)
  }
  const criterion = args.word()
  const isNamed = !args.done
  if (!isCriterion(criterion)) throw args.error('argument.criteria.invalid', criterion)
  const display = isNamed ? args.component() : { text: name }
  if (serv.objectives.has(name)) throw new CommandError(`${KEY}.objectives.add.duplicate`)
  serv.addObjective(name, criterion, display)
  return said(`${KEY}.objectives.add.success`, objectiveOf(serv, name).title)
}

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function setDisplay(serv, args) {
  const slot = args.word().replace(/^belowName$/, 'below_name')
  if (!SLOTS.includes(slot)) throw args.error('argument.scoreboardDisplaySlot.invalid', slot)
  const name = args.done ? null : args.word()
  const title = name === null ? null : objectiveOf(serv, name).title
  args.end()
  const before = serv.displays.get(slot)
  const display = `${KEY}.objectives.display`
  if (title === null) {
    if (!before) throw new CommandError(`${display}.alreadyEmpty`)
    serv.displayObjective(slot, '')
    return said(`${display}.cleared`, slot)
  }
  if (before === name) throw new CommandError(`${display}.alreadySet`)
  serv.displayObjective(slot, String(name))
  return said(`${display}.set`, slot, title)
}

/** @param {Server} serv */
function allObjectives(serv) {
  const names = [...serv.objectives.keys()]
  if (!names.length) return told(`${KEY}.objectives.list.empty`)
  const list = names.map((name) => `[${name}]`).join(', ')
  return told(`${KEY}.objectives.list.success`, names.length, list)
}

/** @typedef {{holder: string, shown: Component}} Holder whose score it is, and how it is named */

/** @param {Server} serv @param {import('./reader.js').Reader} args @returns {Holder[]} */
function readHolders(serv, args) {
  const word = args.word()
  if (word === '*') {
    const holders = new Set(
      [...serv.objectives.values()].flatMap(({ scores }) => [...scores.keys()])
    )
    if (!holders.size) throw new CommandError('argument.scoreHolder.empty')
    return [...holders].map((holder) => ({ holder, shown: textOf(holder) }))
  }
  if (!isSelector(word)) return [{ holder: word, shown: textOf(word) }]
  const found = args.select(word)
  if (!found.length) throw new CommandError('argument.entity.notfound.entity')
  return found.map((entity) => ({ holder: holderOf(entity), shown: nameOfEntity(entity) }))
}

/** @param {Server} serv @param {import('./reader.js').Reader} args */
function players(serv, args) {
  const what = args.oneOf(['get', 'set', 'add', 'remove', 'reset'])
  const holders = readHolders(serv, args)
  if (what === 'reset') return reset(serv, holders, args)
  const objective = objectiveOf(serv, args.word())
  if (what === 'get') {
    args.end()
    return scoreOf(holders, objective)
  }
  const number = args.integer({ min: what === 'set' ? undefined : 0 })
  args.end()
  const step = what === 'remove' ? -number : number
  const { name, title, scores } = objective
  for (const { holder } of holders) {
    serv.setScore(name, holder, what === 'set' ? number : (scores.get(holder) ?? 0) + step)
  }
  return changed(what, number, holders, objective)

  /** @param {string} verb @param {number} by @param {Holder[]} whose @param {{scores: Map<string, number>}} after */
  function changed(verb, by, whose, after) {
    const key = `${KEY}.players.${verb}.success`
    const now = after.scores.get(whose[0].holder) ?? 0
    const isOne = whose.length === 1
    const who = isOne ? whose[0].shown : whose.length
    const suffix = isOne ? 'single' : 'multiple'
    if (verb === 'set') return said(`${key}.${suffix}`, title, who, by).worth(by)
    return said(`${key}.${suffix}`, by, title, who, ...(isOne ? [now] : [])).worth(now)
  }
}

/** @param {Holder[]} holders @param {Objective & {name: string, title: Component}} objective */
function scoreOf([{ holder, shown }, ...more], { name, title, scores }) {
  if (more.length) throw new CommandError('argument.entity.toomany')
  const score = scores.get(holder)
  if (score === undefined) throw new CommandError(`${KEY}.players.get.null`, name, shown)
  return told(`${KEY}.players.get.success`, shown, score, title).worth(score)
}

/** @param {Server} serv @param {Holder[]} holders @param {import('./reader.js').Reader} args */
function reset(serv, holders, args) {
  const name = args.done ? null : args.word()
  args.end()
  const one = name === null ? null : objectiveOf(serv, name)
  for (const { holder } of holders) serv.resetScore(holder, name)
  const suffix = holders.length === 1 ? 'single' : 'multiple'
  const who = holders.length === 1 ? holders[0].shown : holders.length
  if (!one) return said(`${KEY}.players.reset.all.${suffix}`, who)
  return said(`${KEY}.players.reset.specific.${suffix}`, one.title, who)
}

/** @param {Server} serv @param {string} name @returns {Objective & {name: string, title: Component}} */
export function objectiveOf(serv, name) {
  const objective = serv.objectives.get(name)
  if (!objective) throw new CommandError('arguments.objective.notFound', name)
  return { ...objective, name, title: { text: `[${name}]` } }
}
