import { itemNamed, registry } from '../minecraft.js'
import { ANIMALS } from '../plugins/animals.js'
import { CommandError } from './reader.js'

const NOTHING = { item: null, ageTicks: 0 }

/** @type {import('./index.js').Command} */
export const command = {
  names: ['summon'],
  usage: 'summon item [pos] {Item:{id:"…",Count:…b},Age:…s} | summon cow|pig|sheep|chicken [pos]',
  run: ({ serv, args }) => {
    const name = args.word().replace('minecraft:', '')
    const kind = registry.entitiesByName[name]
    if (!kind) throw args.error(`Unknown entity type 'minecraft:${name}'`)
    const position = args.done ? args.origin() : args.position()
    const { item, ageTicks } = args.done ? NOTHING : itemIn(args)
    args.end()
    if (name === 'item' && item) serv.dropItem(item, position, { ageTicks })
    else if (name in ANIMALS) serv.spawnAnimal(name, position)
    else throw new CommandError('Unable to summon entity')
    return `Summoned new ${item?.displayName ?? kind.displayName}`
  }
}

/** @param {import('./reader.js').Reader} args */
function itemIn(args) {
  const text = args.word()
  const name = text.match(/id:\s*"?(?:minecraft:)?(\w+)"?/)?.[1]
  const count = Number(text.match(/Count:\s*(\d+)b?/)?.[1] ?? 1)
  if (!name || !registry.itemsByName[name] || count < 1) throw args.error('Expected an item')
  return { item: itemNamed(name, count), ageTicks: Number(text.match(/Age:\s*(\d+)s?/)?.[1] ?? 0) }
}
