import { nameOfEntity } from '../../minecraft/texts.js'
import { said } from '../replies.js'

/** @import { Entity, Server } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['kill'],
  run: ({ serv, args }) => {
    const targets = args.done ? [args.self()] : args.entities()
    args.end()
    const names = targets.map(nameOfEntity)
    for (const target of targets) kill(serv, target)
    return names.length === 1
      ? said('commands.kill.success.single', names[0])
      : said('commands.kill.success.multiple', names.length).worth(names.length)
  }
}

/** @param {Server} serv @param {Entity} entity */
function kill(serv, entity) {
  if (entity.type === 'object') serv.removeDrop(entity)
  else if (entity.type === 'thing') serv.removeThing(entity)
  else if (entity.type === 'mob') entity.hurt(entity.health, 'generic_kill')
  else entity.hurt(entity.health + entity.absorption, 'generic_kill')
}
