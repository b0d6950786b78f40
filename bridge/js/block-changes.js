/** Which blocks have become others, as the server says it and not as Mineflayer guesses. */
import { createRequire } from 'node:module'

/** @import { Bot, Emit } from './types.d.ts' */

const loadBlocks = createRequire(import.meta.url)('prismarine-block')

const PERIOD_MS = 1000
/** Farther away from the bot, in blocks, changes are not told. */
const NEAR_BLOCKS = 48
/** So many are told at once; further ones wait, and of those that wait there are at most so many. */
const MOST_AT_ONCE = 300
const MOST_WAITING = 3000
/** States that people see; all others are left out of a block's name. */
const SHOWN = ['age', 'open']

/**
 * Calls a function with each block that the server says has changed: its place and new state.
 * @param {Bot} bot
 * @param {(x: number, y: number, z: number, state: number) => void} changed
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

/** Tells once a second what stands where something has changed. @param {Bot} bot @param {Emit} emit */
export function recordBlockChanges(bot, emit) {
  const Block = loadBlocks(bot.registry)
  /** The newest state of each place that is still to be told. @type {Map<string, number>} */
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
