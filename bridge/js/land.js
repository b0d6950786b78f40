/** Record natural land: the surface of each chunk once, and blocks that become visible by digging. */
import { createRequire } from 'node:module'
import { onBlockChanges } from './block-changes.js'
import { FACES } from './faces.js'

/** @import { Bot, Emit } from './types.d.ts' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

const PERIOD_MS = 1000
const SIDE = 16
/**
 * Radius in chunks around the bot within which land is recorded, and number of chunks per second,
 * nearest first.
 */
const NEAR_CHUNKS = 3
const MOST_CHUNKS_AT_ONCE = 4
/** Maximum number of blocks above the ground per event; further blocks go to further events. */
const MOST_ABOVE = 300
/** An opaque layer is ground, not a roof, if this many blocks below its top are also opaque. */
const DEEP = 6
/** Maximum number of exposed blocks per event, and number of recorded blocks that are remembered. */
const MOST_BARED_AT_ONCE = 200
const MOST_REMEMBERED = 30_000

/** Record the land around a bot, a few chunks at a time. @param {Bot} bot @param {Emit} emit */
export function recordLand(bot, emit) {
  const told = new Set()
  const bared = createBared(bot, emit)
  const timer = setInterval(() => {
    if (!bot.entity) return
    for (const { x, z, column } of around(bot).slice(0, MOST_CHUNKS_AT_ONCE)) {
      told.add(`${x},${z}`)
      const { names, heights, tops, above } = surface(bot, column)
      const chunk = { kind: /** @type {const} */ ('land_seen'), x: x * SIDE, z: z * SIDE, names }
      emit({ ...chunk, heights, tops, above: above.slice(0, MOST_ABOVE) })
      for (let k = MOST_ABOVE; k < above.length; k += MOST_ABOVE)
        emit({ ...chunk, heights: [], tops: [], above: above.slice(k, k + MOST_ABOVE) })
    }
    bared.tell()
  }, PERIOD_MS)
  bot.once('end', () => clearInterval(timer))

  /** Return loaded chunks that are not yet recorded, nearest first. @param {Bot} bot */
  function around({ entity, world }) {
    const [cx, cz] = [entity.position.x, entity.position.z].map((part) => Math.floor(part / SIDE))
    const found = []
    for (let x = cx - NEAR_CHUNKS; x <= cx + NEAR_CHUNKS; x++) {
      for (let z = cz - NEAR_CHUNKS; z <= cz + NEAR_CHUNKS; z++) {
        const column = told.has(`${x},${z}`) ? null : world.getColumn(x, z)
        if (column) found.push({ x, z, column, away: Math.hypot(x - cx, z - cz) })
      }
    }
    return found.sort((a, b) => a.away - b.away)
  }
}

/**
 * Return the surface of a chunk as seen from above; see `LandSeen` in `records/events/world.py`.
 * @param {Bot} bot @param {any} column
 */
function surface(bot, column) {
  /** @type {Map<string, number>} */
  const numbers = new Map()
  const number = (/** @type {string} */ name) => {
    if (!numbers.has(name)) numbers.set(name, numbers.size)
    return /** @type {number} */ (numbers.get(name))
  }
  /** @type {number[]} */ const heights = []
  /** @type {number[]} */ const tops = []
  /** @type {[number, number, number, number, number][]} */ const above = []
  const top = highest(column)
  for (let z = 0; z < SIDE; z++) {
    for (let x = 0; x < SIDE; x++) {
      const at = (/** @type {number} */ y) => column.getBlockStateId(new Vec3(x, y, z))
      const { runs, y, name } = look(bot, at, top, column.minY)
      heights.push(y)
      tops.push(number(name))
      above.push(...runs.map((run) => run.over(number, x, z)))
    }
  }
  return { names: [...numbers.keys()], heights, tops, above }
}

/** Return the height above which a chunk is empty. @param {any} column @returns {number} */
function highest(column) {
  const filled = column.sections.findLastIndex(
    (/** @type {any} */ section) => section && section.solidBlockCount !== 0
  )
  return column.minY + (filled + 1) * SIDE - 1
}

/** Vertical run of blocks of one kind. */
class Run {
  /** @param {string} name @param {number} high */
  constructor(name, high) {
    this.name = name
    this.high = this.low = high
  }

  /**
   * @param {(name: string) => number} number @param {number} x @param {number} z
   * @returns {[number, number, number, number, number]}
   */
  over(number, x, z) {
    return [number(this.name), x, z, this.low, this.high]
  }
}

/**
 * Scan a column of blocks from the top down to its ground.
 * @param {Bot} bot @param {(y: number) => number} at the state of a block @param {number} top
 * @param {number} bottom
 */
function look(bot, at, top, bottom) {
  const registry = /** @type {any} */ (bot.registry)
  /** @type {Run[]} */ const runs = []
  /** Number of consecutive opaque blocks, starting at the first. */
  let deep = 0
  for (let y = top; y >= bottom; y--) {
    const block = registry.blocksByStateId[at(y)]
    const isOpaque = block.boundingBox === 'block' && !block.transparent
    deep = isOpaque ? deep + 1 : 0
    if (block.name.endsWith('air')) continue
    const last = runs.at(-1)
    if (last && last.name === block.name && last.low === y + 1) last.low = y
    else runs.push(new Run(block.name, y))
    if (deep > DEEP) return ground(runs, y + DEEP)
  }
  const lowest = runs.at(-1)
  return ground(runs, lowest?.low ?? bottom)
}

/** Return a column's ground and the blocks above it. @param {Run[]} runs @param {number} y */
function ground(runs, y) {
  const own = runs.find(({ low, high }) => low <= y && y <= high)
  const above = runs.filter(({ high }) => high > y)
  for (const run of above) run.low = Math.max(run.low, y + 1)
  return { runs: above, y, name: own?.name ?? 'air' }
}

/**
 * Return a tracker of exposed blocks: those next to a block that has become air. They show what is
 * underground.
 * @param {Bot} bot @param {Emit} emit
 */
function createBared(bot, emit) {
  const told = new Set()
  /** @type {[number, number, number][]} */
  let waiting = []
  onBlockChanges(bot, (x, y, z, state) => {
    const name = /** @type {any} */ (bot.registry).blocksByStateId[state]?.name
    if (!name?.endsWith('air') || told.size > MOST_REMEMBERED) return
    for (const [dx, dy, dz] of FACES) {
      const key = `${x + dx},${y + dy},${z + dz}`
      if (!told.has(key)) waiting.push([x + dx, y + dy, z + dz])
      told.add(key)
    }
  })
  return {
    tell() {
      const places = waiting.slice(0, MOST_BARED_AT_ONCE)
      waiting = waiting.slice(MOST_BARED_AT_ONCE)
      const blocks = places
        .map(([x, y, z]) => ({ block: bot.blockAt(new Vec3(x, y, z), false), x, y, z }))
        .filter(({ block }) => block && !block.name.endsWith('air'))
        .map(
          ({ block, x, y, z }) =>
            /** @type {[string, number, number, number]} */ ([block?.name, x, y, z])
        )
      if (blocks.length) emit({ kind: 'blocks_bared', blocks })
    }
  }
}
