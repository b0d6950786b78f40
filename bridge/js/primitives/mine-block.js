import { createRequire } from 'node:module'
import { isReserved } from '../block-reservations.js'
import { FACES } from '../faces.js'
import { goals } from '../pathfinder.js'
import { readCount } from './arguments.js'
import { readName } from './names.js'
import { findNear } from './search.js'
import { equipToolFor } from './tool.js'
import { dropSeen, dropsAt, mayDropNothing, sweep } from './drops.js'
import { untilStopped, within } from './until.js'
import { at, walk } from './walk.js'

/** @import { Block, Bot } from '../types.d.ts' */

/**
 * A dug block, and the drops that lay around it before.
 * @typedef {{ block: Block, drops: Set<string> }} Dug
 */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')

const SEARCH_RADIUS = 32
/** Radius within which an error message names the nearest block. */
const HINT_RADIUS = 128
const MAX_CANDIDATES = 256
/** How many blocks of walking one block of digging costs. */
const DIG_COST = 3
const REACH_BLOCKS = 3
const DIG_REACH_BLOCKS = 3.5
const STAND_WITHIN = 2
const DIG_SLACK_MS = 3_000
/** Time limit without digging a block: each attempt on a nearby block may cost half a minute. */
const GIVE_UP_MS = 60_000
/** The bot collects drops after this many blocks, so that they do not stay behind. */
const SWEEP_EVERY = 4

const TO_NEIGHBOURS = FACES.map(([x, y, z]) => new Vec3(x, y, z))

/**
 * mineBlock(bot, name, count = 1): dig the nearest blocks of a kind and collect their drops.
 *
 * With free movement, the body digs its way to buried blocks; with careful movement, it takes only
 * blocks that are open to the air.
 * @param {import('./index.js').Context} context @param {string} name block name
 * @param {number} [count]
 * @returns {Promise<number>} number of dug blocks; fewer than `count` if no more are near
 */
export async function mineBlock(context, name, count = 1) {
  const { bot } = context
  readCount('mineBlock', count)
  const kind = readName('block', bot.registry.blocksByName, name)
  if (!kind.diggable || kind.name.endsWith('air')) throw new Error(`${name} cannot be dug`)
  /** @type {Dug[]} */
  const dug = []
  /** @type {Set<string>} */
  const unreachable = new Set()
  let giveUp = Date.now() + GIVE_UP_MS
  while (dug.length < count && Date.now() < giveUp) {
    const target = await nearest(context, kind, unreachable)
    if (!target) break
    const drops = await digAt(context, target)
    if (drops) {
      dug.push({ block: target, drops })
      giveUp = Date.now() + GIVE_UP_MS
    } else unreachable.add(String(target.position))
    if (dug.length && dug.length % SWEEP_EVERY === 0) await collect(context, dug)
  }
  await collect(context, dug)
  if (!dug.length) throw new Error(await noneFound(context, kind, unreachable.size))
  return dug.length
}

/** @param {import('./index.js').Context} context @param {Dug[]} dug */
async function collect(context, dug) {
  const last = dug.at(-1)
  // Do not wait after each block that may drop nothing.
  if (last && mayDropNothing(context.bot, last.block.name)) {
    await dropSeen(context, last.block, last.drops)
  }
  const places = dug.map(({ block }) => block.position)
  await sweep(context, places)
}

/**
 * @param {import('./index.js').Context} context @param {import('minecraft-data').Block} kind
 * @param {number} unreachable
 */
async function noneFound(context, kind, unreachable) {
  const { bot, digs } = context
  const where = `within ${SEARCH_RADIUS} blocks`
  if (unreachable) return `${unreachable} ${kind.name} ${where} could not be reached or dug`
  const open = digs ? '' : ' that is open to the air'
  const [farther] = await findNear(context, kind, HINT_RADIUS, 1)
  const away = farther && Math.round(farther.distanceTo(bot.entity.position))
  const hint = farther
    ? `nearest seen is at ${at(farther)}, ${away} blocks away`
    : 'none is in sight; explore'
  return `no ${kind.name} ${where}${open}; ${hint}`
}

/**
 * @param {import('./index.js').Context} context @param {import('minecraft-data').Block} kind
 * @param {Set<string>} without
 */
async function nearest(context, kind, without) {
  const { bot, digs } = context
  const positions = await findNear(context, kind, SEARCH_RADIUS, MAX_CANDIDATES)
  const eye = eyeOf(bot)
  const candidates = positions
    .filter((p) => !without.has(String(p)))
    .map((p) => ({ p, open: isExposed(bot, p) }))
    .filter((found) => digs || found.open)
  // A block that another player is digging counts as far away: two players who dig the same block
  // get only one drop.
  const cost = (/** @type {{p: Vec3, open: boolean}} */ { p, open }) =>
    eye.distanceTo(centre(p)) * (open ? 1 : DIG_COST) + (isReserved(bot, p) ? SEARCH_RADIUS : 0)
  candidates.sort((a, b) => cost(a) - cost(b))
  return candidates.length ? bot.blockAt(candidates[0].p) : null
}

/** @param {Bot} bot */
const eyeOf = (bot) => bot.entity.position.offset(0, 1.62, 0)

/**
 * Return true if the block's drop can be collected quickly from here.
 * @param {Bot} bot @param {Vec3} position
 */
function isNear(bot, position) {
  const { x, y, z } = centre(position).minus(bot.entity.position)
  return Math.hypot(x, z) <= STAND_WITHIN && Math.abs(y) <= REACH_BLOCKS
}

/** @param {Vec3} position */
const centre = (position) => position.offset(0.5, 0.5, 0.5)

/** @param {Bot} bot @param {Vec3} position */
function isExposed(bot, position) {
  return TO_NEIGHBOURS.some((face) => bot.blockAt(position.plus(face))?.boundingBox !== 'block')
}

/** @param {import('./index.js').Context} context @param {Vec3} position */
function goalAt({ bot, digs }, position) {
  if (digs) return new goals.GoalLookAtBlock(position, bot.world, { reach: DIG_REACH_BLOCKS })
  return new goals.GoalNear(position.x, position.y, position.z, STAND_WITHIN)
}

/**
 * @param {import('./index.js').Context} context @param {Block} block
 * @returns {Promise<Set<string> | null>} the drops that lay there before, or null if another player
 *   was faster or there is no path
 */
async function digAt(context, block) {
  const { bot, signal } = context
  const { position, name } = block
  await equipToolFor(context, block)
  if (!isNear(bot, position)) {
    try {
      await walk(context, goalAt(context, position), position)
    } catch (error) {
      if (signal.aborted) throw error
      return null
    }
  }
  const there = bot.blockAt(position)
  if (there?.name !== name) return null
  await equipToolFor(context, block) // the bot may have dug with another tool on its way
  try {
    await bot.lookAt(centre(position), true)
    const drops = dropsAt(bot, position)
    const limit = bot.digTime(there) + DIG_SLACK_MS
    const digging = within(bot.dig(there, 'ignore'), limit, `digging ${name} at ${at(position)}`)
    const own = await untilStopped(signal, digging, () => bot.stopDigging())
    if (own && !mayDropNothing(bot, name)) await dropSeen(context, there, drops)
    const isGone = bot.blockAt(position)?.name !== name // a server may restore a block
    return own && isGone ? drops : null
  } catch (error) {
    if (signal.aborted) throw error
    return null
  }
}
