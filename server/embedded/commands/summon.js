import { itemNamed, registry } from '../minecraft.js'
import { ANIMALS } from '../plugins/animals.js'
import { nameOfItem, translated } from '../texts.js'
import { CommandError, said } from './replies.js'

const NOTHING = { item: null, ageTicks: 0 }

/** @type {import('./index.js').Command} */
export const command = {
  names: ['summon'],
  run: ({ serv, args }) => {
    const name = args.word().replace('minecraft:', '')
    const kind = registry.entitiesByName[name]
    if (!kind)
      throw args.error('argument.resource.not_found', `minecraft:${name}`, 'minecraft:entity_type')
    const position = args.done ? args.origin() : args.position()
    const { item, ageTicks } = args.done ? NOTHING : itemIn(args)
    args.end()
    if (name === 'item' && item) serv.dropItem(item, position, { ageTicks })
    else if (name in ANIMALS) serv.spawnAnimal(name, position)
    else throw new CommandError('commands.summon.failed')
    const title = item ? nameOfItem(item.name) : translated(`entity.minecraft.${name}`)
    return said('commands.summon.success', title)
  }
}

/** @param {import('./reader.js').Reader} args */
function itemIn(args) {
  const text = args.word()
  const name = text.match(/id:\s*"?(?:minecraft:)?(\w+)"?/)?.[1]
  const count = Number(text.match(/Count:\s*(\d+)b?/)?.[1] ?? 1)
  if (!name || !registry.itemsByName[name] || count < 1)
    throw args.error('argument.item.id.invalid', name ?? '')
  return { item: itemNamed(name, count), ageTicks: Number(text.match(/Age:\s*(\d+)s?/)?.[1] ?? 0) }
}
