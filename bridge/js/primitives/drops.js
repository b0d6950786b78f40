/** Collecting dropped items. */
import { goals } from '../pathfinder.js'
import { pause } from './until.js'
import { walk } from './walk.js'

/** @import { Block, Bot, Entity, Vec3 } from '../types.d.ts' */

/** How long to wait for a block that always drops something: a busy server breaks a block late. */
const SEEN_MS = 3_000
/** How long to wait for a block that may drop nothing; the next sweep collects later drops. */
const RARELY_SEEN_MS = 300
const SEEN_RADIUS = 1.5
const SWEEP_RADIUS = 3
/** Drops can be picked up half a second after they fall; a slow server needs longer. */
const PICKUP_MS = 1_250
/**
 * Ticks that the server must also have played by then, because a busy server plays them late: 20,
 * and 20 more because the server sends its time every 20 ticks.
 */
const PLAYED_TICKS = 40
/** Limit for a server that has stopped. */
const STOPPED_MS = 60_000

/** @param {Vec3} position */
const centre = (position) => position.offset(0.5, 0.5, 0.5)

/** @param {Bot} bot @param {Vec3[]} places @param {number} radius @returns {Entity[]} dropped items */
function dropsNear(bot, places, radius) {
  return Object.values(bot.entities)
    .filter((entity) => entity.name === 'item')
    .filter((entity) => places.some((p) => centre(p).distanceTo(entity.position) < radius))
}

/**
 * Return a function that says if the server has had enough time for something.
 * @param {Bot} bot @param {number} ms time that must have passed
 * @param {number} [ticks] ticks that the server must have played
 * @returns {() => boolean}
 */
function patience(bot, ms, ticks = PLAYED_TICKS) {
  const [began, age] = [Date.now(), bot.time.age]
  return () => {
    const passed = Date.now() - began
    return passed > STOPPED_MS || (passed > ms && bot.time.age - age >= ticks)
  }
}

/**
 * Return the drops around a place by number and count, for {@link dropSeen}.
 * @param {Bot} bot @param {Vec3} position @returns {Set<string>}
 */
export function dropsAt(bot, position) {
  const near = dropsNear(bot, [position], SEEN_RADIUS)
  return new Set(near.map((entity) => `${entity.id} ${entity.getDroppedItem()?.count}`))
}

/**
 * Wait until a drop appears: the server sends it a moment after the dig.
 * @param {import('./index.js').Context} context
 * @param {Pick<Block, 'name' | 'position'>} block the dug block
 * @param {Set<string>} before drops that were there before the dig
 */
export async function dropSeen({ bot, signal }, { name, position }, before) {
  const isOver = mayDropNothing(bot, name)
    ? patience(bot, RARELY_SEEN_MS, 0)
    : patience(bot, SEEN_MS)
  while (!isOver() && [...dropsAt(bot, position)].every((drop) => before.has(drop))) {
    await pause(signal, 25)
  }
}

/**
 * Return true if a block may drop nothing.
 * @param {Bot} bot @param {string} name @returns {boolean}
 */
export function mayDropNothing(bot, name) {
  const drops = bot.registry.blockLoot[name]?.drops ?? []
  return drops.every((drop) => drop.silkTouch || (drop.stackSizeRange?.[0] ?? 1) < 1)
}

/**
 * Walk over the drops near some positions; skip unreachable ones.
 * @param {import('./index.js').Context} context @param {Vec3[]} places
 */
export async function sweep(context, places) {
  const { bot, signal } = context
  /** @type {Set<number>} */
  const given = new Set()
  const near = () =>
    dropsNear(bot, places, SWEEP_RADIUS)
      .filter((entity) => !given.has(entity.id))
      .sort((a, b) => distance(a) - distance(b))
  const distance = (/** @type {Entity} */ entity) => entity.position.distanceTo(bot.entity.position)
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

/** @param {import('./index.js').Context} context @param {Entity} drop */
async function gone({ bot, signal }, drop) {
  const isOver = patience(bot, PICKUP_MS)
  while (bot.entities[drop.id] && !isOver()) await pause(signal, 50)
}
