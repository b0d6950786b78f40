import { goals } from '../pathfinder.js'
import { readCount } from './arguments.js'
import { readName } from './names.js'
import { pause, untilStopped, within } from './until.js'
import { walk } from './walk.js'

/** @import { Bot, Furnace } from '../types.d.ts' */

const FURNACE_RADIUS = 32
const REACH_BLOCKS = 2
const OPEN_MS = 5_000
const LOOK_MS = 500
/** A furnace that is idle for this long lacks fuel or cannot smelt its input. */
const IDLE_MS = 15_000

/**
 * smeltItem(bot, itemName, fuelName, count = 1): smelt at a furnace nearby and take the output.
 * @param {import('./index.js').Context} context @param {string} itemName @param {string} fuelName
 * @param {number} [count] @returns {Promise<number>} number of items taken out
 */
export async function smeltItem(context, itemName, fuelName, count = 1) {
  const { bot, signal, takesLess } = context
  readCount('smeltItem', count)
  const kinds = [itemName, fuelName].map((name) => readName('item', bot.registry.itemsByName, name))
  const [input, fuel] = kinds.map((kind) => held(bot, kind))
  const there = bot.inventory.count(input, null)
  if (there < count && !takesLess) {
    throw new Error(`you have ${there} ${itemName}, not ${count}`)
  }
  const wanted = Math.min(count, there)
  const block = bot.findBlock({
    matching: bot.registry.blocksByName.furnace.id,
    maxDistance: FURNACE_RADIUS
  })
  if (!block) throw new Error(`there is no furnace within ${FURNACE_RADIUS} blocks`)
  const { x, y, z } = block.position
  await walk(context, new goals.GoalNear(x, y, z, REACH_BLOCKS), block.position)
  const furnace = await untilStopped(
    signal,
    within(bot.openFurnace(block), OPEN_MS, 'opening the furnace')
  )
  try {
    await untilStopped(signal, furnace.putInput(input, null, wanted))
    return await smelt(context, furnace, { fuel, fuelName, count: wanted })
  } finally {
    furnace.close()
  }
}

/**
 * @param {Bot} bot @param {import('minecraft-data').Item} kind
 * @returns {number} its id, if the bot has any
 */
function held(bot, kind) {
  if (!bot.inventory.count(kind.id, null)) throw new Error(`you have no ${kind.name}`)
  return kind.id
}

/**
 * @param {import('./index.js').Context} context @param {Furnace} furnace
 * @param {{fuel: number, fuelName: string, count: number}} what
 */
async function smelt({ signal }, furnace, { fuel, fuelName, count }) {
  let taken = 0
  let lastChange = Date.now()
  let before = ''
  while (taken < count) {
    if (!furnace.fuelItem() && !(furnace.fuel > 0) && furnace.inputItem()) {
      const left = furnace.count(fuel, null)
      if (!left) throw new Error(`you have no more ${fuelName}; ${taken} of ${count} are done`)
      await untilStopped(signal, furnace.putFuel(fuel, null, 1))
    }
    await pause(signal, LOOK_MS)
    const output = furnace.outputItem()
    if (output && (output.count >= count - taken || !furnace.inputItem())) {
      taken += output.count
      await untilStopped(signal, furnace.takeOutput())
    }
    const now = `${taken} ${output?.count} ${furnace.progress}`
    if (now !== before) lastChange = Date.now()
    before = now
    if (Date.now() - lastChange > IDLE_MS) throw new Error('nothing happens in the furnace')
  }
  return taken
}
