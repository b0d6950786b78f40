/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'
import { rememberData } from './remembered-data.js'

rememberData() // before anything is loaded that asks for it: this, and what Mineflayer takes from it
/** @type {typeof import('mineflayer-pathfinder')} */
const upstream = createRequire(import.meta.url)('mineflayer-pathfinder')
export const { goals, pathfinder } = upstream

/** Ways that lead through doors and gates that stand open, too: upstream takes each for a wall. */
export class Movements extends upstream.Movements {
  /** @param {import('./types.d.ts').MineflayerBot} bot */
  constructor(bot) {
    super(bot)
    const kinds = bot.registry.blocksArray.filter(({ name }) => /_(door|fence_gate)$/.test(name))
    /** By type of block. @type {Set<number>} */
    this.doors = new Set(kinds.map(({ id }) => id))
  }

  /** @param {any} place @param {number} dx @param {number} dy @param {number} dz @returns {any} */
  getBlock(place, dx, dy, dz) {
    const block = /** @type {any} */ (super.getBlock(place, dx, dy, dz))
    if (!this.doors.has(block.type) || !block.getProperties().open) return block
    return Object.assign(block, { safe: true, physical: false, height: place.y + dy })
  }
}
