import { createRequire } from 'node:module'
import { readPosition } from './arguments.js'
import { readName } from './names.js'
import { untilStopped } from './until.js'
import { at, walk } from './walk.js'

/** @import { Block } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const { goals } = require('mineflayer-pathfinder')
const { Vec3 } = require('vec3')

const REACH_BLOCKS = 3
const FACES = [
  [0, -1, 0],
  [0, 1, 0],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 0, 1],
  [0, 0, -1]
].map(([x, y, z]) => new Vec3(x, y, z))

/**
 * placeItem(bot, name, position): places a block from the inventory.
 * @param {import('./index.js').Context} context
 * @param {string} name item name
 * @param {unknown} position
 */
export async function placeItem(context, name, position) {
  const { bot, signal } = context
  const place = readPosition('placeItem', position).floored()
  const kind = readName('item', bot.registry.itemsByName, name)
  const item = bot.inventory.findInventoryItem(kind.id, null, false)
  if (!item) throw new Error(`you have no ${name} to place`)
  const taken = bot.blockAt(place)
  if (taken?.boundingBox === 'block') throw new Error(`${taken.name} is already at ${at(place)}`)
  const placing = /** @type {any} */ ({ range: REACH_BLOCKS })
  await walk(context, new goals.GoalPlaceBlock(place, bot.world, placing), place)
  const face = FACES.find((side) => bot.blockAt(place.plus(side))?.boundingBox === 'block')
  if (!face) throw new Error(`nothing at ${at(place)} to place ${name} against`)
  await untilStopped(signal, bot.equip(item, 'hand'))
  const against = /** @type {Block} */ (bot.blockAt(place.plus(face)))
  await untilStopped(signal, bot.placeBlock(against, face.scaled(-1)))
}
