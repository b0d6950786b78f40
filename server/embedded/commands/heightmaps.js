/** Heights of the land at a place, as vanilla counts them. */
import { Vec3 } from '../minecraft.js'
import { blockAt, isSolid, propertiesOf, stateAt } from '../plugins/blocks.js'
import { isNether, NETHER_LAYERS } from '../plugins/dimensions.js'

/** @import { Server } from '../types.d.ts' */

export const HEIGHTMAPS = /** @type {const} */ ([
  'world_surface',
  'motion_blocking',
  'motion_blocking_no_leaves',
  'ocean_floor'
])
/** Of the overworld. */
const LAYERS = { bottom: -64, height: 384 }
const AIR = /^(air|cave_air|void_air)$/
const WET = /^(water|lava)$/

/** @type {Record<typeof HEIGHTMAPS[number], (serv: Server, at: Vec3) => boolean>} */
const COUNTS = {
  world_surface: (serv, at) => !AIR.test(blockAt(serv, at).name),
  ocean_floor: (serv, at) => isSolid(serv, at),
  motion_blocking: (serv, at) => stops(serv, at),
  motion_blocking_no_leaves: (serv, at) =>
    stops(serv, at) && !blockAt(serv, at).name.endsWith('_leaves')
}

/** What stops bodies, and fluids. @param {Server} serv @param {Vec3} at */
function stops(serv, at) {
  if (isSolid(serv, at) || WET.test(blockAt(serv, at).name)) return true
  return propertiesOf(stateAt(serv.overworld, at)).waterlogged === 'true'
}

/** @param {Server} serv @param {number} x @param {number} z @param {typeof HEIGHTMAPS[number]} kind @returns {number} where the air above begins */
export function topOf(serv, x, z, kind) {
  const { bottom, height } = isNether(x) ? NETHER_LAYERS : LAYERS
  const at = new Vec3(Math.floor(x), bottom + height - 1, Math.floor(z))
  serv.loadBox(at, at)
  while (at.y >= bottom && !COUNTS[kind](serv, at)) at.y -= 1
  return at.y + 1
}
