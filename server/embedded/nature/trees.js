/** Trees that grow from saplings. All have the shape of a small oak but wood of their own kind. */
import { registry } from '../minecraft/index.js'
import { blockAt, stateAt, stateLike } from '../blocks/blocks.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const GIVES_WAY = /_leaves$|_sapling$|^(air|cave_air|grass|short_grass|fern|vine)$/
/**
 * Minimum trunk height, and maximum random addition.
 * @type {Record<string, [least: number, more: number]>}
 */
const HEIGHTS = { birch: [5, 2], spruce: [5, 3], jungle: [4, 6], acacia: [5, 2] }

/**
 * @param {Server} serv @param {Vec3} position of the sapling @param {string} sapling
 * @param {() => number} random @returns {boolean} true if there was room
 */
export function growTree(serv, position, sapling, random) {
  const wood = sapling.replace('_sapling', '')
  const log = registry.blocksByName[`${wood}_log`]
  const leaves = registry.blocksByName[`${wood}_leaves`]
  if (!log || !leaves) return false
  const [least, more] = HEIGHTS[wood] ?? [4, 2]
  const tall = least + Math.floor(random() * (more + 1))
  for (let up = 1; up < tall + 2; up++) {
    const { name = 'air' } = blockAt(serv, position.offset(0, up, 0)) ?? {}
    if (!GIVES_WAY.test(name)) return false
  }
  const crown = stateLike(leaves, { distance: '1', persistent: 'false' })
  for (const place of crownOf(position, tall)) {
    if (!stateAt(serv.overworld, place)) serv.setBlock(place, crown)
  }
  for (let up = 0; up < tall; up++) serv.setBlock(position.offset(0, up, 0), log.defaultState)
  serv.setBlock(position.offset(0, -1, 0), registry.blocksByName.dirt.defaultState)
  return true
}

/** @param {Vec3} position @param {number} tall */
function* crownOf(position, tall) {
  for (let up = tall - 2; up <= tall + 1; up++) {
    const radius = up < tall ? 2 : 1
    for (let x = -radius; x <= radius; x++) {
      for (let z = -radius; z <= radius; z++) {
        const isCorner = Math.abs(x) === radius && Math.abs(z) === radius
        if (!isCorner || up === tall - 1) yield position.offset(x, up, z)
      }
    }
  }
}
