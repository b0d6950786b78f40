import { Vec3 } from '../../minecraft/index.js'
import { isSolid } from '../../blocks/blocks.js'
import { shiftAt } from '../../world/dimensions.js'
import { CommandError, said } from '../replies.js'

/** @import { Server } from '../../types/index.d.ts' */

const KEY = 'commands.spreadplayers'
const TRIES = 2000
const TOP = 319

/** @type {import('../index.js').Command} */
export const command = {
  names: ['spreadplayers'],
  run: ({ serv, args }) => {
    const from = args.origin()
    const [x, z] = [args.coordinate(from.x, 0.5, shiftAt(from.x)), args.coordinate(from.z, 0.5)]
    const centre = [x - shiftAt(from.x), z]
    const [apart, range] = [args.coordinate(0), args.coordinate(0)]
    let respects = args.oneOf(['true', 'false', 'under'])
    const top = respects === 'under' ? args.integer() : TOP
    if (respects === 'under') respects = args.oneOf(['true', 'false'])
    const targets = args.entities()
    args.end()
    const places = spread(serv, targets.length, { x, z, apart, range, top })
    if (!places) {
      throw new CommandError(`${KEY}.failed.entities`, targets.length, ...centre, range)
    }
    targets.forEach((target, index) =>
      target.type === 'player'
        ? target.teleport(places[index])
        : serv.moveEntity(target, places[index])
    )
    return said(`${KEY}.success.entities`, targets.length, ...centre, apart.toFixed(2))
  }
}

/**
 * @param {Server} serv @param {number} count
 * @param {{x: number, z: number, apart: number, range: number, top: number}} area
 * @returns {Vec3[] | null}
 */
function spread(serv, count, { x, z, apart, range, top }) {
  /** @type {Vec3[]} */
  const places = []
  for (let tries = 0; tries < TRIES && places.length < count; tries++) {
    const at = () => Math.floor((serv.random() * 2 - 1) * range)
    const place = surface(serv, Math.floor(x) + at(), Math.floor(z) + at(), top)
    if (!place) continue
    const isApart = places.every(
      (other) => Math.hypot(other.x - place.x, other.z - place.z) >= apart
    )
    if (isApart) places.push(place)
  }
  return places.length === count ? places : null
}

/** @param {Server} serv @param {number} x @param {number} z @param {number} top */
function surface(serv, x, z, top) {
  serv.columnAt(x >> 4, z >> 4)
  for (let y = top; y > -64; y--) {
    if (isSolid(serv, new Vec3(x, y, z))) return new Vec3(x + 0.5, y + 1, z + 0.5)
  }
  return null
}
