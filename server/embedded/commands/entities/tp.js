import { shown } from '../../world/dimensions.js'
import { nameOfEntity, oneOrMany } from '../../minecraft/texts.js'
import { wrapDegrees } from '../arguments/reader.js'
import { Reply } from '../replies.js'

/** @import { Entity, Server, Vec3 } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['tp', 'teleport'],
  run: ({ serv, args }) => {
    const words = args.text
      .slice(args.at)
      .trim()
      .split(/ (?![^[]*\])/).length
    const isPlace = /^([~^.]|-?\d+(\.\d*)?$)/.test(args.peek())
    const isAlone = words === 1 || isPlace
    const others = isAlone ? null : args.entities()
    const destination = words <= 2 && !isPlace ? args.entity() : null
    const position = destination ? destination.position.clone() : args.position()
    const rotation = args.done ? undefined : readRotation(args, position)
    args.end()
    const targets = others ?? [args.self()]
    for (const target of targets) move(serv, target, position, rotation)
    if (destination) {
      const after = [nameOfEntity(destination)]
      return new Reply(oneOrMany('commands.teleport.success.entity', targets, { after }))
    }
    const after = shown(position)
      .toArray()
      .map((/** @type {number} */ at) => at.toFixed(6))
    return new Reply(oneOrMany('commands.teleport.success.location', targets, { after }))
  }
}

/**
 * Read yaw and pitch, or a target to face.
 * @param {import('../arguments/reader.js').Reader} args @param {Vec3} from
 * @returns {[yaw: number, pitch: number]}
 */
function readRotation(args, from) {
  if (args.peek() !== 'facing') return args.angles()
  args.word()
  const isEntity = args.peek() === 'entity'
  if (isEntity) args.word()
  const at = isEntity ? args.entity().position : args.position()
  if (isEntity && !args.done) args.oneOf(['eyes', 'feet'])
  return towards(from, at)
}

/** @param {Vec3} from @param {Vec3} to @returns {[yaw: number, pitch: number]} in degrees */
export function towards(from, to) {
  const { x, y, z } = to.minus(from)
  const degrees = 180 / Math.PI
  return [Math.atan2(z, x) * degrees - 90, -Math.atan2(y, Math.hypot(x, z)) * degrees]
}

/**
 * @param {Server} serv @param {Entity} entity @param {Vec3} position
 * @param {[yaw: number, pitch: number]} [rotation]
 */
function move(serv, entity, position, rotation) {
  const [yaw, pitch] = (rotation ?? []).map(wrapDegrees)
  /** @type {typeof rotation} */
  const turned = rotation && [yaw, Math.max(-90, Math.min(90, pitch))]
  if (entity.type === 'player') {
    entity.shutWindow()
    serv.dismount(entity)
    entity.wakeUp()
    return entity.teleport(position, turned)
  }
  serv.moveEntity(entity, position.clone(), false)
  if (turned)
    Object.assign(entity, { yaw: turned[0], pitch: turned[1], turnedTick: serv.tickCount })
}
