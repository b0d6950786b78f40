import { goals } from '../pathfinder.js'
import { sweep } from './drops.js'
import { readName } from './names.js'
import { pause, untilStopped } from './until.js'

/** @import { Bot } from '../types.d.ts' */

const SEARCH_RADIUS = 48
const REACH_BLOCKS = 3
/** Recharge time: a sword is at full strength after 0.6 s, an axe after at most 1.25 s. */
const SWING_MS = { axe: 1300, other: 650 }
const DROPS_MS = 500
const WEAPONS = ['sword', 'axe'].flatMap((kind) =>
  ['netherite', 'diamond', 'iron', 'stone', 'golden', 'wooden'].map((tier) => `${tier}_${kind}`)
)

/**
 * killMob(bot, mobName, timeout = 300): hunt and kill the nearest mob with this name, and collect
 * its drops.
 * @param {import('./index.js').Context} context @param {string} mobName
 * @param {number} [timeout] seconds
 */
export async function killMob(context, mobName, timeout = 300) {
  const { bot, signal } = context
  readName('mob', bot.registry.entitiesByName, mobName)
  if (!(timeout > 0)) throw new Error('killMob needs a timeout in seconds')
  const mob = nearestMob(bot, mobName)
  if (!mob) throw new Error(noneFound(bot, mobName))
  await takeWeapon(context)
  const until = Date.now() + timeout * 1000
  let last = mob.position.floored()
  bot.pathfinder.setGoal(new goals.GoalFollow(mob, REACH_BLOCKS - 1), true)
  try {
    while (bot.entities[mob.id]?.isValid) {
      if (Date.now() > until) throw new Error(`${mobName} still lives after ${timeout} s`)
      last = mob.position.floored()
      if (mob.position.distanceTo(bot.entity.position) <= REACH_BLOCKS) {
        await untilStopped(signal, bot.lookAt(mob.position.offset(0, mob.height / 2, 0), true))
        bot.attack(mob)
      }
      const isAxe = bot.heldItem?.name.endsWith('_axe')
      await pause(signal, isAxe ? SWING_MS.axe : SWING_MS.other)
    }
  } finally {
    bot.pathfinder.setGoal(null)
  }
  await pause(signal, DROPS_MS)
  await sweep(context, [last])
}

/** @param {Bot} bot @param {string} name */
function nearestMob(bot, name) {
  const mob = bot.nearestEntity((entity) => entity.name === name)
  return mob && mob.position.distanceTo(bot.entity.position) <= SEARCH_RADIUS ? mob : null
}

/** @param {Bot} bot @param {string} name */
function noneFound(bot, name) {
  const others = Object.values(bot.entities).filter(({ type }) => String(type) === 'animal')
  const seen = [...new Set(others.map((entity) => entity.name))].join(', ')
  return `no ${name} within ${SEARCH_RADIUS} blocks; seen: ${seen || 'no animals'}`
}

/** @param {import('./index.js').Context} context */
async function takeWeapon({ bot, signal }) {
  const items = bot.inventory.items()
  const best = WEAPONS.map((name) => items.find((i) => i.name === name)).find(Boolean)
  if (best) await untilStopped(signal, bot.equip(best, 'hand'))
}
