/** Selectors with arguments: `@e[type=cow,distance=..5,limit=1]`, as vanilla reads them. */
import { registry } from '../../minecraft/index.js'
import { shiftAt } from '../../world/dimensions.js'
import { tagged } from '../../minecraft/tags.js'
import { plain } from '../../minecraft/texts.js'
import { tagOfEntity } from '../../entities/entity-data.js'
import { matches } from './nbt-path.js'
import { CommandError } from '../replies.js'
import { parseSnbt, SnbtError } from '../../minecraft/snbt.js'

/** @import { Entity, Player, Server, Vec3 } from '../../types/index.d.ts' */

const MODES = ['survival', 'creative', 'adventure', 'spectator']
const AXES = /** @type {const} */ (['x', 'y', 'z'])
const SORTS = ['nearest', 'furthest', 'random', 'arbitrary']

/**
 * Context in which a selector's test runs.
 * @typedef {object} Seen
 * @property {Server} serv
 * @property {Vec3} origin
 */

/** @typedef {[least: number, most: number]} Range */

/** @type {Record<string, (value: string) => (entity: Entity, seen: Seen) => boolean>} */
const TESTS = {
  type: (value) => {
    const name = value.replace('minecraft:', '')
    const kind = name.replace(/^!/, '')
    if (kind.startsWith('#')) {
      const id = kind.slice(1)
      const names = tagged('entity_type', id.includes(':') ? id : `minecraft:${id}`)
      return (entity) => (names?.has(typeOf(entity)) ?? false) === (name === kind)
    }
    if (!Object.hasOwn(registry.entitiesByName, kind)) {
      const id = kind.includes(':') ? kind : `minecraft:${kind}`
      throw new CommandError('argument.entity.options.type.invalid', id)
    }
    return (entity) => agrees(name, typeOf(entity))
  },
  name: (value) => (entity) => agrees(unquoted(value), plainNameOf(entity)),
  distance: (value) => {
    const range = rangeOf(value)
    return (entity, { origin }) => isWithin(entity.position.distanceTo(origin), range)
  },
  tag:
    (value) =>
    ({ tags }) =>
      value.startsWith('!') ? !hasTag(tags, value.slice(1)) : hasTag(tags, value),
  gamemode: (value) => {
    const mode = value.replace(/^!/, '')
    if (!MODES.includes(mode)) throw new CommandError('argument.entity.options.mode.invalid', mode)
    return (entity) => entity.type === 'player' && agrees(value, MODES[entity.gameMode])
  },
  level: (value) => {
    const range = rangeOf(value)
    return (entity) => entity.type === 'player' && isWithin(entity.level, range)
  },
  nbt: (value) => {
    const isNot = value.startsWith('!')
    const pattern = patternOf(isNot ? value.slice(1) : value)
    return (entity, { serv }) => matches(tagOfEntity(serv, entity), pattern) !== isNot
  },
  x_rotation: (value) => {
    const range = rangeOf(value, -Infinity)
    return (entity) => isWithin(entity.pitch, range)
  },
  y_rotation: (value) => {
    const range = rangeOf(value, -Infinity)
    return (entity) => isWithin(entity.yaw, range)
  },
  team:
    (value) =>
    (entity, { serv }) =>
      agrees(value, serv.teamOf(holderOf(entity))?.name ?? ''),
  scores: (value) => {
    const wanted = pairsOf(value.slice(1, -1)).map(([name, text]) => ({
      name,
      range: rangeOf(text, -Infinity)
    }))
    return (entity, { serv }) =>
      wanted.every(({ name, range }) => {
        const score = serv.objectives.get(name)?.scores.get(holderOf(entity))
        return score !== undefined && isWithin(score, range)
      })
  }
}

/** Return a target's name on scoreboards. @param {Entity} entity */
export const holderOf = (entity) => (entity.type === 'player' ? entity.username : entity.uuid)

/** @param {Entity} entity */
export const typeOf = (entity) =>
  entity.type === 'player' ? 'player' : entity.type === 'object' ? 'item' : entity.name

/** @param {Entity} entity */
function plainNameOf(entity) {
  if (entity.type === 'player') return entity.username
  if (entity.customName) return plain(entity.customName)
  return (entity.type === 'object' ? entity.item : entity.kind).displayName
}

/** @param {Set<string>} tags @param {string} wanted an empty text means no tags at all */
const hasTag = (tags, wanted) => (wanted === '' ? tags.size === 0 : tags.has(wanted))

/** @param {string} word a name, a UUID or a selector @returns {boolean} true for a selector */
export const isSelector = (word) => word.startsWith('@')

/**
 * @param {string} word such as @a[distance=..5]
 * @param {{serv: Server, self: Entity | null, origin: Vec3, random: () => number}} from
 * @returns {{found: Entity[], isOne: boolean, isOfPlayers: boolean}} with whether it selects at most one, and only players
 */
export function select(word, { serv, self, origin, random }) {
  const match = word.match(/^@([aeprs])(?:\[(.*)\])?$/s)
  if (!match) {
    if (word === '@') throw new CommandError('argument.entity.selector.missing')
    throw new CommandError('argument.entity.selector.unknown', word.slice(0, 2))
  }
  const [, kind, text = ''] = match
  const { tests, centre, box, limit, sort, isOfPlayers } = filtersOf(text, origin)
  /** @type {Record<string, Entity[]>} */
  const pools = {
    a: serv.players,
    r: serv.players,
    p: serv.players.filter((player) => !player.isDead),
    s: self ? [self] : [],
    e: Object.values(serv.entities)
  }
  const found = pools[kind].filter(
    (entity) =>
      tests.every((test) => test(entity, { serv, origin: centre })) && box(entity.position)
  )
  const order = sort ?? (kind === 'p' ? 'nearest' : kind === 'r' ? 'random' : 'arbitrary')
  const most = limit ?? ('prs'.includes(kind) ? 1 : Infinity)
  return {
    found: sorted(found, order, centre, random).slice(0, most),
    isOne: most === 1,
    isOfPlayers: kind !== 'e' || isOfPlayers
  }
}

/** @param {Entity[]} found @param {string} order @param {Vec3} centre @param {() => number} random */
function sorted(found, order, centre, random) {
  if (order === 'arbitrary') return found
  const sign = order === 'furthest' ? -1 : 1
  return found
    .map((entity) => ({
      entity,
      weight: order === 'random' ? random() : sign * entity.position.distanceTo(centre)
    }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ entity }) => entity)
}

/** @param {string} text between the brackets @param {Vec3} origin */
function filtersOf(text, origin) {
  const tests = []
  const centre = origin.clone()
  /** @type {Partial<Record<'x' | 'y' | 'z', number>>} */
  const size = {}
  let limit
  let sort
  let isOfPlayers = false
  for (const [name, value] of pairsOf(text)) {
    if (name === 'type' && /^(minecraft:)?player$/.test(value)) isOfPlayers = true
    if (Object.hasOwn(TESTS, name)) tests.push(TESTS[name](value))
    else if (name === 'x') centre.x = numberOf(value) + shiftAt(origin.x)
    else if (name === 'y' || name === 'z') centre[name] = numberOf(value)
    else if (/^d[xyz]$/.test(name)) size[/** @type {'x'} */ (name[1])] = numberOf(value)
    else if (name === 'limit') limit = limitOf(value)
    else if (name === 'sort' && SORTS.includes(value)) sort = value
    else if (name === 'sort')
      throw new CommandError('argument.entity.options.sort.irreversible', value)
    else throw new CommandError('argument.entity.options.unknown', name)
  }
  const isBoxed = Object.keys(size).length > 0
  const box = (/** @type {Vec3} */ position) =>
    !isBoxed ||
    AXES.every((axis) => {
      const [a, b] = [centre[axis], centre[axis] + (size[axis] ?? 0)]
      return position[axis] >= Math.min(a, b) && position[axis] < Math.max(a, b) + 1
    })
  return { tests, centre, box, limit, sort, isOfPlayers }
}

/** @param {string} text @returns {import('../../types/index.d.ts').Tag} */
function patternOf(text) {
  try {
    return parseSnbt(text)
  } catch (error) {
    throw error instanceof SnbtError ? new CommandError(error.key, ...error.values) : error
  }
}

/** @param {string} text such as a=1,b={c=2} @returns {[name: string, value: string][]} */
function pairsOf(text) {
  return partsAtCommas(text).map((part) => {
    const at = part.indexOf('=')
    const name = (at < 0 ? part : part.slice(0, at)).trim()
    if (at < 0) throw new CommandError('argument.entity.options.valueless', name)
    return [name, part.slice(at + 1).trim()]
  })
}

/** Split at commas outside quotes, braces and brackets. @param {string} text @returns {string[]} */
function partsAtCommas(text) {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quote) {
      if (char === '\\') parts[parts.length - 1] += text[at++]
      else if (char === quote) quote = ''
    } else if (char === '"' || (char === "'" && depth)) quote = char
    else if ('{['.includes(char)) depth++
    else if ('}]'.includes(char)) depth--
    if (char === ',' && !depth && !quote) parts.push('')
    else parts[parts.length - 1] += text[at] ?? ''
  }
  return parts.filter((part) => part.trim())
}

/** @param {string} text such as ..5, 3.., 2..4, 7 @param {number} [least] @returns {Range} */
export function rangeOf(text, least = 0) {
  const [from, to, ...more] = text.includes('..') ? text.split('..') : [text, text]
  if (more.length) throw new CommandError('argument.range.ints')
  /** @type {Range} */
  const range = [from === '' ? least : numberOf(from), to === '' ? Infinity : numberOf(to)]
  if (from === '' && to === '') throw new CommandError('argument.range.empty')
  if (range[0] > range[1]) throw new CommandError('argument.range.swapped')
  return range
}

/** @param {number} value @param {Range} range */
export const isWithin = (value, [least, most]) => value >= least && value <= most

/** @param {string} text */
function numberOf(text) {
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)) throw new CommandError('parsing.double.invalid', text)
  return Number(text)
}

/** @param {string} text */
function limitOf(text) {
  if (!/^[-+]?\d+$/.test(text)) throw new CommandError('parsing.int.invalid', text)
  if (Number(text) < 1) throw new CommandError('argument.entity.options.limit.toosmall')
  return Number(text)
}

/** @param {string} text */
const unquoted = (text) => text.replace(/^(!?)"(.*)"$/s, '$1$2')

/** @param {string} wanted possibly with a leading ! @param {string} actual */
const agrees = (wanted, actual) =>
  wanted.startsWith('!') ? actual !== wanted.slice(1) : actual === wanted
