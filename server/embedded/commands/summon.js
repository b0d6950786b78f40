import { Item, registry, Vec3 } from '../minecraft.js'
import { nameOfEntity } from '../texts.js'
import { CommandError, said } from './replies.js'
import { partOf, plainOf } from './snbt.js'

/** @import { Entity, Server, Tag } from '../types.d.ts' */

/** Blocks from the middle of the world, as far as something may be. */
const FARTHEST = 3e7

/** @type {import('./index.js').Command} */
export const command = {
  names: ['summon'],
  run: ({ serv, args }) => {
    const name = args.word().replace('minecraft:', '')
    if (!registry.entitiesByName[name])
      throw args.error('argument.resource.not_found', `minecraft:${name}`, 'minecraft:entity_type')
    const position = args.done ? args.origin().clone() : args.position()
    const data = args.done ? undefined : args.tag()
    args.end()
    if (Math.abs(position.x) > FARTHEST || Math.abs(position.z) > FARTHEST)
      throw new CommandError('commands.summon.invalidPosition')
    serv.loadBox(position.floored(), position.floored())
    const entity =
      name === 'item' ? itemFrom(serv, position, data, args) : serv.summon(name, position, data)
    if (!entity) throw new CommandError('entity.not_summonable', `minecraft:${name}`)
    return said('commands.summon.success', nameOfEntity(entity))
  }
}

/** @param {Server} serv @param {Vec3} position @param {Tag | undefined} data @param {import('./reader.js').Reader} args @returns {Entity} */
function itemFrom(serv, position, data, args) {
  const tag = partOf(data, 'Item')
  const name = String(plainOf(tag, 'id') ?? '').replace('minecraft:', '')
  const count = plainOf(tag, 'Count') ?? 1
  const kind = registry.itemsByName[name]
  if (!kind || count < 1) throw args.error('argument.item.id.invalid', name)
  const nbt = /** @type {any} */ (partOf(tag, 'tag') ?? null)
  const item = new Item(kind.id, count, 0, nbt && { ...nbt, name: '' })
  return serv.dropItem(item, position, { ageTicks: plainOf(data, 'Age') ?? 0 })
}
