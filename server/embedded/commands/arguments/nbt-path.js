/**
 * Paths into NBT, such as `Items[0].tag.display` or `Items[{id: "minecraft:dirt"}].Count`: parsing,
 * reading, setting and removing as in vanilla (minecraft.wiki: NBT path).
 */
import { CommandError } from '../replies.js'
import { parseSnbt, setPart, SnbtError } from '../../minecraft/snbt.js'

/** @import { Tag } from '../../types/index.d.ts' */
/** @typedef {Record<string, Tag>} Parts of a compound */
/**
 * Step of a path: the root if it matches, a member by name, or elements of a list.
 * @typedef {object} Step
 * @property {'root' | 'name' | 'index' | 'all'} kind
 * @property {string} [name]
 * @property {number} [index] negative: from the end
 * @property {Tag} [pattern] that the value must match
 * @property {number} end offset of its end in the path's text
 */

const MOST_DEEP = 512
/** Element types of arrays. @type {Record<string, string>} */
const ELEMENTS = { byteArray: 'byte', intArray: 'int', longArray: 'long' }

/** @returns {Tag} an empty compound */
export const compound = () => ({ type: 'compound', value: {} })
/** @returns {Tag} */
const list = () => ({ type: 'list', value: { type: 'end', value: [] } })

/** @param {Tag} tag @returns {Parts | null} */
export const partsOf = ({ type, value }) =>
  type === 'compound' ? /** @type {Parts} */ (value) : null

/** @param {Tag} tag @returns {Tag[] | null} elements of a list or array */
export function elementsOf({ type, value }) {
  if (type in ELEMENTS) {
    return /** @type {unknown[]} */ (value).map((part) => ({ type: ELEMENTS[type], value: part }))
  }
  if (type !== 'list') return null
  const held = /** @type {{type: string, value: unknown[]}} */ (value)
  return held.value.map((part) => ({ type: held.type, value: part }))
}

/**
 * @param {Tag} tag a list or array, which is filled @param {Tag[]} elements
 * @returns {boolean} true if they fit into it
 */
export function fill(tag, elements) {
  const type = ELEMENTS[tag.type] ?? elements[0]?.type ?? 'end'
  if (elements.some((element) => element.type !== type)) return false
  const values = elements.map(({ value }) => value)
  // Changed in place, because nested lists are found by the identity of their content.
  if (tag.type === 'list') Object.assign(/** @type {object} */ (tag.value), { type, value: values })
  else /** @type {unknown[]} */ (tag.value).splice(0, Infinity, ...values)
  return true
}

/** @param {Tag | undefined} a @param {Tag | undefined} b @returns {boolean} */
export function isSame(a, b) {
  if (!a || !b || a.type !== b.type) return a === b
  const [parts, others] = [partsOf(a), partsOf(b)]
  if (!parts || !others) {
    const [one, other] = [elementsOf(a), elementsOf(b)]
    if (!one || !other) return JSON.stringify(a.value) === JSON.stringify(b.value)
    return one.length === other.length && one.every((part, at) => isSame(part, other[at]))
  }
  const names = Object.keys(parts)
  return (
    names.length === Object.keys(others).length &&
    names.every((name) => Object.hasOwn(others, name) && isSame(parts[name], others[name]))
  )
}

/**
 * Return true if a tag contains everything in a pattern.
 * @param {Tag | undefined} tag @param {Tag} pattern @returns {boolean}
 */
export function matches(tag, pattern) {
  if (tag?.type !== pattern.type) return false
  const wanted = partsOf(pattern)
  if (wanted) {
    const parts = /** @type {Parts} */ (tag.value)
    return Object.entries(wanted).every(
      ([name, part]) => Object.hasOwn(parts, name) && matches(parts[name], part)
    )
  }
  if (pattern.type !== 'list') return isSame(tag, pattern)
  const [there, sought] = [elementsOf(tag) ?? [], elementsOf(pattern) ?? []]
  if (!sought.length) return !there.length
  return sought.every((part) => there.some((element) => matches(element, part)))
}

/** Merge a compound into another, recursively. @param {Tag} into @param {Tag} from */
export function merge(into, from) {
  const parts = /** @type {Parts} */ (into.value)
  for (const [name, part] of Object.entries(/** @type {Parts} */ (from.value))) {
    const there = Object.hasOwn(parts, name) ? parts[name] : undefined
    if (there?.type === 'compound' && part.type === 'compound') merge(there, part)
    else setPart(parts, name, structuredClone(part))
  }
}

/** @param {Tag} tag @returns {number} nesting depth of compounds and lists */
function depthOf(tag) {
  const parts = partsOf(tag) ? Object.values(partsOf(tag) ?? {}) : (elementsOf(tag) ?? [])
  return parts.length ? 1 + Math.max(...parts.map(depthOf)) : 1
}

/** A tag that a path has found, and the container that it is in. */
class Place {
  /**
   * @param {Tag} tag @param {(tag: Tag) => boolean} put returns true if it fits there
   * @param {() => void} drop
   */
  constructor(tag, put, drop) {
    this.tag = tag
    this.put = put
    this.drop = drop
  }
}

export class NbtPath {
  /** @param {string} text @throws {SnbtError} it is no path */
  constructor(text) {
    this.text = text
    this.steps = stepsOf(text)
  }

  /**
   * @param {Tag} root
   * @returns {Tag[]} values at the path, at least one @throws {CommandError} none found
   */
  get(root) {
    let places = [rootOf(root)]
    for (const step of this.steps) {
      places = places.flatMap((place) => stepInto(place, step))
      if (!places.length) {
        const upTo = this.text.slice(0, step.end)
        throw new CommandError('arguments.nbtpath.nothing_found', upTo)
      }
    }
    return places.map(({ tag }) => tag)
  }

  /** @param {Tag} root @returns {number} number of values at the path */
  count(root) {
    return this.steps.reduce(
      (places, step) => places.flatMap((place) => stepInto(place, step)),
      [rootOf(root)]
    ).length
  }

  /**
   * @param {Tag} root which is changed @param {() => Tag} make creates a missing last value
   * @returns {Tag[]}
   */
  getOrMake(root, make) {
    return this.#walk(root, this.steps, make).map(({ tag }) => tag)
  }

  /** @param {Tag} root which is changed @param {Tag} tag @returns {number} number of changed values */
  set(root, tag) {
    if (depthOf(tag) + this.steps.length > MOST_DEEP) {
      throw new CommandError('arguments.nbtpath.too_deep')
    }
    const last = this.steps[this.steps.length - 1]
    const parents = this.#walk(root, this.steps.slice(0, -1), () => parentFor(last))
    return parents.reduce((sum, parent) => sum + putInto(parent, last, tag), 0)
  }

  /** @param {Tag} root which is changed @returns {number} number of removed values */
  remove(root) {
    const last = this.steps[this.steps.length - 1]
    const parents = this.steps
      .slice(0, -1)
      .reduce((places, step) => places.flatMap((place) => stepInto(place, step)), [rootOf(root)])
    const found = last.kind === 'root' ? [] : parents.map((parent) => stepInto(parent, last))
    // From the end, so that earlier indices stay valid.
    for (const places of found) for (const place of places.reverse()) place.drop()
    return found.flat().length
  }

  /** @param {Tag} root @param {Step[]} steps @param {() => Tag} make @returns {Place[]} */
  #walk(root, steps, make) {
    let places = [rootOf(root)]
    for (const [at, step] of steps.entries()) {
      const next = steps[at + 1]
      places = places.flatMap((place) => {
        const found = stepInto(place, step)
        if (found.length) return found
        return makeAt(place, step, next ? parentFor(next) : make())
      })
      if (!places.length) {
        const upTo = this.text.slice(0, step.end)
        throw new CommandError('arguments.nbtpath.nothing_found', upTo)
      }
    }
    return places
  }
}

/** @param {Tag} tag */
const rootOf = (tag) => {
  const stays = () => false
  return new Place(tag, stays, stays)
}

/** Return an empty container to which a step can be applied. @param {Step} step */
const parentFor = ({ kind }) => (kind === 'index' || kind === 'all' ? list() : compound())

/** @param {Place} place @param {Step} step @returns {Place[]} */
function stepInto(place, { kind, name = '', index = 0, pattern }) {
  const { tag } = place
  if (kind === 'root') return matches(tag, pattern ?? compound()) ? [place] : []
  if (kind === 'name') {
    const parts = partsOf(tag)
    const part = parts && Object.hasOwn(parts, name) ? parts[name] : null
    if (!parts || !part || (pattern && !matches(part, pattern))) return []
    return [partPlace(parts, name)]
  }
  const elements = elementsOf(tag)
  if (!elements) return []
  const all = elements.map((element, at) => elementPlace(tag, element, at))
  if (kind === 'index') return all.slice(index < 0 ? index + all.length : index).slice(0, 1)
  return pattern ? all.filter((one) => matches(one.tag, pattern)) : all
}

/** @param {Parts} parts @param {string} name */
function partPlace(parts, name) {
  const put = (/** @type {Tag} */ now) => {
    setPart(parts, name, now)
    return true
  }
  return new Place(parts[name], put, () => void delete parts[name])
}

/** @param {Tag} tag a list or array @param {Tag} element of it @param {number} at */
function elementPlace(tag, element, at) {
  const now = () => elementsOf(tag) ?? []
  const put = (/** @type {Tag} */ other) => {
    const isAlone = tag.type === 'list' && now().length === 1
    return fill(tag, isAlone ? [other] : now().with(at, other))
  }
  return new Place(element, put, () => fill(tag, now().toSpliced(at, 1)))
}

/**
 * Create the value that a step did not find.
 * @param {Place} place @param {Step} step @param {Tag} made @returns {Place[]}
 */
function makeAt({ tag }, { kind, name = '', pattern }, made) {
  const parts = partsOf(tag)
  if (kind === 'name' && parts && !Object.hasOwn(parts, name)) {
    setPart(parts, name, pattern ? structuredClone(pattern) : made)
    return [partPlace(parts, name)]
  }
  const elements = elementsOf(tag)
  if (kind !== 'all' || !elements) return []
  const one = pattern ? structuredClone(pattern) : made
  if (!fill(tag, [...elements, one])) return []
  return [elementPlace(tag, (elementsOf(tag) ?? [])[elements.length], elements.length)]
}

/** @param {Place} parent @param {Step} step @param {Tag} tag @returns {number} number of changes */
function putInto(parent, step, tag) {
  if (step.kind === 'root') return 0
  const found = stepInto(parent, step)
  if (!found.length) {
    const made = makeAt(parent, step, structuredClone(tag))
    for (const place of made) if (!isSame(place.tag, tag)) place.put(structuredClone(tag))
    return made.length
  }
  const other = found.filter((place) => !isSame(place.tag, tag))
  const elements = step.kind === 'all' && !step.pattern ? elementsOf(parent.tag) : null
  if (!elements) return other.filter((place) => place.put(structuredClone(tag))).length
  return fill(
    parent.tag,
    elements.map(() => structuredClone(tag))
  )
    ? other.length
    : 0
}

/** @param {string} text @returns {Step[]} @throws {SnbtError} */
function stepsOf(text) {
  /** @type {Step[]} */
  const steps = []
  const wrong = (/** @type {number} */ at) => new SnbtError('arguments.nbtpath.node.invalid', at)
  let at = 0
  const take = (/** @type {RegExp} */ form) => {
    const found = text.slice(at).match(form)
    if (found) at += found[0].length
    return found
  }
  const pattern = () => {
    const start = at
    at = endOfCompound(text, at)
    if (at < 0) throw wrong(start)
    return parseSnbt(text.slice(start, at))
  }
  if (text.startsWith('{')) steps.push({ kind: 'root', pattern: pattern(), end: at })
  for (; at < text.length;) {
    const isFirst = !steps.length
    const isList = text[at] === '['
    if (!isFirst && !isList && !take(/^\./)) throw wrong(at)
    if (take(/^\[/)) {
      const whole = take(/^-?\d+/)
      const held = !whole && text[at] === '{' ? pattern() : undefined
      if (!take(/^\]/)) throw wrong(at)
      if (whole) steps.push({ kind: 'index', index: Number(whole[0]), end: at })
      else steps.push({ kind: 'all', pattern: held, end: at })
      continue
    }
    const name = take(/^"(?:\\.|[^"\\])*"|^'(?:\\.|[^'\\])*'|^[^ "'[\]{}.]+/)?.[0]
    if (!name) throw wrong(at)
    const held = text[at] === '{' ? pattern() : undefined
    steps.push({ kind: 'name', name: bare(name), pattern: held, end: at })
  }
  if (!steps.length) throw wrong(0)
  return steps
}

/** @param {string} name */
const bare = (name) => (/^["']/.test(name) ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name)

/** @param {string} text @param {number} at start of a compound @returns {number} its end, or -1 */
function endOfCompound(text, at) {
  let depth = 0
  let quote = ''
  for (; at < text.length; at++) {
    const char = text[at]
    if (quote) {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return at + 1
  }
  return -1
}
