/**
 * `execute`: run a command as other entities, at other positions or under conditions, and store its
 * result.
 */
import { Vec3 } from '../../minecraft/index.js'
import { across, dimensionAt, isNether, NETHER_LAYERS } from '../../world/dimensions.js'
import { CommandError, said } from '../replies.js'
import { Reader } from '../arguments/reader.js'
import { holderOf, isWithin, rangeOf } from '../arguments/selectors.js'
import { objectiveOf, writableOf } from '../scores/objectives.js'
import { barNamed } from '../scores/bossbar.js'
import { nameOfEntity } from '../../minecraft/texts.js'
import { TARGETS, readPath, readTarget } from '../arguments/targets.js'
import { towards } from '../entities/tp.js'
import { blockAt, isSolid, propertiesOf, stateAt } from '../../blocks/blocks.js'

/** @import { Context, Source } from '../index.js' */
/** @import { Reply } from '../replies.js' */
/** @import { Entity, Server } from '../../types/index.d.ts' */

/** @typedef {(isSuccess: boolean, result: number) => void} Keep */
/** @typedef {{sources: Source[], isForked?: boolean, keep?: Keep}} Step result of a subcommand for one source */

/** Vanilla's game rule `maxCommandForkCount`. */
const MOST_CONTEXTS = 65_536

/** @type {import('../index.js').Command} */
export const command = {
  names: ['execute'],
  branches: [
    'align',
    'anchored',
    'as',
    'at',
    'facing',
    'if',
    'in',
    'positioned',
    'rotated',
    'run',
    'store',
    'unless'
  ],
  run: (context) => new Chain(context).answer()
}

const COMPARISONS = /** @type {Record<string, (a: number, b: number) => boolean>} */ ({
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b
})

/** @type {Record<string, (args: Reader, source: Source) => Step>} */
const MODIFIERS = {
  align: (args, source) => {
    const axes = args.word()
    if (!/^(?!.*(.).*\1)[xyz]+$/.test(axes)) throw args.error('arguments.swizzle.invalid')
    const position = args.origin().clone()
    for (const axis of /** @type {('x' | 'y' | 'z')[]} */ ([...axes])) {
      position[axis] = Math.floor(position[axis])
    }
    return { sources: [{ ...source, position }] }
  },
  anchored: (args, source) => {
    const isEyes = args.oneOf(['eyes', 'feet']) === 'eyes'
    return { sources: [{ ...source, position: isEyes ? args.eyes() : args.origin() }] }
  },
  as: (args, source) => ({
    sources: targets(args).map((entity) => ({ ...source, entity, title: nameOfEntity(entity) })),
    isForked: true
  }),
  at: (args, source) => ({
    sources: targets(args).map((entity) => ({
      ...source,
      position: entity.position.clone(),
      rotation: { yaw: entity.yaw, pitch: entity.pitch }
    })),
    isForked: true
  }),
  facing: (args, source) => {
    if (args.peek() !== 'entity') return { sources: [facing(args, source, args.position())] }
    args.word()
    const found = targets(args)
    args.oneOf(['eyes', 'feet'])
    return { sources: found.map(({ position }) => facing(args, source, position)), isForked: true }
  },
  in: (args, source) => {
    const name = args.dimension()
    return { sources: [{ ...source, position: across(args.origin(), name) }] }
  },
  positioned: (args, source) => {
    const how = args.peek()
    if (how === 'over') {
      args.word()
      const [x, z, kind] = [args.origin().x, args.origin().z, args.oneOf(HEIGHTMAPS)]
      return { sources: [{ ...source, position: new Vec3(x, topOf(args.serv, x, z, kind), z) }] }
    }
    if (how !== 'as') return { sources: [{ ...source, position: args.position() }] }
    args.word()
    const found = targets(args)
    return {
      sources: found.map(({ position }) => ({ ...source, position: position.clone() })),
      isForked: true
    }
  },
  rotated: (args, source) => {
    if (args.peek() !== 'as') {
      const [yaw, pitch] = args.angles()
      return { sources: [{ ...source, rotation: { yaw, pitch } }] }
    }
    args.word()
    const found = targets(args)
    return {
      sources: found.map(({ yaw, pitch }) => ({ ...source, rotation: { yaw, pitch } })),
      isForked: true
    }
  },
  store: (args, source) => ({ sources: [source], keep: readStore(args) })
}

/** @param {Reader} args @returns {Entity[]} possibly none */
const targets = (args) => args.select(args.word())

/** @param {Reader} args @param {Source} source @param {Vec3} at @returns {Source} */
function facing(args, source, at) {
  const [yaw, pitch] = towards(args.origin(), at)
  return { ...source, rotation: { yaw, pitch } }
}

/** @param {Reader} args @returns {Keep} */
function readStore(args) {
  const { serv } = args
  const isResult = args.oneOf(['result', 'success']) === 'result'
  const valueOf = (/** @type {boolean} */ isSuccess, /** @type {number} */ result) =>
    isResult ? (isSuccess ? result : 0) : Number(isSuccess)
  const where = args.peek()
  if (TARGETS.some((kind) => kind === where)) {
    const store = readDataStore(args)
    return (...outcome) => store(valueOf(...outcome))
  }
  if (args.oneOf(['score', 'bossbar']) === 'bossbar') {
    const bar = barNamed(serv, args)
    const field = args.oneOf(['value', 'max'])
    return (...outcome) => serv.changeBossbar(bar, { [field]: valueOf(...outcome) })
  }
  const word = args.word()
  const holders = word.startsWith('@') ? args.select(word).map(holderOf) : [word]
  const { name } = writableOf(serv, args.word())
  return (...outcome) => {
    for (const holder of holders) serv.setScore(name, holder, valueOf(...outcome))
  }
}

/**
 * Read a numeric part of a block, an entity or storage.
 * @param {Reader} args @returns {(value: number) => void}
 */
function readDataStore(args) {
  const target = readTarget(args)
  const path = readPath(args)
  const type = args.oneOf(
    /** @type {const} */ (['byte', 'short', 'int', 'long', 'float', 'double'])
  )
  const scale = args.float()
  return (value) => {
    const now = target.read()
    try {
      if (path.set(now, { type, value: numberFor(type, value * scale) })) target.write(now)
    } catch (error) {
      // vanilla ignores targets that cannot store a number
      if (!(error instanceof CommandError)) throw error
    }
  }
}

/**
 * @param {string} type @param {number} value
 * @returns {number | number[]} the value converted to this NBT type
 */
function numberFor(type, value) {
  if (type === 'double') return value
  if (type === 'float') return Math.fround(value)
  const whole = BigInt(Math.trunc(value))
  if (type === 'long') {
    return [Number(BigInt.asIntN(32, whole >> 32n)), Number(BigInt.asIntN(32, whole))]
  }
  return Number(BigInt.asIntN({ byte: 8, short: 16 }[type] ?? 32, whole))
}

/** One `execute` command, from its first word to its last. */
class Chain {
  /** @param {Context} context */
  constructor(context) {
    this.context = context
    /** @type {(Reply[] | Promise<Reply[]>)[]} */
    this.answers = []
    this.isForked = false
    this.contexts = context.source.contexts ?? { count: 0 }
  }

  answer() {
    const { args, source } = this.context
    if (args.done) throw args.unfinished()
    this.follow(args.at, { ...source, contexts: this.contexts }, [])
    const { answers } = this
    if (answers.some((answer) => answer instanceof Promise)) {
      return Promise.all(answers).then((all) => all.flat())
    }
    return /** @type {Reply[][]} */ (answers).flat()
  }

  /**
   * @param {number} at start of the next part @param {Source} source @param {Keep[]} keeps
   * @returns {void}
   */
  follow(at, source, keeps) {
    const { serv, args: whole } = this.context
    const args = new Reader(serv, whole.text, at, source)
    const word = args.word()
    if (word === 'run') return this.run(args, source, keeps)
    if (word === 'if' || word === 'unless') return this.test(args, source, keeps, word === 'if')
    const modifier = MODIFIERS[word]
    if (!modifier) throw args.error('command.unknown.argument')
    const { sources, isForked, keep } = modifier(args, source)
    if (isForked) this.isForked = true
    if (args.done) throw args.unfinished()
    this.count(sources.length)
    for (const next of sources) this.follow(args.at, next, keep ? [...keeps, keep] : keeps)
  }

  /**
   * Count the contexts of a whole command, including commands that it runs.
   * @param {number} more
   */
  count(more) {
    this.contexts.count += more
    if (this.contexts.count > MOST_CONTEXTS) {
      throw new CommandError('command.forkLimit', MOST_CONTEXTS)
    }
  }

  /** @param {Reader} args @param {Source} source @param {Keep[]} keeps */
  run(args, source, keeps) {
    const keepAll = (/** @type {boolean} */ isSuccess, /** @type {number} */ result) => {
      for (const keep of keeps) keep(isSuccess, result)
    }
    try {
      const answer = this.context.run(args.text, args.at, source)
      if (!(answer instanceof Promise)) keepAll(true, answer.at(-1)?.result ?? 1)
      this.answers.push(answer)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      keepAll(false, 0)
      if (!this.isForked || this.contexts.count > MOST_CONTEXTS) throw error
    }
  }

  /** @param {Reader} args @param {Source} source @param {Keep[]} keeps @param {boolean} wanted */
  test(args, source, keeps, wanted) {
    const { count, isCounted } = countOf(args)
    const passes = count > 0 === wanted
    if (!args.done) return passes ? this.follow(args.at, source, keeps) : undefined
    for (const keep of keeps) keep(passes, count || 1)
    if (!passes && isCounted && !wanted)
      throw new CommandError('commands.execute.conditional.fail_count', count)
    if (!passes) throw new CommandError('commands.execute.conditional.fail')
    this.answers.push([
      isCounted && wanted
        ? said('commands.execute.conditional.pass_count', count).worth(count)
        : said('commands.execute.conditional.pass')
    ])
  }
}

/**
 * Return how many things meet a condition, and whether the reply should include this number.
 * @param {Reader} args
 */
function countOf(args) {
  const what = args.oneOf(['block', 'data', 'entity', 'score', 'loaded', 'dimension'])
  if (what === 'data') {
    const target = readTarget(args)
    return { count: readPath(args).count(target.look()), isCounted: true }
  }
  if (what === 'entity') return { count: targets(args).length, isCounted: true }
  return { count: holds(args, what), isCounted: false }
}

/** @param {Reader} args @param {string} what @returns {number} 1 if the condition holds, else 0 */
function holds(args, what) {
  const { serv } = args
  if (what === 'dimension') return Number(args.identifier() === dimensionAt(args.origin()))
  if (what === 'score') return Number(compareScores(serv, args))
  const position = args.blockPosition()
  if (what === 'loaded') {
    return Number(serv.overworld.getLoadedColumn(position.x >> 4, position.z >> 4) !== undefined)
  }
  const isIt = args.blockTest()
  serv.loadBox(position, position)
  return Number(isIt(position))
}

/** @param {Server} serv @param {Reader} args */
function compareScores(serv, args) {
  const read = () => {
    const word = args.word()
    const holder = word.startsWith('@') ? holderOf(args.select(word)[0]) : word
    return objectiveOf(serv, args.word()).scores.get(holder)
  }
  const score = read()
  const sign = args.word()
  if (sign === 'matches')
    return score !== undefined && isWithin(score, rangeOf(args.word(), -Infinity))
  const compare = COMPARISONS[sign]
  if (!compare) throw args.error('arguments.operation.invalid')
  const other = read()
  return score !== undefined && other !== undefined && compare(score, other)
}

// Heightmaps, as vanilla defines them.

const HEIGHTMAPS = /** @type {const} */ ([
  'world_surface',
  'motion_blocking',
  'motion_blocking_no_leaves',
  'ocean_floor'
])
/** Vertical range of the overworld. */
const LAYERS = { bottom: -64, height: 384 }
const AIR = /^(air|cave_air|void_air)$/
const WET = /^(water|lava)$/

/** @type {Record<typeof HEIGHTMAPS[number], (serv: Server, at: Vec3) => boolean>} */
const COUNTS = {
  world_surface: (serv, at) => !AIR.test(blockAt(serv, at).name),
  ocean_floor: (serv, at) => isSolid(serv, at),
  motion_blocking: (serv, at) => stops(serv, at),
  motion_blocking_no_leaves: (serv, at) =>
    stops(serv, at) && !blockAt(serv, at).name.endsWith('_leaves')
}

/** Return true if a block stops bodies or fluids. @param {Server} serv @param {Vec3} at */
function stops(serv, at) {
  if (isSolid(serv, at) || WET.test(blockAt(serv, at).name)) return true
  return propertiesOf(stateAt(serv.overworld, at)).waterlogged === 'true'
}

/**
 * @param {Server} serv @param {number} x @param {number} z @param {typeof HEIGHTMAPS[number]} kind
 * @returns {number} height above the topmost block
 */
function topOf(serv, x, z, kind) {
  const { bottom, height } = isNether(x) ? NETHER_LAYERS : LAYERS
  const at = new Vec3(Math.floor(x), bottom + height - 1, Math.floor(z))
  serv.loadBox(at, at)
  while (at.y >= bottom && !COUNTS[kind](serv, at)) at.y -= 1
  return at.y + 1
}
