/**
 * Pathfinding through doors and gates, which upstream's pathfinder treats as walls.
 *
 * A bot passes a door in the direction that the door faces. It clicks a closed door to open it, and
 * leaves it open.
 */
import { createRequire } from 'node:module'
import { withLeanLand } from './lean-land.js'
import { Movements } from './pathfinder.js'

/** @import { Bot as MineflayerBot } from 'mineflayer' */
/** @import { Block } from 'prismarine-block' */
/** @import { Vec3 as Position } from 'vec3' */

/**
 * Step of a path, as the pathfinder stores it.
 * @typedef {Position & {remainingBlocks: number, through?: Position, axis?: 'x' | 'z'}} Step
 */

const require = createRequire(import.meta.url)
const { Vec3 } = require('vec3')
/** @type {new (x: number, y: number, z: number, remainingBlocks: number, cost: number) => Step} */
const Move = require('mineflayer-pathfinder/lib/move.js')

const OPENS_BY_HAND = /^(?!iron_).*(_door|_fence_gate)$/
const COST = 1.5
const REACH_BLOCKS = 3
/** Number of ticks to wait for the result of a click. */
const ANSWER_TICKS = 10
/** @type {Record<string, 'x' | 'z'>} */
const AXES = { north: 'z', south: 'z', west: 'x', east: 'x' }
const ALONG = {
  x: [new Vec3(1, 0, 0), new Vec3(-1, 0, 0)],
  z: [new Vec3(0, 0, 1), new Vec3(0, 0, -1)]
}

/** @param {Block | null} block */
const isDoor = (block) => Boolean(block && OPENS_BY_HAND.test(block.name))

/** Upstream's class, whose search methods have no types. @type {any} */
const Upstream = Movements

class ThroughDoors extends Upstream {
  /** @param {MineflayerBot} bot */
  constructor(bot) {
    super(withLeanLand(bot))
    for (const { id, name } of bot.registry.blocksArray) {
      if (OPENS_BY_HAND.test(name)) this.blocksCantBreak.add(id)
    }
  }

  /** @param {Step} node @returns {Step[]} */
  getNeighbors(node) {
    if (!node.axis) return super.getNeighbors(node)
    /** @type {Step[]} */
    const found = []
    for (const way of ALONG[node.axis]) this.getMoveForward(node, way, found)
    return found
  }

  /** @param {Step} node @param {Position} way @param {Step[]} neighbours */
  getMoveForward(node, way, neighbours) {
    const count = neighbours.length
    super.getMoveForward(node, way, neighbours)
    if (neighbours.length > count) return
    const door = this.getBlock(node, way.x, 0, way.z)
    if (!isDoor(door)) return
    const axis = AXES[door.getProperties().facing]
    const head = this.getBlock(node, way.x, 1, way.z)
    const isFree = isDoor(head) || head.safe
    if (!way[axis] || !isFree || !this.getBlock(node, way.x, -1, way.z).physical) return
    const { x, y, z } = door.position
    const step = new Move(x, y, z, node.remainingBlocks, COST)
    neighbours.push(Object.assign(step, { through: door.position.clone(), axis }))
  }
}

/**
 * Return movements that pass through doors.
 * @param {MineflayerBot} bot @returns {import('mineflayer-pathfinder').Movements}
 */
export const movementsThroughDoors = (bot) => /** @type {any} */ (new ThroughDoors(bot))

/**
 * Open doors on the bot's path.
 * @param {MineflayerBot} bot whose pathfinder looks for paths through doors
 */
export function openDoors(bot) {
  /** Remaining path; the pathfinder removes steps as the bot walks. @type {Step[]} */
  let path = []
  /** @type {{door: Position, ticks: number} | null} */
  let clicked = null

  bot.on('path_update', (found) => {
    path = /** @type {Step[]} */ (/** @type {unknown} */ (found.path))
    // The pathfinder puts its steps on top of blocks, including doors.
    for (const step of path) if (step.through) Object.assign(step, step.through.offset(0.5, 0, 0.5))
  })
  const forget = () => (path = [])
  for (const event of /** @type {const} */ ([
    'path_reset',
    'path_stop',
    'goal_updated',
    'goal_reached'
  ])) {
    bot.on(event, forget)
  }

  bot.on('physicsTick', () => {
    if (clicked && --clicked.ticks <= 0) clicked = null
    const door = path.slice(0, 2).find((step) => step.through)?.through
    if (!door || clicked?.door.equals(door)) return
    if (bot.entity.position.distanceTo(door.offset(0.5, 0, 0.5)) > REACH_BLOCKS) return
    const block = bot.blockAt(door)
    if (!block || !isDoor(block) || block.getProperties().open) return
    clicked = { door, ticks: ANSWER_TICKS }
    bot.activateBlock(block).catch(() => {}) // fails if the bot has left
  })
}
