import { createRequire } from 'node:module'
import { isClaimed } from '../claims.js'
import { readCount } from './arguments.js'
import { equipToolFor } from './tool.js'
import { pause, untilStopped, within } from './until.js'
import { at, walk } from './walk.js'

const require = createRequire(import.meta.url)
const { goals } = require('mineflayer-pathfinder')
const { Vec3 } = require('vec3')

const SEARCH_RADIUS = 32
const MAX_CANDIDATES = 256
const REACH_BLOCKS = 3
const STAND_WITHIN = 2
const DIG_SLACK_MS = 3_000
const DROP_RADIUS = 3
const DROP_SEEN_RADIUS = 1.5
const DROP_MS = 1_000
/** Drops can be picked up half a second after they fell; a slow server needs more. */
const PICKUP_MS = 2_500
/** After this many blocks their drops are collected, so that they do not lie about. */
const SWEEP_EVERY = 4

const FACES = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1]
].map(([x, y, z]) => new Vec3(x, y, z))

/**
 * mineBlock(bot, name, count = 1): digs the nearest blocks of a kind and collects what they drop.
 * @param {import('./index.js').Context} context
 * @param {string} name block name
 * @param {number} [count]
 * @returns {Promise<number>} how many were dug; fewer than `count` when no more are near
 */
export async function mineBlock(context, name, count = 1) {
  const { bot } = context
  readCount('mineBlock', count)
  const kind = bot.registry.blocksByName[name]
  if (!kind) throw new Error(`there is no block named ${name}`)
  /** @type {any[]} */
  const dug = []
  /** @type {Set<string>} */
  const unreachable = new Set()
  while (dug.length < count) {
    const target = nearestExposed(bot, kind.id, unreachable)
    if (!target) break
    if (await digAt(context, target)) dug.push(target.position)
    else unreachable.add(String(target.position))
    if (dug.length && dug.length % SWEEP_EVERY === 0) await sweep(context, dug)
  }
  await sweep(context, dug)
  if (!dug.length) throw new Error(noneFound(name, unreachable.size))
  return dug.length
}

/** @param {string} name @param {number} unreachable */
function noneFound(name, unreachable) {
  const where = `within ${SEARCH_RADIUS} blocks`
  return unreachable
    ? `${unreachable} ${name} ${where} could not be reached or dug`
    : `no ${name} ${where} that is open to the air`
}

/** @param {any} bot @param {number} id @param {Set<string>} without */
function nearestExposed(bot, id, without) {
  const positions = bot.findBlocks({
    matching: id,
    maxDistance: SEARCH_RADIUS,
    count: MAX_CANDIDATES
  })
  const eye = eyeOf(bot)
  const open = positions.filter(
    (/** @type {any} */ p) => !without.has(String(p)) && isExposed(bot, p)
  )
  // A block that somebody else digs at counts as far away: two at one block is one drop for two.
  const cost = (/** @type {any} */ p) =>
    eye.distanceTo(centre(p)) + (isClaimed(bot, p) ? SEARCH_RADIUS : 0)
  open.sort((/** @type {any} */ a, /** @type {any} */ b) => cost(a) - cost(b))
  return open.length ? bot.blockAt(open[0]) : null
}

/** @param {any} bot */
const eyeOf = (bot) => bot.entity.position.offset(0, 1.62, 0)

/** Near enough that what the block drops is soon picked up. @param {any} bot @param {any} position */
function isNear(bot, position) {
  const { x, y, z } = centre(position).minus(bot.entity.position)
  return Math.hypot(x, z) <= STAND_WITHIN && Math.abs(y) <= REACH_BLOCKS
}

/** @param {any} position */
const centre = (position) => position.offset(0.5, 0.5, 0.5)

/** @param {any} bot @param {any} position */
function isExposed(bot, position) {
  return FACES.some((face) => bot.blockAt(position.plus(face))?.boundingBox !== 'block')
}

/**
 * @param {import('./index.js').Context} context
 * @param {any} block
 * @returns {Promise<boolean>} false where another agent was faster or there is no way
 */
async function digAt(context, block) {
  const { bot, signal } = context
  const { position, name } = block
  await equipToolFor(context, block)
  if (!isNear(bot, position)) {
    const goal = new goals.GoalNear(position.x, position.y, position.z, STAND_WITHIN)
    try {
      await walk(context, goal, position)
    } catch (error) {
      if (signal.aborted) throw error
      return false
    }
  }
  const there = bot.blockAt(position)
  if (there?.name !== name) return false
  try {
    await bot.lookAt(centre(position), true)
    const limit = bot.digTime(there) + DIG_SLACK_MS
    const digging = within(bot.dig(there, 'ignore'), limit, `digging ${name} at ${at(position)}`)
    const own = await untilStopped(signal, digging, () => bot.stopDigging())
    if (own) await dropSeen(context, position)
    return own
  } catch (error) {
    if (signal.aborted) throw error
    return false
  }
}

/** Waits until the block's drop shows up: the server sends it a moment after the dig. @param {import('./index.js').Context} context @param {any} position */
async function dropSeen({ bot, signal }, position) {
  const until = Date.now() + DROP_MS
  while (Date.now() < until && !dropsNear(bot, [position], DROP_SEEN_RADIUS).length) {
    await pause(signal, 25)
  }
}

/** @param {any} bot @param {any[]} places @param {number} radius @returns {any[]} item entities */
function dropsNear(bot, places, radius) {
  return Object.values(bot.entities)
    .filter((entity) => entity.name === 'item')
    .filter((entity) => places.some((p) => centre(p).distanceTo(entity.position) < radius))
}

/** Walks over the drops near the blocks that were dug. @param {import('./index.js').Context} context @param {any[]} dug */
async function sweep(context, dug) {
  const { bot, signal } = context
  /** @type {Set<number>} */
  const given = new Set()
  const near = () =>
    dropsNear(bot, dug, DROP_RADIUS)
      .filter((entity) => !given.has(entity.id))
      .sort((a, b) => distance(a) - distance(b))
  const distance = (/** @type {any} */ entity) => entity.position.distanceTo(bot.entity.position)
  for (let drop = near()[0]; drop; drop = near()[0]) {
    given.add(drop.id)
    for (const range of [1, 0]) {
      if (!bot.entities[drop.id]) break
      const { x, y, z } = drop.position.floored()
      await walk(context, new goals.GoalNear(x, y, z, range), drop.position).catch((error) => {
        if (signal.aborted) throw error
      })
      await gone(context, drop)
    }
  }
}

/** @param {import('./index.js').Context} context @param {any} drop */
async function gone({ bot, signal }, drop) {
  const until = Date.now() + PICKUP_MS / 2
  while (bot.entities[drop.id] && Date.now() < until) await pause(signal, 50)
}
