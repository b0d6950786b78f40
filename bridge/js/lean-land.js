/**
 * Land for physics and the pathfinder. They examine more blocks than all other code together and
 * never read a block's light or biome, or the content of chests and signs, so these are not looked
 * up.
 */
import { createRequire } from 'node:module'
import './shared-upstream.js'

/** @import { MineflayerBot, Position } from './types.d.ts' */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
const loadBlocks = require('prismarine-block')

/** A coordinate's column, and the position within it. */
const [COLUMN_BITS, IN_COLUMN] = [4, 15]
const NO_BIOME = 0

/** @typedef {{getBlock: (position: Position) => any}} Land `getBlock` returns a new block on each call, or null if it is not loaded */

/**
 * Return the land that a bot knows. Its blocks have no light, biome or block entity.
 * @param {Pick<MineflayerBot, 'on' | 'registry'> & {world: any}} bot @returns {Land}
 */
export function leanLand(bot) {
  const Block = loadBlocks(bot.registry)
  /** Column of the last call, kept until the world unloads it. @type {any} */
  let column = null
  let [world, x, z] = [bot.world, 0, 0]
  const forget = () => void (column = null)
  for (const event of /** @type {const} */ (['chunkColumnLoad', 'chunkColumnUnload'])) {
    bot.on(event, forget)
  }
  return {
    getBlock(position) {
      const at = new Vec3(Math.floor(position.x), Math.floor(position.y), Math.floor(position.z))
      const [columnX, columnZ] = [at.x >> COLUMN_BITS, at.z >> COLUMN_BITS]
      if (!column || x !== columnX || z !== columnZ || world !== bot.world) {
        ;[world, x, z] = [bot.world, columnX, columnZ]
        column = world.getColumn(x, z)
      }
      if (!column) return null
      const inside = { x: at.x & IN_COLUMN, y: at.y, z: at.z & IN_COLUMN }
      const block = Block.fromStateId(column.getBlockStateId(inside), NO_BIOME)
      block.position = at
      return block
    }
  }
}

/** Let a bot's physics use lean land. @param {MineflayerBot} bot */
export function useLeanLandForPhysics(bot) {
  const physics = /** @type {any} */ (bot.physics)
  const { simulatePlayer } = physics
  const land = leanLand(bot)
  physics.simulatePlayer = (/** @type {object} */ state) => simulatePlayer(state, land)
}

/**
 * Return a view of the bot with lean land, for the pathfinder.
 * @param {MineflayerBot} bot @returns {MineflayerBot}
 */
export function withLeanLand(bot) {
  const { getBlock } = leanLand(bot)
  return Object.create(bot, { blockAt: { value: getBlock } })
}
