import { nameOf } from './reader.js'

/** @import { Entity, Server } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['kill'],
  usage: 'kill [targets]',
  run: ({ serv, source, args }) => {
    const targets = args.done && source.player ? [source.player] : args.entities()
    args.end()
    for (const target of targets) kill(serv, target)
    return targets.length === 1
      ? `Killed ${nameOf(targets[0])}`
      : `Killed ${targets.length} entities`
  }
}

/** @param {Server} serv @param {Entity} entity */
function kill(serv, entity) {
  if (entity.type === 'object') serv.removeDrop(entity)
  else if (entity.type === 'player') entity.hurt(entity.health, 'generic_kill')
  else entity.hurt(entity.health)
}
