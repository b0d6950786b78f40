import { itemOf } from '../../minecraft/items.js'
import { BOUNDS, registry, Vec3 } from '../../minecraft/index.js'
import { nameOfEntity } from '../../minecraft/texts.js'
import { CommandError, said } from '../replies.js'
import { partOf, plainOf } from '../../minecraft/snbt.js'

/** @import { Entity, Server, Tag } from '../../types/index.d.ts' */

/** @type {import('../index.js').Command} */
export const command = {
  names: ['summon'],
  run: ({ serv, args }) => {
    const name = args.word().replace('minecraft:', '')
    if (!Object.hasOwn(registry.entitiesByName, name))
      throw args.error('argument.resource.not_found', `minecraft:${name}`, 'minecraft:entity_type')
    const position = args.done ? args.origin().clone() : args.position()
    const data = args.done ? undefined : args.tag()
    args.end()
    if (Math.abs(position.x) > BOUNDS.edge || Math.abs(position.z) > BOUNDS.edge)
      throw new CommandError('commands.summon.invalidPosition')
    serv.loadBox(position.floored(), position.floored())
    const entity =
      name === 'item' ? itemFrom(serv, position, data, args) : serv.summon(name, position, data)
    if (!entity) throw new CommandError('entity.not_summonable', `minecraft:${name}`)
    return said('commands.summon.success', nameOfEntity(entity))
  }
}

/**
 * @param {Server} serv @param {Vec3} position @param {Tag | undefined} data
 * @param {import('../arguments/reader.js').Reader} args @returns {Entity}
 */
function itemFrom(serv, position, data, args) {
  const tag = partOf(data, 'Item')
  const item = itemOf(tag)
  if (!item) throw args.error('argument.item.id.invalid', String(plainOf(tag, 'id') ?? ''))
  return serv.dropItem(item, position, { ageTicks: plainOf(data, 'Age') ?? 0 })
}
