/** How commands name blocks: `name[property=value]{data}`. */
import { registry } from '../minecraft.js'
import { propertiesOf, stateOf } from '../plugins/blocks.js'

/** @import { BlockKind, Tag } from '../types.d.ts' */
/** @import { Reader } from './reader.js' */

/**
 * @typedef {object} NamedBlock
 * @property {number} state
 * @property {string} name
 * @property {BlockKind} block
 * @property {Tag | null} data
 * @property {(state: number) => boolean} matches whether a state is of it, with all properties that are named
 */

/** @param {Reader} args @returns {NamedBlock} */
export function readBlock(args) {
  const word = args.word()
  const [name] = word.split(/[[{]/, 1)
  const block = kindOf(name.replace(/^minecraft:/, ''))
  if (!block) throw args.error('argument.block.id.invalid', namespaced(name))
  const rest = word.slice(name.length)
  const inner = rest.match(/^\[([^\]]*)\]/)
  if (rest.startsWith('[') && !inner) throw args.error('argument.block.property.unclosed')
  const wanted = inner ? propertiesIn(args, block, inner[1]) : {}
  const tail = rest.slice(inner?.[0].length ?? 0)
  if (tail && !tail.startsWith('{')) throw args.error('command.expected.separator')
  const data = tail ? args.tagIn(tail, args.start + word.length - tail.length) : null
  const matches = (/** @type {number} */ state) => {
    if (registry.blocksByStateId[state] !== block) return false
    const actual = propertiesOf(state)
    return Object.entries(wanted).every(([property, value]) => actual[property] === value)
  }
  return { name: block.name, block, data, state: stateOf(block, wanted), matches }
}

/** @param {string} name @returns {BlockKind | null} */
const kindOf = (name) =>
  Object.hasOwn(registry.blocksByName, name) ? registry.blocksByName[name] : null

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
