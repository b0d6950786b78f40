/** How commands name blocks: `name[property=value]{data}`. */
import { registry } from '../minecraft.js'
import { propertiesOf, stateAt, stateOf } from '../plugins/blocks.js'
import { tagged } from '../tags.js'
import { matches } from './nbt-path.js'

/** @import { BlockKind, Tag, Vec3 } from '../types.d.ts' */
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

/** What a block may be: one of a name or of a tag (`#minecraft:logs`), with properties and data. @param {Reader} args @returns {(position: Vec3) => boolean} whether it is so at a place whose land is loaded */
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

/** @param {Reader} args @returns {{name: string, inner: string, data: Tag | null}} what stands before, in and behind the brackets */
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

/** Properties of a tag's blocks, which may have them or not. @param {Reader} args @param {string} text such as facing=north @returns {Record<string, string>} */
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

/** @param {Reader} args @param {BlockKind} block @param {string} text such as facing=north @returns {Record<string, string>} */
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
