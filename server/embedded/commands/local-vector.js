/** Places as `^left ^up ^forward`, from the feet, along the source's look. */
import { Vec3 } from '../minecraft.js'

/** @import { Reader } from './reader.js' */

/** @param {Reader} args @returns {Vec3} */
export function localVector(args) {
  const [left, up, forward] = [0, 1, 2].map(() => {
    const match = args.word().match(/^\^(-?\d*\.?\d*)$/)
    if (!match) throw args.error('argument.pos.mixed')
    return Number(match[1] || 0)
  })
  const { yaw, pitch } = args.rotation()
  const turn = ((yaw + 90) * Math.PI) / 180
  const along = (/** @type {number} */ degrees) => {
    const tilt = (degrees * Math.PI) / 180
    return new Vec3(
      Math.cos(turn) * Math.cos(tilt),
      Math.sin(tilt),
      Math.sin(turn) * Math.cos(tilt)
    )
  }
  const ahead = along(-pitch)
  const above = along(90 - pitch)
  const aside = above.cross(ahead)
  return args.origin().plus(aside.scaled(left)).plus(above.scaled(up)).plus(ahead.scaled(forward))
}
