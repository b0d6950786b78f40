/** Mineflayer's pathfinder: a CommonJS package, which modules cannot import by name. */
import { createRequire } from 'node:module'
import { rememberData } from './remembered-data.js'

rememberData() // before anything is loaded that asks for it: this, and what Mineflayer takes from it
/** @type {typeof import('mineflayer-pathfinder')} */
const upstream = createRequire(import.meta.url)('mineflayer-pathfinder')
export const { goals, pathfinder } = upstream

/**
 * Ways that lead through doors and gates that stand open, too: upstream takes each for a wall. An open
 * door has a panel at one side, through which no way leads, and none leads past its corners.
 */
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
    const panel = this.panelOf(block)
    if (!panel || !lets(panel, -dx, -dz)) return block
    return Object.assign(block, { safe: true, physical: false, height: place.y + dy })
  }

  /** @param {any} node @returns {any[]} */
  getNeighbors(node) {
    const panelAt = (/** @type {number} */ dx, /** @type {number} */ dz) =>
      this.panelOf(super.getBlock(node, dx, 0, dz)) ?? NO_PANEL
    const here = panelAt(0, 0)
    return /** @type {any[]} */ (super.getNeighbors(node)).filter(({ x, z }) => {
      const [dx, dz] = [x - node.x, z - node.z]
      if (!lets(here, dx, dz)) return false
      return !dx || !dz || (lets(panelAt(dx, 0), dx, dz) && lets(panelAt(0, dz), dx, dz))
    })
  }

  /** At which side of an open door its panel is; null for what is no open door or gate. @param {any} block @returns {Panel | null} */
  panelOf(block) {
    if (!this.doors.has(block.type) || !block.getProperties().open) return null
    const [shape] = block.shapes
    if (!shape) return NO_PANEL // an open gate
    return { x: Math.sign(shape[0] + shape[3] - 1), z: Math.sign(shape[2] + shape[5] - 1) }
  }
}

/** @typedef {{x: number, z: number}} Panel one of both is 1 or -1, or none */
const NO_PANEL = { x: 0, z: 0 }

/**
 * Whether a way of so many blocks from a door's cell, or into it from there, leads past its panel.
 * @param {Panel} panel @param {number} dx @param {number} dz
 */
function lets(panel, dx, dz) {
  if (!panel.x && !panel.z) return true
  if (dx && dz) return false
  const along = dx * panel.x + dz * panel.z
  return along <= 0 && along >= -1 // a leap would go through the cell, and its panel
}
