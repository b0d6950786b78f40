import { createRequire } from 'node:module'
import { FACES } from '../faces.js'
import { goals } from '../pathfinder.js'
import { USED } from '../used-blocks.js'
import { readPosition } from './arguments.js'
import { readName } from './names.js'
import { untilStopped } from './until.js'
import { at, walk } from './walk.js'

/** @import { Block, Bot, Vec3 } from '../types.d.ts' */

const require = createRequire(import.meta.url)
const vec3 = require('vec3')

const REACH_BLOCKS = 3
const TO_NEIGHBOURS = FACES.map(([x, y, z]) => new vec3.Vec3(x, y, z))
/** Blocks that a placed block replaces, as in vanilla. */
const GIVES_WAY =
  /^(air|cave_air|void_air|water|lava|short_grass|grass|tall_grass|fern|large_fern|dead_bush|seagrass|tall_seagrass|vine|fire|soul_fire|snow|glow_lichen|hanging_roots|light)$/
/** Plants that the bot picks first. */
const PICKED =
  /^(dandelion|poppy|blue_orchid|allium|azure_bluet|\w+_tulip|oxeye_daisy|cornflower|lily_of_the_valley|sunflower|lilac|rose_bush|peony|wither_rose|torchflower|pink_petals|brown_mushroom|red_mushroom|sweet_berry_bush)$/
const HALF_WIDTH = 0.3
const BODY_HEIGHT = 1.8
const TOUCH = 1e-3
const STEPS = 20

/**
 * placeItem(bot, name, position): place a block from the inventory. The block replaces grass; the
 * bot picks flowers first and steps aside if it stands in the way.
 * @param {import('./index.js').Context} context @param {string} name item name
 * @param {unknown} position
 */
export async function placeItem(context, name, position) {
  const { bot, signal } = context
  const place = readPosition('placeItem', position).floored()
  const kind = readName('item', bot.registry.itemsByName, name)
  if (!bot.inventory.findInventoryItem(kind.id, null, false)) {
    throw new Error(`you have no ${name} to place`)
  }
  const taken = bot.blockAt(place)
  if (taken && !GIVES_WAY.test(taken.name) && !PICKED.test(taken.name)) {
    throw new Error(`${taken.name} is already at ${at(place)}`)
  }
  refuseBodies(bot, name, place)
  support(bot, name, place)
  await approach(context, kind.id, place)
  if (taken && PICKED.test(taken.name)) await untilStopped(signal, bot.dig(taken))
  await stepAside(context, place)
  await put(context, name, kind.id, place, support(bot, name, place))
}

/**
 * Walk to a position from which the block can be placed, without building with the same item on the
 * way.
 * @param {import('./index.js').Context} context @param {number} id @param {Vec3} place
 */
async function approach(context, id, place) {
  const { bot } = context
  const { movements } = bot.pathfinder
  const { scafoldingBlocks } = movements
  movements.scafoldingBlocks = scafoldingBlocks.filter((item) => item !== id)
  const placing = /** @type {any} */ ({ range: REACH_BLOCKS })
  try {
    await walk(context, new goals.GoalPlaceBlock(place, bot.world, placing), place)
  } finally {
    movements.scafoldingBlocks = scafoldingBlocks
  }
}

/**
 * @param {import('./index.js').Context} context @param {string} name @param {number} id
 * @param {Vec3} place @param {Block} against
 */
async function put({ bot, signal }, name, id, place, against) {
  const item = bot.inventory.findInventoryItem(id, null, false)
  if (!item) throw new Error(`you have no ${name} to place`)
  await untilStopped(signal, bot.equip(item, 'hand'))
  const isUsed = USED.test(against.name)
  if (isUsed) bot.setControlState('sneak', true)
  try {
    await untilStopped(signal, bot.placeBlock(against, place.minus(against.position)))
  } catch (error) {
    refuseBodies(bot, name, place)
    throw error
  } finally {
    if (isUsed) bot.setControlState('sneak', false)
  }
}

/**
 * Return a block to place the new block against, preferably one that a click neither opens nor
 * switches.
 * @param {Bot} bot @param {string} name @param {Vec3} place
 */
function support(bot, name, place) {
  const solid = TO_NEIGHBOURS.map((face) => bot.blockAt(place.plus(face))).filter(
    (block) => block?.boundingBox === 'block'
  )
  const found = solid.find((block) => block && !USED.test(block.name)) ?? solid[0]
  if (!found) throw new Error(`nothing at ${at(place)} to place ${name} against`)
  return found
}

/**
 * Walk until the body is out of a cell, without falling over an edge.
 * @param {import('./index.js').Context} context @param {Vec3} place
 */
async function stepAside({ bot, signal }, place) {
  try {
    for (let step = 0; step < STEPS && stands(bot.entity, place); step++) {
      const away = bot.entity.position.minus(place.offset(0.5, 0, 0.5))
      await untilStopped(signal, bot.look(Math.atan2(-away.x, -away.z), 0, true))
      bot.setControlState('sneak', true)
      bot.setControlState('forward', true)
      await untilStopped(signal, bot.waitForTicks(1))
    }
  } finally {
    bot.setControlState('forward', false)
    bot.setControlState('sneak', false)
  }
  if (stands(bot.entity, place)) throw new Error(`you yourself stand at ${at(place)}`)
}

/**
 * Throw an error that names a body in the way.
 * @param {Bot} bot @param {string} name @param {Vec3} place
 */
function refuseBodies(bot, name, place) {
  const body = Object.values(bot.entities).find(
    (entity) =>
      entity !== bot.entity &&
      ['player', 'mob', 'animal', 'passive', 'hostile'].includes(entity.type) &&
      stands(entity, place)
  )
  if (!body) return
  const who = body.username ?? body.name
  throw new Error(`${who} stands at ${at(place)}, where ${name} was to be placed`)
}

/** Return true if a body is in a cell. @param {{position: Vec3}} body @param {Vec3} place */
function stands({ position }, place) {
  const { x, y, z } = position.minus(place)
  return (
    Math.abs(x - 0.5) < 0.5 + HALF_WIDTH - TOUCH &&
    Math.abs(z - 0.5) < 0.5 + HALF_WIDTH - TOUCH &&
    y < 1 - TOUCH &&
    y + BODY_HEIGHT > TOUCH
  )
}
