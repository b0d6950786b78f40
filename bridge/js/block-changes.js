/** Block changes as the server reports them, not as Mineflayer guesses them. */
import { createRequire } from 'node:module'

/** @import { Bot, Emit } from './types.d.ts' */

const loadBlocks = createRequire(import.meta.url)('prismarine-block')

const PERIOD_MS = 1000
/** Changes farther from the bot than this many blocks are not reported. */
const NEAR_BLOCKS = 48
/** Maximum number of changes per report, and of changes that may wait for the next report. */
const MOST_AT_ONCE = 300
const MOST_WAITING = 3000
/** Block state properties that are visible in the viewer; a block's name omits all others. */
const SHOWN = ['age', 'open']

/**
 * Call a function with the position and new state of each block change that the server reports.
 * @param {Bot} bot @param {(x: number, y: number, z: number, state: number) => void} changed
 */
export function onBlockChanges(bot, changed) {
  bot._client.on('block_change', ({ location: { x, y, z }, type }) => changed(x, y, z, type))
  bot._client.on('multi_block_change', ({ chunkCoordinates, records }) => {
    const [cx, cy, cz] = ['x', 'y', 'z'].map((axis) => chunkCoordinates[axis] * 16)
    for (const record of records) {
      changed(
        cx + ((record >> 8) & 15),
        cy + (record & 15),
        cz + ((record >> 4) & 15),
        record >> 12
      )
    }
  })
}

/**
 * Emit the current blocks at all changed positions once a second.
 * @param {Bot} bot @param {Emit} emit
 */
export function recordBlockChanges(bot, emit) {
  const Block = loadBlocks(bot.registry)
  /** Newest state of each position that has not been reported yet. @type {Map<string, number>} */
  const waiting = new Map()
  onBlockChanges(bot, (x, y, z, state) => {
    const at = bot.entity?.position
    if (!at || Math.max(Math.abs(x - at.x), Math.abs(z - at.z)) > NEAR_BLOCKS) return
    const key = `${x},${y},${z}`
    if (waiting.size < MOST_WAITING || waiting.has(key)) waiting.set(key, state)
  })
  const timer = setInterval(() => {
    const told = [...waiting].slice(0, MOST_AT_ONCE)
    if (!told.length) return
    for (const [key] of told) waiting.delete(key)
    emit({ kind: 'blocks_changed', blocks: told.map(([key, state]) => block(key, state)) })
  }, PERIOD_MS)
  bot.once('end', () => clearInterval(timer))

  /** @param {string} key @param {number} state @returns {[string, number, number, number]} */
  function block(key, state) {
    const [x, y, z] = key.split(',').map(Number)
    const there = Block.fromStateId(state, 0)
    const shown = Object.entries(there.getProperties())
      .filter(([property]) => SHOWN.includes(property))
      .map(([property, value]) => `[${property}=${value}]`)
    return [there.name + shown.join(''), x, y, z]
  }
}
