/**
 * Voyager's manner, in which published skills were written: a primitive that cannot do what it is
 * asked says so in chat, the program goes on, and tables and furnaces are taken back after it.
 *
 * Source: MineDojo/Voyager, `voyager/control_primitives` and `voyager/env/mineflayer/index.js`.
 */
import { givePlacedItemBack } from './give-placed-item-back.js'

/** @import { Block, Bot, Vec3 } from '../types.d.ts' */

/** Voyager's own primitives; others fail as ever. */
const FORGIVEN = new Set(['checkItemInsideChest', 'craftItem', 'depositItemIntoChest'])
for (const name of ['getItemFromChest', 'killMob', 'mineBlock', 'placeItem', 'smeltItem']) {
  FORGIVEN.add(name)
}
/** A primitive that cannot do what it is asked more often than that in a program ends it. */
const MOST_FAILURES = 10
const STATIONS = new Set(['crafting_table', 'furnace'])
/** How far away a station may stand that is taken back, in blocks. */
const TAKEN_WITHIN = 32
/** How long that may take for each, in game time. */
const TAKING_MS = 20_000

/**
 * What a primitive's failures come to in one program.
 * @param {(line: string) => void} say says a line in chat, and prints it
 * @returns {(name: string, error: unknown) => void} returns where the program goes on, or throws
 */
export function forgiving(say) {
  /** @type {Map<string, number>} */
  const failures = new Map()
  return (name, error) => {
    if (!FORGIVEN.has(name) || error instanceof TypeError) throw error
    const count = (failures.get(name) ?? 0) + 1
    failures.set(name, count)
    const message = /** @type {Error} */ (error).message.replace(/\s+/g, ' ') // it is one line
    if (count > MOST_FAILURES) throw new Error(`${name} failed too many times: ${message}`)
    say(`[${name}] ${message}`)
  }
}

/**
 * Watches for the tables and furnaces that a bot places, by the server's account.
 * @param {Bot} bot @param {import('../own-placements.js').Placements} placements
 * @returns {{placed: Map<string, Block>, end: () => void}} the blocks, by their positions
 */
export function watchStations(bot, placements) {
  /** @type {Map<string, Block>} */
  const placed = new Map()
  const ended = placements.listen((block) => {
    if (STATIONS.has(block.name)) placed.set(String(block.position), block)
  })
  /** What stands there now is somebody else's, whatever it is. @type {(before: Block | null, now: Block) => void} */
  const forget = (_before, now) => {
    const key = String(now.position)
    if (placed.has(key) && placed.get(key)?.name !== now.name) placed.delete(key)
  }
  bot.on('blockUpdate', forget)
  const end = () => {
    ended()
    bot.off('blockUpdate', forget)
  }
  return { placed, end }
}

/**
 * Takes the tables and furnaces of a program back that still stand, are near, and whose pieces a
 * tool at hand leaves whole.
 * @param {import('./index.js').Context} context @param {Iterable<Block>} stations
 */
export async function takeBack(context, stations) {
  for (const { name, position } of stations) {
    if (context.signal.aborted) return
    if (!mayTake(context.bot, name, position)) continue
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), TAKING_MS)
    const signal = AbortSignal.any([context.signal, late.signal])
    await givePlacedItemBack({ ...context, signal }, name, position).catch(() => {})
    clearTimeout(timer)
  }
}

/** @param {Bot} bot @param {string} name @param {Vec3} position */
function mayTake(bot, name, position) {
  const block = bot.blockAt(position)
  if (block?.name !== name || position.distanceTo(bot.entity.position) > TAKEN_WITHIN) return false
  const tools = bot.inventory.items().map((item) => item.type)
  return [null, ...tools].some((tool) => block.canHarvest(tool))
}
