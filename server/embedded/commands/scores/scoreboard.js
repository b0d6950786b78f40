/** `scoreboard`: objectives (objectives.js), and the scores of players and other holders. */
import { wrapped } from '../../scores/scores.js'
import { listed, nameOfEntity, textOf } from '../../minecraft/texts.js'
import { objectiveOf, objectives, readFormat, writableOf } from './objectives.js'
import { CommandError, said, told } from '../replies.js'
import { holderOf, isSelector } from '../arguments/selectors.js'

/** @import { Component, Server } from '../../types/index.d.ts' */
/** @import { Named } from './objectives.js' */
/** @import { Reader } from '../arguments/reader.js' */
/** @import { Reply } from '../replies.js' */

const KEY = 'commands.scoreboard.players'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['scoreboard'],
  run: ({ serv, args }) =>
    args.oneOf(['objectives', 'players']) === 'objectives'
      ? objectives(serv, args)
      : ACTIONS[args.oneOf(Object.keys(ACTIONS))](serv, args)
}

/** @typedef {{holder: string, shown: Component}} Holder owner of a score, and its displayed name */

/** @type {Holder} */
const NOBODY = { holder: '', shown: { text: '' } }

/** @param {Server} serv @param {Reader} args @returns {Holder[]} */
function readHolders(serv, args) {
  const word = args.word()
  if (word === '*') {
    const holders = holdersOf(serv)
    if (!holders.length) throw new CommandError('argument.scoreHolder.empty')
    return holders.map((holder) => ({ holder, shown: textOf(holder) }))
  }
  if (!isSelector(word)) return [{ holder: word, shown: textOf(word) }]
  const found = args.select(word)
  if (!found.length) args.lack('entity')
  return found.map((entity) => ({ holder: holderOf(entity), shown: nameOfEntity(entity) }))
}

/** @param {Server} serv @param {Reader} args @returns {Holder} */
function readHolder(serv, args) {
  const [one = NOBODY, ...more] = readHolders(serv, args)
  if (more.length) throw args.error('argument.entity.toomany')
  return one
}

/** Return the names of all holders of a score. @param {Server} serv @returns {string[]} */
const holdersOf = (serv) => [
  ...new Set([...serv.objectives.values()].flatMap(({ scores }) => [...scores.keys()]))
]

/** @type {Record<string, (serv: Server, args: Reader) => Reply | Reply[]>} */
const ACTIONS = {
  add: (serv, args) => change(serv, args, 'add'),
  remove: (serv, args) => change(serv, args, 'remove'),
  set: (serv, args) => {
    const holders = readHolders(serv, args)
    const { name, title } = writableOf(serv, args.word())
    const score = args.integer()
    args.end()
    for (const { holder } of holders) serv.setScore(name, holder, score)
    const [who, suffix] = named(holders)
    return said(`${KEY}.set.success.${suffix}`, title, who, score).worth(score * holders.length)
  },
  get: (serv, args) => {
    const { holder, shown } = readHolder(serv, args)
    const { name, title, scores } = objectiveOf(serv, args.word())
    args.end()
    const score = scores.get(holder)
    if (score === undefined) throw new CommandError(`${KEY}.get.null`, name, shown)
    return told(`${KEY}.get.success`, shown, score, title).worth(score)
  },
  list: (serv, args) => (args.done ? allHolders(serv) : scoresOf(serv, args)),
  reset: (serv, args) => {
    const holders = readHolders(serv, args)
    const one = args.done ? null : objectiveOf(serv, args.word())
    args.end()
    for (const { holder } of holders) serv.resetScore(holder, one?.name ?? null)
    const [who, suffix] = named(holders)
    if (!one) return said(`${KEY}.reset.all.${suffix}`, who).worth(holders.length)
    return said(`${KEY}.reset.specific.${suffix}`, one.title, who).worth(holders.length)
  },
  enable: (serv, args) => {
    const holders = readHolders(serv, args)
    const { name, title, criterion, scores, enabled } = objectiveOf(serv, args.word())
    args.end()
    if (criterion !== 'trigger') throw new CommandError(`${KEY}.enable.invalid`)
    const others = holders.filter(({ holder }) => !enabled.has(holder))
    if (!others.length) throw new CommandError(`${KEY}.enable.failed`)
    for (const { holder } of others) {
      serv.setScore(name, holder, scores.get(holder) ?? 0)
      enabled.add(holder)
    }
    const [who, suffix] = named(holders)
    return said(`${KEY}.enable.success.${suffix}`, title, who).worth(others.length)
  },
  display: (serv, args) =>
    (args.oneOf(['name', 'numberformat']) === 'name' ? rename : reformat)(serv, args),
  operation: operate
}

/**
 * Return the holder if there is only one, otherwise the number of holders; and the suffix of
 * vanilla's message key.
 * @param {Holder[]} holders @returns {[who: Component | number, suffix: string]}
 */
const named = (holders) =>
  holders.length === 1 ? [holders[0].shown, 'single'] : [holders.length, 'multiple']

/** @param {Server} serv @param {Reader} args @param {'add' | 'remove'} verb */
function change(serv, args, verb) {
  const holders = readHolders(serv, args)
  const { name, title, scores } = writableOf(serv, args.word())
  const amount = args.integer({ min: 0 })
  args.end()
  let sum = 0
  for (const { holder } of holders) {
    serv.setScore(name, holder, (scores.get(holder) ?? 0) + (verb === 'add' ? amount : -amount))
    sum += scores.get(holder) ?? 0
  }
  const [who, suffix] = named(holders)
  const now = holders.length === 1 ? [sum] : []
  return said(`${KEY}.${verb}.success.${suffix}`, amount, title, who, ...now).worth(wrapped(sum))
}

/** @param {Server} serv */
function allHolders(serv) {
  const holders = holdersOf(serv)
  if (!holders.length) return told(`${KEY}.list.empty`).worth(0)
  const names = listed(holders.map(textOf))
  return told(`${KEY}.list.success`, holders.length, names).worth(holders.length)
}

/** @param {Server} serv @param {Reader} args */
function scoresOf(serv, args) {
  const { holder, shown } = readHolder(serv, args)
  args.end()
  const entries = [...serv.objectives.keys()].flatMap((name) => {
    const { title, scores } = objectiveOf(serv, name)
    const score = scores.get(holder)
    return score === undefined ? [] : [told(`${KEY}.list.entity.entry`, title, score)]
  })
  const { length } = entries
  if (!length) return told(`${KEY}.list.entity.empty`, shown).worth(0)
  const first = told(`${KEY}.list.entity.success`, shown, length)
  entries[length - 1].worth(length)
  return [first, ...entries]
}

/** @param {Server} serv @param {Reader} args */
function rename(serv, args) {
  const holders = readHolders(serv, args)
  const { name, title } = objectiveOf(serv, args.word())
  const wanted = args.done ? null : args.component()
  args.end()
  for (const { holder } of holders) serv.dressScore(name, holder, { name: wanted })
  const [who, suffix] = named(holders)
  const key = `${KEY}.display.name.${wanted ? 'set' : 'clear'}.success.${suffix}`
  return said(key, ...(wanted ? [wanted] : []), who, title).worth(holders.length)
}

/** @param {Server} serv @param {Reader} args */
function reformat(serv, args) {
  const holders = readHolders(serv, args)
  const { name, title } = objectiveOf(serv, args.word())
  const format = readFormat(args)
  args.end()
  for (const { holder } of holders) serv.dressScore(name, holder, { format })
  const [who, suffix] = named(holders)
  const key = `${KEY}.display.numberFormat.${format ? 'set' : 'clear'}.success.${suffix}`
  return said(key, who, title).worth(holders.length)
}

/**
 * Result of each operation on two scores: the first, and the second if it changes.
 * @type {Record<string, (a: number, b: number) => [number, number?]>}
 */
const OPERATIONS = {
  '=': (_a, b) => [b],
  '+=': (a, b) => [a + b],
  '-=': (a, b) => [a - b],
  '*=': (a, b) => [Math.imul(a, b)],
  '/=': (a, b) => [Math.floor(a / divisor(b))],
  '%=': (a, b) => [a - b * Math.floor(a / divisor(b))],
  '<': (a, b) => [Math.min(a, b)],
  '>': (a, b) => [Math.max(a, b)],
  '><': (a, b) => [b, a]
}

/** @param {number} number */
function divisor(number) {
  if (number === 0) throw new CommandError('arguments.operation.div0')
  return number
}

/** @param {Server} serv @param {Reader} args */
function operate(serv, args) {
  const holders = readHolders(serv, args)
  const into = writableOf(serv, args.word())
  const sign = args.word()
  if (!Object.hasOwn(OPERATIONS, sign)) throw args.error('arguments.operation.invalid')
  const sources = readHolders(serv, args)
  const from = objectiveOf(serv, args.word())
  args.end()
  const scoreOf = (/** @type {Named} */ { scores }, /** @type {Holder} */ { holder }) =>
    scores.get(holder) ?? 0
  let sum = 0
  for (const target of holders) {
    for (const source of sources) {
      const [one, other] = OPERATIONS[sign](scoreOf(into, target), scoreOf(from, source))
      serv.setScore(into.name, target.holder, one)
      if (other !== undefined) serv.setScore(from.name, source.holder, other)
      else if (!from.scores.has(source.holder)) serv.setScore(from.name, source.holder, 0)
    }
    sum += scoreOf(into, target)
  }
  const [who, suffix] = named(holders)
  const now = holders.length === 1 ? [sum] : []
  return said(`${KEY}.operation.success.${suffix}`, into.title, who, ...now).worth(wrapped(sum))
}
