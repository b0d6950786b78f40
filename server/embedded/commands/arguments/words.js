/** Syntax of blocks, `name[property=value]{data}`, and items, `name{tag}`, in commands. */
import { registry } from '../../minecraft/index.js'
import { propertiesOf, stateAt, stateOf } from '../../blocks/blocks.js'
import { tagged } from '../../minecraft/tags.js'
import { matches } from './nbt-path.js'
import { stackOf } from '../../minecraft/items.js'

/** @import { BlockKind, Item, ItemKind, Tag, Vec3 } from '../../types/index.d.ts' */
/** @import { Reader } from './reader.js' */

/**
 * @typedef {object} NamedBlock
 * @property {number} state
 * @property {string} name
 * @property {BlockKind} block
 * @property {Tag | null} data
 */

/** @param {Reader} args @returns {NamedBlock} */
export function readBlock(args) {
  const { name, inner, data } = readWord(args)
  if (name.startsWith('#')) throw args.error('argument.block.tag.disallowed')
  const block = kindNamed(args, name)
  const wanted = propertiesIn(args, block, inner)
  return { name: block.name, block, data, state: stateOf(block, wanted) }
}

/**
 * Read a block test: a name or a tag (`#minecraft:logs`), with properties and data.
 * @param {Reader} args
 * @returns {(position: Vec3) => boolean} true for matching blocks of loaded land
 */
export function readBlockTest(args) {
  const { serv } = args
  const { name, inner, data } = readWord(args)
  const isTag = name.startsWith('#')
  const names = isTag ? tagged('block', namespaced(name.slice(1))) : null
  if (isTag && !names) throw args.error('arguments.block.tag.unknown', namespaced(name.slice(1)))
  const block = isTag ? null : kindNamed(args, name)
  const wanted = Object.entries(block ? propertiesIn(args, block, inner) : pairsIn(args, inner))
  return (position) => {
    const state = stateAt(serv.overworld, position)
    const { name: there } = registry.blocksByStateId[state]
    if (block ? there !== block.name : !names?.has(there)) return false
    const actual = propertiesOf(state)
    if (!wanted.every(([property, value]) => actual[property] === value)) return false
    return !data || matches(serv.blockTag(position) ?? undefined, data)
  }
}

/**
 * @param {Reader} args
 * @returns {{name: string, inner: string, data: Tag | null}} the parts before, in and after the brackets
 */
function readWord(args) {
  const word = args.word()
  const [name] = word.split(/[[{]/, 1)
  const rest = word.slice(name.length)
  const inner = rest.match(/^\[([^\]]*)\]/)
  const isOpen = rest.startsWith('[') && !inner
  const tail = rest.slice(inner?.[0].length ?? 0)
  const isName = name.startsWith('#') || kindOf(name)
  if (isName && isOpen) throw args.error('argument.block.property.unclosed')
  if (isName && tail && !tail.startsWith('{')) throw args.error('command.expected.separator')
  const data = isName && tail ? args.tagIn(tail, args.start + word.length - tail.length) : null
  return { name, inner: inner?.[1] ?? '', data }
}

/** @param {Reader} args @param {string} name */
function kindNamed(args, name) {
  const block = kindOf(name)
  if (block) return block
  throw args.error('argument.block.id.invalid', namespaced(name))
}

/** @param {string} name @returns {BlockKind | null} */
function kindOf(name) {
  const bare = name.replace(/^minecraft:/, '')
  return Object.hasOwn(registry.blocksByName, bare) ? registry.blocksByName[bare] : null
}

/**
 * Read block properties for a tag; some of the tag's blocks may lack them.
 * @param {Reader} args @param {string} text such as facing=north @returns {Record<string, string>}
 */
function pairsIn(args, text) {
  const pairs = text.split(',').filter((part) => part.trim())
  return Object.fromEntries(
    pairs.map((pair) => {
      const [property, value] = pair.split('=').map((part) => part.trim())
      if (!value) throw args.error('argument.block.property.novalue', property, '#')
      return [property, value]
    })
  )
}

/**
 * @param {Reader} args @param {BlockKind} block @param {string} text such as facing=north
 * @returns {Record<string, string>}
 */
function propertiesIn(args, block, text) {
  const title = `minecraft:${block.name}`
  /** @type {Record<string, string>} */
  const wanted = {}
  for (const pair of text.split(',').filter((part) => part.trim())) {
    const [property, value] = pair.split('=').map((part) => part.trim())
    const known = block.states.some((state) => state.name === property)
    if (!known) throw args.error('argument.block.property.unknown', title, property)
    if (property in wanted) throw args.error('argument.block.property.duplicate', property, title)
    if (!value) throw args.error('argument.block.property.novalue', property, title)
    try {
      stateOf(block, { [property]: value })
    } catch {
      throw args.error('argument.block.property.invalid', title, value, property)
    }
    wanted[property] = value
  }
  return wanted
}

/** @param {string} word */
export const namespaced = (word) =>
  word.includes(':') ? word : `minecraft:${word.split(/[[{]/)[0]}`

// Syntax of items: `name{tag}`. Where a command accepts several items, also an item tag such as
// `#minecraft:planks`.

/** @param {Reader} args @param {string} name @returns {ItemKind} */
function itemKindNamed(args, name) {
  if (name.startsWith('#')) throw args.error('argument.item.tag.disallowed')
  const kind = registry.itemsByName[name.replace(/^minecraft:/, '')]
  if (!kind) throw args.error('argument.item.id.invalid', namespaced(name))
  return kind
}

/** @param {Reader} args @returns {ItemKind} */
export const readItem = (args) => itemKindNamed(args, args.word())

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

/**
 * @param {Reader} args @param {string} name of an item, or of a tag
 * @returns {Set<string>} names of items
 */
function namesIn(args, name) {
  if (!name.startsWith('#')) return new Set([itemKindNamed(args, name).name])
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
  const kind = itemKindNamed(args, name)
  const rest = word.slice(name.length)
  return stackOf(kind.id, 1, rest ? args.tagIn(rest, start + name.length) : null)
}
