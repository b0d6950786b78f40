import { goals } from '../pathfinder.js'
import { readPosition } from './arguments.js'
import { dropSeen, dropsAt, sweep } from './drops.js'
import { readName } from './names.js'
import { equipToolFor } from './tool.js'
import { untilStopped } from './until.js'
import { at, walk } from './walk.js'

const REACH_BLOCKS = 3

/**
 * givePlacedItemBack(bot, name, position): take placed blocks back into the inventory.
 *
 * Voyager's version uses operator commands; this one walks there, digs and collects.
 * @param {import('./index.js').Context} context
 * @param {string | string[]} name one name, or one per position
 * @param {unknown} position one position, or a list
 */
export async function givePlacedItemBack(context, name, position) {
  const names = Array.isArray(name) ? name : [name]
  const positions = Array.isArray(position) ? position : [position]
  if (names.length !== positions.length) {
    throw new Error('givePlacedItemBack needs as many positions as names')
  }
  for (const [index, each] of names.entries()) await takeBack(context, each, positions[index])
}

/** @param {import('./index.js').Context} context @param {string} name @param {unknown} position */
async function takeBack(context, name, position) {
  const { bot, signal } = context
  const place = readPosition('givePlacedItemBack', position).floored()
  const kind = readName('block', bot.registry.blocksByName, name)
  const block = bot.blockAt(place)
  if (block?.name !== kind.name) {
    throw new Error(
      `there is no ${kind.name} at ${at(place)} but ${block?.name ?? 'nothing loaded'}`
    )
  }
  await walk(context, new goals.GoalNear(place.x, place.y, place.z, REACH_BLOCKS), place)
  await equipToolFor(context, block)
  const drops = dropsAt(bot, place)
  await untilStopped(signal, bot.dig(block, true), () => bot.stopDigging())
  await dropSeen(context, { name: kind.name, position: place }, drops)
  await sweep(context, [place])
}
