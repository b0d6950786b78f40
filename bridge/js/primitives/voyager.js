/**
 * Voyager's error handling, for which published skills were written. When a primitive fails, the
 * bot reports it in chat and the program continues. Tables and furnaces are taken back after the
 * program.
 *
 * Source: MineDojo/Voyager, `voyager/control_primitives` and `voyager/env/mineflayer/index.js`.
 */
import { givePlacedItemBack } from './give-placed-item-back.js'

/** @import { Block, Bot, Vec3 } from '../types.d.ts' */

/** Voyager's own primitives; all others throw an error when they fail. */
const FORGIVEN = new Set(['checkItemInsideChest', 'craftItem', 'depositItemIntoChest'])
for (const name of ['getItemFromChest', 'killMob', 'mineBlock', 'placeItem', 'smeltItem']) {
  FORGIVEN.add(name)
}
/** If primitives fail more often than this, the program ends. */
const MOST_FAILURES = 10
const STATIONS = new Set(['crafting_table', 'furnace'])
/** Radius in blocks within which stations are taken back. */
const TAKEN_WITHIN = 32
/** Time limit for each station, in game time. */
const TAKING_MS = 20_000

/**
 * Return a function that handles a program's failed primitives.
 * @param {(line: string) => void} say says a line in chat, and prints it
 * @returns {(name: string, error: unknown) => void} returns if the program continues, otherwise throws
 */
export function forgiving(say) {
  /** @type {Map<string, number>} */
  const failures = new Map()
  return (name, error) => {
    if (!FORGIVEN.has(name) || error instanceof TypeError) throw error
    const count = (failures.get(name) ?? 0) + 1
    failures.set(name, count)
    const message = /** @type {Error} */ (error).message.replace(/\s+/g, ' ') // chat takes one line
    if (count > MOST_FAILURES) throw new Error(`${name} failed too many times: ${message}`)
    say(`[${name}] ${message}`)
  }
}

/**
 * Track the tables and furnaces that a bot places, as the server reports them.
 * @param {Bot} bot @param {import('../own-placements.js').Placements} placements
 * @returns {{placed: Map<string, Block>, end: () => void}} the blocks, by their positions
 */
export function watchStations(bot, placements) {
  /** @type {Map<string, Block>} */
  const placed = new Map()
  const ended = placements.listen((block) => {
    if (STATIONS.has(block.name)) placed.set(String(block.position), block)
  })
  /**
   * If the block changes, it belongs to another player, whatever it is now.
   * @type {(before: Block | null, now: Block) => void}
   */
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
 * Take back a program's tables and furnaces that still exist and are near, if a tool at hand makes
 * them drop.
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
