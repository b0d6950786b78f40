/** Read a command's arguments from left to right, like vanilla's argument types. */
import { Vec3 } from '../../minecraft/index.js'
import { isInDimension, mayHoldBlocks, NETHER, OVERWORLD, shiftAt } from '../../world/dimensions.js'
import { namespaced, readBlock, readBlockTest, readItem, readItems, readStack } from './words.js'
import { readComponent } from './components.js'
import { CommandError } from '../replies.js'
import { isSelector, select } from './selectors.js'
import { parseSnbt, parseTag, SnbtError } from '../../minecraft/snbt.js'

/** @import { Component, Entity, Item, ItemKind, Player, Rotation, Server, Tag } from '../../types/index.d.ts' */

const EYES = 1.62
const MOST_TICKS = 2 ** 31 - 1
/** @param {number} degrees @returns {number} the same angle, from -180 to 180 */
export const wrapDegrees = (degrees) => ((((degrees + 180) % 360) + 360) % 360) - 180

/** Ticks per unit. @type {Record<string, number>} */
const UNITS = { d: 24_000, s: 20, t: 1, '': 1 }

export class Reader {
  /**
   * @param {Server} serv @param {string} text the whole command
   * @param {number} at start of the arguments @param {import('../index.js').Source} source
   */
  constructor(serv, text, at, source) {
    this.serv = serv
    this.text = text
    this.at = at
    /** Start of the last word read. */
    this.start = at
    this.source = source
    /** Error to throw once all arguments are read. @type {CommandError | null} */
    this.lacking = null
  }

  get done() {
    return this.text.slice(this.at).trim() === ''
  }

  /** Return the rest of the command. */
  rest() {
    const rest = this.text.slice(this.at).trim()
    if (!rest) throw this.unfinished()
    this.start = this.text.indexOf(rest, this.at)
    this.at = this.text.length
    return rest
  }

  /** Read the next word; brackets, braces and quotes keep their spaces. */
  word() {
    while (this.text[this.at] === ' ') this.at++
    const start = this.at
    let depth = 0
    let quoted = ''
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]
      const isQuote = char === '"' || (char === "'" && (depth > 0 || quoted === "'"))
      const isEscaped = this.text[this.at - 1] === '\\'
      if (isQuote && !isEscaped && (!quoted || quoted === char)) quoted = quoted ? '' : char
      if (!quoted && '[{'.includes(char)) depth++
      if (!quoted && ']}'.includes(char)) depth--
      if (char === ' ' && depth === 0 && !quoted) break
    }
    if (start === this.at) throw this.unfinished()
    this.start = start
    return this.text.slice(start, this.at)
  }

  /** Return the next word without reading it; empty at the end. */
  peek() {
    return this.text.slice(this.at).trim().split(' ', 1)[0]
  }

  /** Read a namespaced name, or `*`. */
  identifier() {
    const word = this.word()
    if (word === '*') return word
    if (!/^([a-z0-9_.-]+:)?[a-z0-9_./-]+$/.test(word)) throw this.error('argument.id.invalid')
    return namespaced(word)
  }

  /** Read an existing dimension. */
  dimension() {
    const name = this.identifier()
    if (name !== OVERWORLD && name !== NETHER) throw this.error('argument.dimension.invalid', name)
    return name
  }

  /** Refuse any remaining text, then missing targets: as in vanilla, syntax errors take precedence. */
  end() {
    if (this.done) return this.refuse()
    this.word()
    throw this.error('command.unknown.argument')
  }

  /** Refuse missing targets. */
  refuse() {
    if (this.lacking) throw this.lacking
  }

  /** Remember that a selector has found no target. @param {'player' | 'entity'} what */
  lack(what) {
    this.lacking ??= new CommandError(`argument.entity.notfound.${what}`)
  }

  unfinished() {
    const { text } = this
    return new CommandError('command.unknown.command').within(text, text.length)
  }

  /**
   * Create an error that points to the last word read.
   * @param {string} key @param {...(Component | string | number)} values
   */
  error(key, ...values) {
    return new CommandError(key, ...values).within(this.text, this.start)
  }

  /** @template {string} Choice @param {readonly Choice[]} choices @returns {Choice} */
  oneOf(choices) {
    const word = /** @type {Choice} */ (this.word())
    if (!choices.includes(word)) throw this.error('command.unknown.argument')
    return word
  }

  boolean() {
    const word = this.word()
    if (word !== 'true' && word !== 'false') throw this.error('parsing.bool.invalid', word)
    return word === 'true'
  }

  /** @param {{min?: number, max?: number}} [bounds] */
  integer({ min = -2147483648, max = 2147483647 } = {}) {
    const word = this.word()
    if (!/^[-\d.]+/.test(word)) throw this.error('parsing.int.expected')
    if (!/^-?\d+$/.test(word)) throw this.error('parsing.int.invalid', word)
    const value = Number(word)
    if (value < min) throw this.error('argument.integer.low', min, value)
    if (value > max) throw this.error('argument.integer.big', max, value)
    return value
  }

  /** @param {{min?: number, max?: number}} [bounds] */
  float({ min = -Infinity, max = Infinity } = {}) {
    const word = this.word()
    if (!/^[-\d.]+/.test(word)) throw this.error('parsing.float.expected')
    if (!/^-?(\d+\.?\d*|\.\d+)$/.test(word)) throw this.error('parsing.float.invalid', word)
    const value = Number(word)
    if (value < min) throw this.error('argument.float.low', min, value)
    if (value > max) throw this.error('argument.float.big', max, value)
    return value
  }

  /** Read a time in ticks, such as 20, 1s or 0.5d. */
  ticks() {
    const word = this.word()
    const match = word.match(/^(-?\d+(?:\.\d+)?)([a-z]*)$/)
    if (!match) throw this.error('parsing.float.expected')
    const unit = UNITS[match[2]]
    if (!unit) throw this.error('argument.time.invalid_unit')
    const ticks = Math.round(Number(match[1]) * unit)
    if (ticks < 0) throw this.error('argument.time.tick_count_too_low', 0, ticks)
    if (ticks > MOST_TICKS) throw this.error('parsing.float.invalid', word)
    return ticks
  }

  /** Read a block position, relative coordinates included. */
  blockPosition() {
    const found = this.vector(this.origin().floored(), 0, true).floored()
    if (mayHoldBlocks(found)) return found
    throw new CommandError('argument.pos.outofworld')
  }

  /** Read x and z of a block, in its dimension. @returns {[x: number, z: number]} */
  columnPosition() {
    const { at } = this
    const { x, z } = this.origin().floored()
    const first = this.coordinate(x, 0, shiftAt(x), true)
    if (this.done) throw this.cutOff(at, 2)
    return [Math.floor(first), Math.floor(this.coordinate(z, 0, 0, true))]
  }

  /** Read an entity's position. Whole numbers for x and z mean the middle of the block. */
  position() {
    return this.vector(this.origin(), 0.5)
  }

  /**
   * @param {Vec3} origin @param {number} centre added to whole x and z
   * @param {boolean} [isWhole] accept whole numbers only
   */
  vector(origin, centre, isWhole = false) {
    if (this.peek().startsWith('^')) return localVector(this)
    const { at } = this
    const next = (/** @type {number} */ from, /** @type {number} */ middle, shift = 0) => {
      if (this.done && this.at > at) throw this.cutOff(at, 3)
      return this.coordinate(from, middle, shift, isWhole)
    }
    const x = next(origin.x, centre, shiftAt(origin.x))
    const found = new Vec3(x, next(origin.y, 0), next(origin.z, centre))
    if (isInDimension(found, origin)) return found
    throw new CommandError('argument.pos.outofworld')
  }

  /**
   * Create the error for missing coordinates.
   * @param {number} at start of the position @param {2 | 3} count of coordinates
   */
  cutOff(at, count) {
    const start = at + this.text.slice(at).search(/\S|$/)
    return new CommandError(`argument.pos${count}d.incomplete`).within(this.text, start)
  }

  /** Return the position of the command's source. @returns {Vec3} */
  origin() {
    return this.source.position ?? this.source.entity?.position ?? this.serv.worldSpawn.floored()
  }

  /** @returns {Rotation} */
  rotation() {
    return this.source.rotation ?? this.source.entity ?? { yaw: 0, pitch: 0 }
  }

  /** Return the position of the source's eyes. */
  eyes() {
    return this.origin().offset(0, this.source.entity?.type === 'player' ? EYES : 0, 0)
  }

  /**
   * @param {number} origin @param {number} [centre] @param {number} [shift]
   * @param {boolean} [isWhole] accept whole numbers only
   */
  coordinate(origin, centre = 0, shift = 0, isWhole = false) {
    const word = this.word()
    const match = word.match(/^(~)?(-?\d*\.?\d+)?$/)
    if (word.startsWith('^')) throw this.error('argument.pos.mixed')
    if (!match || word === '') throw this.error('argument.pos.missing.double')
    const value = Number(match[2] ?? 0)
    if (isWhole && !match[1] && word.includes('.')) throw this.error('parsing.int.invalid', word)
    if (match[1]) return origin + value
    return shift + (word.includes('.') ? value : value + centre)
  }

  /** Read an angle in degrees, possibly relative. @returns {number} from -180 to 180 */
  angle() {
    const word = this.word()
    const match = word.match(/^(~)?(-?(?:\d+\.?\d*|\.\d+))?$/)
    if (!match || word === '') throw this.error('argument.angle.incomplete')
    const turn = Number(match[2] ?? 0)
    return wrapDegrees(match[1] ? this.rotation().yaw + turn : turn)
  }

  /**
   * Read something as if the command were run at another position.
   * @template Read @param {Vec3} position @param {() => Read} read @returns {Read}
   */
  from(position, read) {
    const { source } = this
    this.source = { ...source, position }
    try {
      return read()
    } finally {
      this.source = source
    }
  }

  /** Return a reader of another text with the same source. @param {string} text */
  over(text) {
    return new Reader(this.serv, text, 0, this.source)
  }

  /** Read yaw and pitch, possibly relative. @returns {[yaw: number, pitch: number]} in degrees */
  angles() {
    const { at } = this
    const { yaw, pitch } = this.rotation()
    const turn = this.coordinate(yaw)
    if (this.done) throw this.cutOff(at, 2)
    return [turn, this.coordinate(pitch)]
  }

  /** From `name[property=value]{data}`. */
  block() {
    return readBlock(this)
  }

  /** Read a block or a block tag, and return a test for it. */
  blockTest() {
    return readBlockTest(this)
  }

  /** @returns {ItemKind} minecraft-data's item */
  item() {
    return readItem(this)
  }

  /** Read a compound of NBT, such as {Count: 3b}. @returns {Tag} */
  tag() {
    return this.tagIn(this.word(), this.start)
  }

  /** Read NBT of any kind. @returns {Tag} */
  anyTag() {
    return this.tagIn(this.word(), this.start, parseTag)
  }

  /**
   * @param {string} word @param {number} start of it in the command
   * @param {(text: string) => Tag} [parse] @returns {Tag}
   */
  tagIn(word, start, parse = parseSnbt) {
    try {
      return parse(word)
    } catch (error) {
      if (!(error instanceof SnbtError)) throw error
      throw new CommandError(error.key, ...error.values).within(this.text, start + error.at)
    }
  }

  /**
   * Read an item such as `diamond_sword{Damage: 3}`, `#minecraft:planks` or `*`, and return a test
   * for it.
   * @returns {(item: Item) => boolean}
   */
  items() {
    return readItems(this)
  }

  /** Read an item such as `diamond_sword{Damage: 3}`, as a stack of one. @returns {Item} */
  stack() {
    return readStack(this)
  }

  /**
   * @param {{mayBeOthers?: boolean}} [options] true if vanilla's command also accepts other entities
   * @returns {Player[]} at least one player once `end` has passed
   */
  players({ mayBeOthers = false } = {}) {
    const word = this.word()
    const { found: all, isOfPlayers } = this.selected(word)
    if (!isOfPlayers && !mayBeOthers) throw this.error('argument.player.entities')
    const found = all.filter((entity) => entity.type === 'player')
    if (!found.length) this.lack(isOfPlayers ? 'player' : 'entity')
    return found
  }

  /**
   * Read players; return the source if none are named.
   * @param {{mayBeOthers?: boolean}} [options] as for `players` @returns {Player[]}
   */
  playersOrSelf(options) {
    const { entity } = this.source
    if (!this.done) return this.players(options)
    if (entity?.type !== 'player') throw new CommandError('permissions.requires.player')
    return [entity]
  }

  /** Return the entity that runs the command. @returns {Entity} */
  self() {
    const { entity } = this.source
    if (!entity) throw new CommandError('permissions.requires.entity')
    return entity
  }

  /** @returns {Entity[]} at least one entity once `end` has passed */
  entities() {
    const found = this.select(this.word())
    if (!found.length) this.lack('entity')
    return found
  }

  /** @returns {Entity} exactly one */
  entity() {
    const { found, isOne } = this.selected(this.word())
    if (!isOne || found.length > 1) throw this.error('argument.entity.toomany')
    const [entity] = found
    if (!entity) throw new CommandError('argument.entity.notfound.entity')
    return entity
  }

  /** @param {string} word a name, a uuid or a selector @returns {Entity[]} */
  select(word) {
    return this.selected(word).found
  }

  /** @param {string} word a name, a uuid or a selector @returns {ReturnType<typeof select>} */
  selected(word) {
    const { serv, source } = this
    if (!isSelector(word)) {
      const named = serv.players.filter((p) => p.username.toLowerCase() === word.toLowerCase())
      const others = Object.values(serv.entities).filter((e) => e.uuid === word)
      return { found: named.length ? named : others, isOne: true, isOfPlayers: true }
    }
    try {
      const from = { serv, self: source.entity ?? null, origin: this.origin(), random: serv.random }
      return select(word, from)
    } catch (error) {
      if (error instanceof CommandError) throw error.within(this.text, this.start)
      throw error
    }
  }

  /** Read a JSON object that contains only a text's style. @returns {Component} */
  style() {
    const word = this.word()
    try {
      const style = JSON.parse(word)
      if (typeof style === 'object' && style && !Array.isArray(style)) return style
    } catch {
      // The check below refuses it.
    }
    throw this.error('argument.style.invalid', word)
  }

  /** Read a JSON text, with selectors and scores resolved. @returns {Component} */
  component() {
    return readComponent(this)
  }
}

// Positions such as `^left ^up ^forward`: relative to the source's feet, in the direction of its
// look.

/** @param {Reader} args @returns {Vec3} */
function localVector(args) {
  const [left, up, forward] = [0, 1, 2].map(() => {
    const match = args.word().match(/^\^(-?\d*\.?\d*)$/)
    if (!match) throw args.error('argument.pos.mixed')
    return Number(match[1] || 0)
  })
  const { yaw, pitch } = args.rotation()
  const turn = ((yaw + 90) * Math.PI) / 180
  const along = (/** @type {number} */ degrees) => {
    const tilt = (degrees * Math.PI) / 180
    return new Vec3(
      Math.cos(turn) * Math.cos(tilt),
      Math.sin(tilt),
      Math.sin(turn) * Math.cos(tilt)
    )
  }
  const ahead = along(-pitch)
  const above = along(90 - pitch)
  const aside = above.cross(ahead)
  return args.origin().plus(aside.scaled(left)).plus(above.scaled(up)).plus(ahead.scaled(forward))
}
