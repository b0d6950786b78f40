/** Reads a command's arguments from left to right, as vanilla's argument types do. */
import { registry, Vec3 } from '../minecraft.js'
import { stateOf } from '../plugins/blocks.js'

/** @import { BlockKind, Entity, ItemKind, Player, Server } from '../types.d.ts' */

/** A command that vanilla refuses; its message is the answer. */
export class CommandError extends Error {}

const SELECTOR = /^@([aprse])(?:\[([^\]]*)\])?$/

export class Reader {
  /**
   * @param {Server} serv
   * @param {string} text the whole command
   * @param {number} at where the arguments start
   * @param {import('./index.js').Source} source
   */
  constructor(serv, text, at, source) {
    this.serv = serv
    this.text = text
    this.at = at
    this.source = source
  }

  get done() {
    return this.text.slice(this.at).trim() === ''
  }

  /** Everything that is left. */
  rest() {
    const rest = this.text.slice(this.at).trim()
    if (!rest) throw this.error('Unknown or incomplete command, see below for error')
    this.at = this.text.length
    return rest
  }

  /** The next word; brackets, braces and quotes keep their spaces. */
  word() {
    while (this.text[this.at] === ' ') this.at++
    const start = this.at
    let depth = 0
    let quoted = false
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]
      if (char === '"' && this.text[this.at - 1] !== '\\') quoted = !quoted
      if (!quoted && '[{'.includes(char)) depth++
      if (!quoted && ']}'.includes(char)) depth--
      if (char === ' ' && depth === 0 && !quoted) break
    }
    if (start === this.at) throw this.error('Unknown or incomplete command, see below for error')
    return this.text.slice(start, this.at)
  }

  /** A namespaced name, or `*`. */
  identifier() {
    const word = this.word()
    if (word === '*') return word
    if (!/^([a-z0-9_.-]+:)?[a-z0-9_./-]+$/.test(word)) throw this.error('Invalid ID')
    return namespaced(word)
  }

  /** Refuses what is left over. */
  end() {
    if (!this.done) throw this.error('Incorrect argument for command')
  }

  /** @param {string} message */
  error(message) {
    return new CommandError(
      `${message}\n...${this.text.slice(Math.max(0, this.at - 10), this.at)}<--[HERE]`
    )
  }

  /** @param {string[]} choices */
  oneOf(choices) {
    const word = this.word()
    if (!choices.includes(word)) throw this.error('Incorrect argument for command')
    return word
  }

  /** @param {{min?: number, max?: number}} [bounds] */
  integer({ min = -2147483648, max = 2147483647 } = {}) {
    const word = this.word()
    if (!/^-?\d+$/.test(word)) throw this.error('Expected integer')
    const value = Number(word)
    if (value < min) throw this.error(`Integer must not be less than ${min}, found ${value}`)
    if (value > max) throw this.error(`Integer must not be more than ${max}, found ${value}`)
    return value
  }

  /** A block position, relative coordinates included. */
  blockPosition() {
    const origin = this.origin().floored()
    const [x, y, z] = origin.toArray().map((axis) => Math.floor(this.coordinate(axis)))
    return new Vec3(x, y, z)
  }

  /** An entity's position: whole x and z mean the middle of the block. */
  position() {
    const origin = this.origin()
    const x = this.coordinate(origin.x, 0.5)
    const y = this.coordinate(origin.y)
    return new Vec3(x, y, this.coordinate(origin.z, 0.5))
  }

  origin() {
    return this.source.player?.position ?? new Vec3(0, 0, 0)
  }

  /** @param {number} origin @param {number} [centre] */
  coordinate(origin, centre = 0) {
    const word = this.word()
    const match = word.match(/^(~)?(-?\d*\.?\d+)?$/)
    if (!match || word === '') throw this.error('Expected a coordinate')
    const value = Number(match[2] ?? 0)
    if (match[1]) return origin + value
    return word.includes('.') ? value : value + centre
  }

  /** @returns {{state: number, name: string, block: BlockKind}} from `name[property=value]{nbt}` */
  block() {
    const word = this.word()
    const match = word.match(/^(?:minecraft:)?(\w+)(?:\[([^\]]*)\])?(\{.*\})?$/)
    const block = match && registry.blocksByName[match[1]]
    if (!match || !block) throw this.error(`Unknown block type '${namespaced(word)}'`)
    if (match[3]) throw this.error('Block data is not supported here: use item replace block')
    return { name: match[1], block, state: this.blockState(block, match[2]) }
  }

  /** @param {BlockKind} block @param {string | undefined} properties such as facing=north */
  blockState(block, properties) {
    if (!properties) return block.defaultState
    try {
      return stateOf(
        block,
        Object.fromEntries(properties.split(',').map((pair) => pair.split('=')))
      )
    } catch (error) {
      throw this.error(/** @type {Error} */ (error).message)
    }
  }

  /** @returns {ItemKind} minecraft-data's item */
  item() {
    const word = this.word()
    const item = registry.itemsByName[word.replace(/^minecraft:/, '')]
    if (!item) throw this.error(`Unknown item '${namespaced(word)}'`)
    return item
  }

  /** @returns {Player[]} at least one player */
  players() {
    const found = this.select(this.word()).filter((entity) => entity.type === 'player')
    if (!found.length) throw new CommandError('No player was found')
    return found
  }

  /** @returns {Entity[]} at least one entity */
  entities() {
    const found = this.select(this.word())
    if (!found.length) throw new CommandError('No entity was found')
    return found
  }

  /** @param {string} word a name or a selector @returns {Entity[]} */
  select(word) {
    const { serv, source } = this
    const match = word.match(SELECTOR)
    if (!match) return serv.players.filter((p) => p.username === word)
    const [, kind, filters] = match
    /** @type {Record<string, Entity[]>} */
    const pools = {
      a: serv.players,
      r: serv.players,
      p: serv.players,
      s: source.player ? [source.player] : [],
      e: Object.values(serv.entities)
    }
    const wanted = parseFilters(filters ?? '', this)
    const found = pools[kind].filter((entity) => matches(entity, wanted, this.origin()))
    if ('pr'.includes(kind)) return byDistance(found, this.origin()).slice(0, wanted.limit ?? 1)
    return found.slice(0, wanted.limit ?? found.length)
  }
}

/** @param {string} word */
const namespaced = (word) => (word.includes(':') ? word : `minecraft:${word.split(/[[{]/)[0]}`)

/** @param {Entity} entity */
export const nameOf = (entity) =>
  entity.type === 'player'
    ? entity.username
    : (entity.type === 'object' ? entity.item : entity.kind).displayName

/** @param {Entity} entity */
export const typeOf = (entity) =>
  entity.type === 'player' ? 'player' : entity.type === 'object' ? 'item' : entity.name

/**
 * What a selector asks for.
 * @typedef {{type?: string, name?: string, distance?: [number, number], limit?: number}} Filters
 */

/** @param {string} text @param {Reader} reader @returns {Filters} */
function parseFilters(text, reader) {
  /** @type {Record<string, string>} */
  const filters = {}
  for (const pair of text.split(',').filter(Boolean)) {
    const [key, value] = pair.split('=').map((part) => part.trim())
    if (!['type', 'name', 'distance', 'limit', 'sort'].includes(key) || value === undefined) {
      throw reader.error(`Unknown option '${key}'`)
    }
    filters[key] = value
  }
  const { type, name, distance, limit } = filters
  return {
    type,
    name,
    distance: distance ? parseRange(distance) : undefined,
    limit: limit === undefined ? undefined : Number(limit)
  }
}

/** @param {string} text such as ..5, 3.., 2..4, 7 @returns {[number, number]} */
function parseRange(text) {
  const [least, most] = text.includes('..') ? text.split('..') : [text, text]
  return [least === '' ? 0 : Number(least), most === '' ? Infinity : Number(most)]
}

/** @param {Entity} entity @param {Filters} filters @param {Vec3} origin */
function matches(entity, { type, name, distance }, origin) {
  if (type && !agrees(type.replace('minecraft:', ''), typeOf(entity))) return false
  if (name && !agrees(name.replaceAll('"', ''), nameOf(entity))) return false
  if (!distance) return true
  const away = entity.position.distanceTo(origin)
  return away >= distance[0] && away <= distance[1]
}

/** @param {string} wanted possibly with a leading ! @param {string} actual */
const agrees = (wanted, actual) =>
  wanted.startsWith('!') ? actual !== wanted.slice(1) : actual === wanted

/** @param {Entity[]} entities @param {Vec3} origin */
const byDistance = (entities, origin) =>
  [...entities].sort((a, b) => a.position.distanceTo(origin) - b.position.distanceTo(origin))
