import { nameOf } from './reader.js'

/** @import { Entity, Server, Vec3 } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['tp', 'teleport'],
  usage: 'tp [targets] <location|destination> [yaw pitch]',
  run: ({ serv, source, args }) => {
    const words = args.text
      .slice(args.at)
      .trim()
      .split(/ (?![^[]*\])/).length
    const alone = words === 1 || words === 3
    const targets = alone && source.player ? [source.player] : args.entities()
    const toEntity = words <= 2
    const destination = toEntity ? args.entities()[0] : null
    const position = destination ? destination.position.clone() : args.position()
    /** @type {[yaw: number, pitch: number] | undefined} */
    const rotation = args.done ? undefined : [args.coordinate(0), args.coordinate(0)]
    args.end()
    for (const target of targets) {
      move(serv, target, position, rotation)
    }
    const who = targets.length === 1 ? nameOf(targets[0]) : `${targets.length} entities`
    if (destination) return `Teleported ${who} to ${nameOf(destination)}`
    return `Teleported ${who} to ${position
      .toArray()
      .map((at) => at.toFixed(6))
      .join(', ')}`
  }
}

/** @param {Server} serv @param {Entity} entity @param {Vec3} position @param {[yaw: number, pitch: number]} [rotation] */
function move(serv, entity, position, rotation) {
  if (entity.type !== 'player') return serv.moveEntity(entity, position.clone(), false)
  entity.shutWindow()
  entity.teleport(position, rotation)
}
