/**
 * Land for physics and the path finder, which look at more blocks than all else together and read of none
 * how light it is there, what biome it is in and what a chest or sign holds: so that is not looked up.
 */
import { createRequire } from 'node:module'
import './shared-upstream.js'

/** @import { MineflayerBot, Position } from './types.d.ts' */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
const loadBlocks = require('prismarine-block')

/** Which column a coordinate is in, and where in there. */
const [COLUMN_BITS, IN_COLUMN] = [4, 15]
const NO_BIOME = 0

/** @typedef {{getBlock: (position: Position) => any}} Land a block of its own for each who asks; null: it is not known */

/**
 * The land that a bot knows. A block has everything but its light, biome and entity.
 * @param {Pick<MineflayerBot, 'on' | 'registry'> & {world: any}} bot
 * @returns {Land}
 */
export function leanLand(bot) {
  const Block = loadBlocks(bot.registry)
  /** The column that was asked last, for as long as it is the world's. @type {any} */
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

/** Has a bot's physics look at such land. @param {MineflayerBot} bot */
export function moveOnLeanLand(bot) {
  const physics = /** @type {any} */ (bot.physics)
  const { simulatePlayer } = physics
  const land = leanLand(bot)
  physics.simulatePlayer = (/** @type {object} */ state) => simulatePlayer(state, land)
}

/** The bot as the path finder is to see it, which asks it for blocks. @param {MineflayerBot} bot @returns {MineflayerBot} */
export function onLeanLand(bot) {
  const { getBlock } = leanLand(bot)
  return Object.create(bot, { blockAt: { value: getBlock } })
}
