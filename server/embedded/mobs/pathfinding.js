/**
 * Pathfinding of hunting mobs. A mob goes straight at its prey; if something blocks it, it searches
 * for a path around the obstacle, over steps and down small drops. The number of searches per tick
 * is limited.
 */
import { Vec3 } from '../minecraft/index.js'
import { blockAt, isSolid, key, stateAt } from '../blocks/blocks.js'
import { isTall } from '../blocks/full.js'
import { MONSTERS } from './monster-kinds.js'

/** @import { Animal, Player, Server } from '../types/index.d.ts' */

/** Distance at which striking mobs stop, and distance that shooting mobs keep. */
const CLOSE_BLOCKS = { strike: 0.9, shoot: 10 }
const MOST_CELLS = 400
const SEARCHES_A_TICK = 2
/** Ticks to wait after a failed search. */
const WAIT_TICKS = 40
/** A mob discards its path when the end of the path is this far from the prey. */
const ASTRAY_BLOCKS = 3
const NEAR_CELL = 0.45
const MOST_DROP = 3
const SHUNNED = /^(lava|fire|soul_fire|cactus|sweet_berry_bush|magma_block|campfire|water)$/
/** @type {[number, number][]} */
const SIDES = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0]
]

/** @typedef {{cells: Vec3[], waitUntil: number, wasGoing: boolean}} Way remaining cells of a path */

/** @param {Server} serv */
export function server(serv) {
  /** @type {WeakMap<Animal, Way>} */
  const ways = new WeakMap()
  let left = SEARCHES_A_TICK
  serv.on('tick', () => void (left = SEARCHES_A_TICK))

  serv.headingTo = (animal, prey) => {
    const way = ways.get(animal) ?? { cells: [], waitUntil: 0, wasGoing: false }
    ways.set(animal, way)
    const { x, z } = prey.position.minus(animal.position)
    const { shoots, climbs } = MONSTERS[animal.name]
    const isThere = shoots
      ? Math.hypot(x, z) < CLOSE_BLOCKS.shoot && serv.canSee(animal, prey)
      : Math.hypot(x, z) < CLOSE_BLOCKS.strike
    const isStuck = way.wasGoing && animal.heading === null
    way.wasGoing = !isThere
    if (isThere) {
      way.cells = []
      return null
    }
    const end = way.cells.at(-1)
    if (isStuck || (end && end.distanceTo(prey.position) > ASTRAY_BLOCKS)) way.cells = []
    if (isStuck && !climbs && left > 0 && serv.tickCount >= way.waitUntil) {
      left -= 1
      way.cells = search(serv, animal.position.floored(), prey.position.floored())
      way.waitUntil = serv.tickCount + WAIT_TICKS
    }
    const next = nextOf(animal, way)
    return next
      ? Math.atan2(next.z + 0.5 - animal.position.z, next.x + 0.5 - animal.position.x)
      : Math.atan2(z, x)
  }
}

/**
 * Return the next cell, after dropping those already reached.
 * @param {Animal} animal @param {Way} way @returns {Vec3 | undefined}
 */
function nextOf({ position }, way) {
  while (way.cells.length) {
    const [{ x, z }] = way.cells
    if (Math.hypot(x + 0.5 - position.x, z + 0.5 - position.z) > NEAR_CELL) break
    way.cells.shift()
  }
  return way.cells[0]
}

/**
 * Find a path over the ground, by A*.
 * @param {Server} serv @param {Vec3} from @param {Vec3} to
 * @returns {Vec3[]} its cells; if no path reaches the end, the path to the cell nearest to it
 */
function search(serv, from, to) {
  const rest = (/** @type {Vec3} */ cell) => Math.abs(cell.x - to.x) + Math.abs(cell.z - to.z)
  /** @typedef {{cell: Vec3, steps: number, guess: number, before: Node | null}} Node */
  /** @type {Node} */
  const start = { cell: from, steps: 0, guess: rest(from), before: null }
  const open = [start]
  const known = new Set([key(from)])
  let best = start
  for (let looked = 0; open.length && looked < MOST_CELLS; looked++) {
    let at = 0
    for (let index = 1; index < open.length; index++) {
      if (open[index].guess < open[at].guess) at = index
    }
    const [node] = open.splice(at, 1)
    if (rest(node.cell) < rest(best.cell)) best = node
    if (rest(node.cell) <= 1 && Math.abs(node.cell.y - to.y) <= 1) return cellsTo(node)
    for (const [dx, dz] of SIDES) {
      const cell = stepTo(serv, node.cell, dx, dz)
      if (!cell || known.has(key(cell))) continue
      known.add(key(cell))
      const steps = node.steps + 1
      open.push({ cell, steps, guess: steps + rest(cell), before: node })
    }
  }
  return cellsTo(best)
}

/** @param {{cell: Vec3, before: any} | null} node @returns {Vec3[]} without the first */
function cellsTo(node) {
  const cells = []
  for (let one = node; one?.before; one = one.before) cells.unshift(one.cell)
  return cells
}

/**
 * Return the cell that a step leads to, or null.
 * @param {Server} serv @param {Vec3} from @param {number} dx @param {number} dz
 * @returns {Vec3 | null}
 */
function stepTo(serv, from, dx, dz) {
  const cell = new Vec3(from.x + dx, from.y, from.z + dz)
  const isUp = isSolid(serv, cell)
  if (isUp) {
    if (isTall(stateAt(serv.overworld, cell)) || isSolid(serv, from.offset(0, 2, 0))) return null
    cell.y += 1
  }
  if (isSolid(serv, cell) || isSolid(serv, cell.offset(0, 1, 0))) return null
  for (let drop = 0; drop <= MOST_DROP; drop++) {
    const name = blockAt(serv, cell)?.name ?? 'air'
    if (SHUNNED.test(name)) return null
    const floor = cell.offset(0, -1, 0)
    if (isSolid(serv, floor)) return SHUNNED.test(blockAt(serv, floor).name) ? null : cell
    cell.y -= 1
  }
  return null
}
