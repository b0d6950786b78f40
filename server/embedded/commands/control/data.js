/** `data`: read, merge, change and remove data of blocks, entities and storage. */
import { compound, elementsOf, fill, isSame, merge, partsOf } from '../arguments/nbt-path.js'
import { CommandError, told } from '../replies.js'
import { bigOf, snbtOf } from '../../minecraft/snbt.js'
import { modified, oneAt, readPath, readTarget, shown, unchanged } from '../arguments/targets.js'

/** @import { Tag } from '../../types/index.d.ts' */
/** @import { NbtPath } from '../arguments/nbt-path.js' */
/** @import { Reader } from '../arguments/reader.js' */
/** @import { Target } from '../arguments/targets.js' */

const KEY = 'commands.data'
const NUMBERS = ['byte', 'short', 'int', 'long', 'float', 'double']
const LARGEST = 2 ** 31 - 1

/** @type {Record<string, (args: Reader) => import('../replies.js').Reply>} */
const ACTIONS = { get, merge: mergeInto, modify, remove }

/** @type {import('../index.js').Command} */
export const command = {
  names: ['data'],
  run: ({ args }) => ACTIONS[args.oneOf(Object.keys(ACTIONS))](args)
}

/** @param {Reader} args */
function get(args) {
  const target = readTarget(args)
  if (args.done) return shown(target, target.look())
  const path = readPath(args)
  const scale = args.done ? null : args.float()
  args.end()
  const tag = oneAt(path, target.look())
  if (scale === null) return shown(target, tag).worth(sizeOf(tag))
  if (!NUMBERS.includes(tag.type)) throw new CommandError(`${KEY}.get.invalid`, path.text)
  const value = whole(numberOf(tag) * scale)
  return told(
    `${KEY}.${target.kind}.get`,
    path.text,
    ...target.title,
    scale.toFixed(2),
    value
  ).worth(value)
}

/** @param {Reader} args */
function mergeInto(args) {
  const target = readTarget(args)
  const tag = args.tag()
  args.end()
  const now = target.read()
  merge(now, tag)
  if (isSame(now, target.read())) throw unchanged()
  target.write(now)
  return modified(target)
}

/** @param {Reader} args */
function remove(args) {
  const target = readTarget(args)
  const path = readPath(args)
  args.end()
  const now = target.read()
  const count = path.remove(now)
  if (!count) throw unchanged()
  target.write(now)
  return modified(target).worth(count)
}

/** @param {Reader} args */
function modify(args) {
  const target = readTarget(args)
  const path = readPath(args)
  const how = args.oneOf(['append', 'insert', 'merge', 'prepend', 'set'])
  const index = how === 'insert' ? args.integer() : how === 'append' ? -1 : 0
  const values = readValues(args)
  args.end()
  const now = target.read()
  const count = CHANGES[how](path, now, values, index)
  if (!count) throw unchanged()
  target.write(now)
  return modified(target).worth(count)
}

/** @type {Record<string, (path: NbtPath, root: Tag, values: Tag[], index: number) => number>} */
const CHANGES = {
  set: (path, root, values) => path.set(root, values[values.length - 1]),
  merge: mergeAt,
  append: insertAt,
  insert: insertAt,
  prepend: insertAt
}

/** @param {NbtPath} path @param {Tag} root @param {Tag[]} values */
function mergeAt(path, root, values) {
  const into = path.getOrMake(root, compound)
  for (const tag of [...values, ...into]) {
    if (!partsOf(tag)) throw new CommandError(`${KEY}.modify.expected_object`, snbtOf(tag))
  }
  return into.filter((tag) => {
    const before = structuredClone(tag)
    for (const value of values) merge(tag, value)
    return !isSame(before, tag)
  }).length
}

/**
 * @param {NbtPath} path @param {Tag} root @param {Tag[]} values
 * @param {number} index negative: from the end
 */
function insertAt(path, root, values, index) {
  const lists = path.getOrMake(root, () => ({ type: 'list', value: { type: 'end', value: [] } }))
  return lists.filter((tag) => {
    const elements = elementsOf(tag)
    if (!elements) throw new CommandError(`${KEY}.modify.expected_list`, snbtOf(tag))
    let at = index < 0 ? elements.length + index + 1 : index
    if (at < 0 || at > elements.length) {
      throw new CommandError(`${KEY}.modify.invalid_index`, index)
    }
    let isChanged = false
    for (const value of values) {
      const now = elementsOf(tag) ?? []
      if (!fill(tag, now.toSpliced(at, 0, structuredClone(value)))) continue
      isChanged = true
      at++
    }
    return isChanged
  }).length
}

/** Read the source of new values. @param {Reader} args @returns {Tag[]} at least one */
function readValues(args) {
  const how = args.oneOf(['from', 'string', 'value'])
  if (how === 'value') return [args.anyTag()]
  const source = readTarget(args)
  const found = args.done ? [source.read()] : readPath(args).get(source.read())
  if (how === 'from') return found
  const start = args.done ? 0 : args.integer()
  const end = args.done ? null : args.integer()
  return found.map((tag) => ({ type: 'string', value: cut(textOf(tag), start, end) }))
}

/** @param {string} text @param {number} start @param {number | null} end */
function cut(text, start, end) {
  const place = (/** @type {number} */ at) => (at < 0 ? at + text.length : at)
  const [from, to] = [place(start), end === null ? text.length : place(end)]
  if (from < 0 || to > text.length || from > to) {
    throw new CommandError(`${KEY}.modify.invalid_substring`, from, to)
  }
  return text.slice(from, to)
}

/** @param {Tag} tag @returns {string} */
function textOf(tag) {
  if (tag.type === 'string') return String(tag.value)
  if (NUMBERS.includes(tag.type)) return snbtOf(tag)
  throw new CommandError(`${KEY}.modify.expected_value`, snbtOf(tag))
}

/** @param {Tag} tag a number */
export const numberOf = ({ type, value }) => Number(type === 'long' ? bigOf(value) : value)

/** Return the number that `execute store` stores for a value. @param {Tag} tag */
function sizeOf(tag) {
  if (NUMBERS.includes(tag.type)) return whole(numberOf(tag))
  const parts = partsOf(tag)
  if (parts) return Object.keys(parts).length
  return elementsOf(tag)?.length ?? String(tag.value).length
}

/** @param {number} value */
const whole = (value) =>
  Number.isNaN(value) ? 0 : Math.max(-LARGEST - 1, Math.min(LARGEST, Math.floor(value)))
