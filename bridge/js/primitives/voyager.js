/**
 * Voyager's error handling, for which published skills were written. When a primitive fails, the
 * bot reports it in chat and the program continues. Tables and furnaces are taken back after the
 * program.
 *
 * Source: MineDojo/Voyager, `voyager/control_primitives` and `voyager/env/mineflayer/index.js`.
 */
import { givePlacedItemBack } from './give-placed-item-back.js'

/** @import { Bot, Vec3 } from '../types.d.ts' */

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
/** Time limit for each station, in game time, and the number of programs after which it is tried. */
const TAKING_MS = 20_000
const TRIES = 3

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
 * A table or furnace that the bot has placed.
 * @typedef {{name: string, position: Vec3, tries: number}} Station
 */

/**
 * Track the tables and furnaces that a bot places, as the server reports them. One that could not
 * be taken back after its program is taken back after a later one.
 * @param {Bot} bot @param {import('../own-placements.js').Placements} placements
 * @returns {Map<string, Station>} by their positions
 */
export function watchStations(bot, placements) {
  /** @type {Map<string, Station>} */
  const placed = new Map()
  placements.listen(({ name, position }) => {
    if (STATIONS.has(name)) placed.set(String(position), { name, position, tries: TRIES })
  })
  // If the block changes, it belongs to another player, whatever it is now.
  bot.on('blockUpdate', (_before, now) => {
    const key = String(now?.position)
    if (placed.has(key) && placed.get(key)?.name !== now.name) placed.delete(key)
  })
  return placed
}

/**
 * Take back tables and furnaces that still exist and are near, if a tool at hand makes them drop.
 * @param {import('./index.js').Context} context @param {Iterable<Station>} stations
 */
export async function takeBack(context, stations) {
  for (const station of [...stations]) {
    const { name, position } = station
    if (context.signal.aborted) return
    if (!mayTake(context.bot, name, position) || station.tries-- <= 0) continue
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
