/**
 * Updates around a changed block: sand and gravel fall, plants and torches without support break
 * and drop. Leaves do not decay.
 */
import { registry } from '../minecraft/index.js'
import { CROPS, FALLING, FLOWERS, ON_FLOOR, PASSABLE, WALL_HUNG } from './support.js'
import { lootAt } from './loot.js'
import { blockAt, FACES, stateAt } from './blocks.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const [BELOW] = FACES
const CHANGES_PER_TICK = 10_000

/** Reaction to a change of a neighbour, by block id. */
const CARES = Object.fromEntries(registry.blocksArray.map(({ id, name }) => [id, careOf(name)]))

/** @param {string} name @returns {'falls' | 'stands' | null} */
function careOf(name) {
  if (FALLING.test(name)) return 'falls'
  const stands =
    [WALL_HUNG, CROPS, FLOWERS, ON_FLOOR].some((names) => names.test(name)) ||
    /^(ladder|lever|sugar_cane|cactus|dead_bush)$|_button$|lantern$/.test(name)
  return stands ? 'stands' : null
}

/** @param {Server} serv */
export function server(serv) {
  /** Changed blocks whose neighbours are to be updated. @type {Vec3[]} */
  let due = []
  serv.on('blockChanged', (position) => void due.push(position))

  serv.on('tick', () => {
    const now = due.slice(0, CHANGES_PER_TICK)
    due = due.slice(CHANGES_PER_TICK)
    for (const position of now) {
      if (careAt(serv, position) === 'falls') settle(serv, position)
      for (const face of FACES) settle(serv, position.plus(face))
    }
  })
}

/** @param {Server} serv @param {Vec3} position */
const careAt = (serv, position) =>
  CARES[registry.blocksByStateId[stateAt(serv.overworld, position)].id]

/** @param {Server} serv @param {Vec3} position */
function settle(serv, position) {
  const state = stateAt(serv.overworld, position)
  const care = state && CARES[registry.blocksByStateId[state].id]
  if (care === 'falls') fall(serv, position, state)
  else if (care === 'stands' && !serv.hasSupport(position, state)) {
    breakLoose(serv, position)
  }
}

/** @param {Server} serv @param {Vec3} position @param {number} state */
function fall(serv, position, state) {
  const below = position.plus(BELOW)
  if (below.y < -64 || !PASSABLE.test(blockAt(serv, below)?.name ?? 'air')) return
  serv.setBlock(position, 0)
  serv.dropBlock(position.offset(0.5, 0, 0.5), state)
}

/** @param {Server} serv @param {Vec3} position */
function breakLoose(serv, position) {
  const isKept = serv.gamerules.doTileDrops
  const drops = isKept ? lootAt(serv, position, stateAt(serv.overworld, position)) : []
  serv.setBlock(position, 0)
  for (const item of drops) serv.dropItem(item, position.offset(0.5, 0.25, 0.5))
}
