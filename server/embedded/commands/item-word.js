/** How commands name items: `name{tag}`, and tags of items, such as `#minecraft:planks`, where several may be meant. */
import { stackOf } from '../items.js'
import { registry } from '../minecraft.js'
import { tagged } from '../tags.js'
import { namespaced } from './block-word.js'
import { matches } from './nbt-path.js'

/** @import { Item, ItemKind } from '../types.d.ts' */
/** @import { Reader } from './reader.js' */

/** @param {Reader} args @param {string} name @returns {ItemKind} */
function kindNamed(args, name) {
  if (name.startsWith('#')) throw args.error('argument.item.tag.disallowed')
  const kind = registry.itemsByName[name.replace(/^minecraft:/, '')]
  if (!kind) throw args.error('argument.item.id.invalid', namespaced(name))
  return kind
}

/** @param {Reader} args @returns {ItemKind} */
export const readItem = (args) => kindNamed(args, args.word())

/** @param {Reader} args @returns {(item: Item) => boolean} */
export function readItems(args) {
  const word = args.word()
  if (word === '*') return () => true
  const [name] = word.split('{', 1)
  const names = namesIn(args, name)
  const rest = word.slice(name.length)
  const tag = rest ? args.tagIn(rest, args.start + name.length) : null
  return (item) => names.has(item.name) && (!tag || matches(item.nbt ?? undefined, tag))
}

/** @param {Reader} args @param {string} name of an item, or of a tag @returns {Set<string>} names of items */
function namesIn(args, name) {
  if (!name.startsWith('#')) return new Set([kindNamed(args, name).name])
  const id = namespaced(name.slice(1))
  const names = tagged('item', id)
  if (!names) throw args.error('arguments.item.tag.unknown', id)
  return names
}

/** @param {Reader} args @returns {Item} a stack of one */
export function readStack(args) {
  const word = args.word()
  const { start } = args
  const [name] = word.split('{', 1)
  const kind = kindNamed(args, name)
  const rest = word.slice(name.length)
  return stackOf(kind.id, 1, rest ? args.tagIn(rest, start + name.length) : null)
}
