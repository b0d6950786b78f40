/** Gaze: the block that a player looks at. */
import { Vec3 } from '../minecraft/index.js'
import { blockAt, FACES, propertiesOf, stateAt } from '../blocks/blocks.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const EYES = { standing: 1.62, sneaking: 1.27 }
const FLUIDS = /^(water|lava)$/
const AIR = /^(air|cave_air|void_air)$/
const AXES = /** @type {const} */ (['x', 'y', 'z'])

/**
 * @param {Server} serv @param {Player} player @param {number} reach in blocks
 * @param {{sources: boolean}} options true to stop also at sources of water and lava
 * @returns {{position: Vec3, face: Vec3} | null} the first block in sight and its visible face, or null
 */
export function blockInSight(serv, player, reach, { sources }) {
  const eyes = player.position.offset(0, player.crouching ? EYES.sneaking : EYES.standing, 0)
  for (const { position, face } of cells(eyes, lookOf(player), reach)) {
    const { name = 'air' } = blockAt(serv, position) ?? {}
    if (AIR.test(name)) continue
    if (!FLUIDS.test(name)) return { position, face }
    const isSource = propertiesOf(stateAt(serv.overworld, position)).level === '0'
    if (sources && isSource) return { position, face }
  }
  return null
}

/** @param {Player} player */
function lookOf({ yaw, pitch }) {
  const [turn, tilt] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180]
  return new Vec3(
    -Math.sin(turn) * Math.cos(tilt),
    -Math.sin(tilt),
    Math.cos(turn) * Math.cos(tilt)
  )
}

/**
 * Yield the cells along a line, with the face through which it enters each.
 * @param {Vec3} from @param {Vec3} look of length 1 @param {number} reach
 */
function* cells(from, look, reach) {
  const cell = from.floored()
  const next = AXES.map((axis) => {
    const ahead = look[axis] > 0 ? cell[axis] + 1 - from[axis] : from[axis] - cell[axis]
    return look[axis] === 0 ? Infinity : ahead / Math.abs(look[axis])
  })
  let face = FACES[1]
  for (let way = 0; way <= reach;) {
    yield { position: cell.clone(), face }
    const at = next.indexOf(Math.min(...next))
    const axis = AXES[at]
    way = next[at]
    next[at] += 1 / Math.abs(look[axis])
    cell[axis] += Math.sign(look[axis])
    face = new Vec3(0, 0, 0)
    face[axis] = -Math.sign(look[axis])
  }
}
