/** NBT as people write it, in commands: read into prismarine-nbt's form, and written again. */
import { nbt } from '../minecraft.js'

/** @import { Tag } from '../types.d.ts' */

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([bslfd]?)$/i
/** @type {Record<string, 'byte' | 'short' | 'long' | 'float' | 'double'>} */
const SUFFIXES = { b: 'byte', s: 'short', l: 'long', f: 'float', d: 'double' }
/** @type {Record<string, 'byteArray' | 'intArray' | 'longArray'>} */
const ARRAYS = { B: 'byteArray', I: 'intArray', L: 'longArray' }
const BARE = /[\w.+-]/

/** Text that is no NBT. `key` is vanilla's word for it, `at` where it is in the text. */
export class SnbtError extends Error {
  /** @param {string} key @param {number} at */
  constructor(key, at) {
    super(key)
    this.key = key
    this.at = at
  }
}

/**
 * @param {string} text such as {Count: 3b, id: "stone"}
 * @returns {Tag} a compound
 * @throws {SnbtError}
 */
export function parseSnbt(text) {
  const reader = new Snbt(text)
  const tag = reader.compound()
  reader.space()
  if (reader.at < text.length) throw new SnbtError('argument.nbt.trailing', reader.at)
  return tag
}

class Snbt {
  /** @param {string} text */
  constructor(text) {
    this.text = text
    this.at = 0
  }

  space() {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  /** @param {string} char @returns {boolean} whether it comes next; it is read then */
  has(char) {
    this.space()
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  /** @param {string} char */
  expect(char) {
    if (!this.has(char)) throw new SnbtError('parsing.expected', this.at)
  }

  /** @returns {Tag} */
  value() {
    this.space()
    const char = this.text[this.at]
    if (char === '{') return this.compound()
    if (char === '[') return this.list()
    if (char === '"' || char === "'") return { type: 'string', value: this.quoted() }
    return typed(this.bare())
  }

  /** @returns {Tag} */
  compound() {
    this.expect('{')
    /** @type {Record<string, Tag>} */
    const value = {}
    while (!this.has('}')) {
      this.space()
      const char = this.text[this.at]
      const name = char === '"' || char === "'" ? this.quoted() : this.bare()
      this.expect(':')
      value[name] = this.value()
      if (this.has(',')) continue
      this.expect('}')
      break
    }
    return { type: 'compound', value }
  }

  /** @returns {Tag} */
  list() {
    this.expect('[')
    const array = this.text.slice(this.at).match(/^\s*([BIL]);/)
    if (array) this.at += array[0].length
    /** @type {Tag[]} */
    const parts = []
    while (!this.has(']')) {
      parts.push(this.value())
      if (this.has(',')) continue
      this.expect(']')
      break
    }
    const values = parts.map((part) => part.value)
    if (array) return { type: ARRAYS[array[1]], value: values }
    const [{ type } = { type: 'end' }] = parts
    if (parts.some((part) => part.type !== type)) {
      throw new SnbtError('argument.nbt.list.mixed', this.at)
    }
    return { type: 'list', value: { type, value: values } }
  }

  quoted() {
    const quote = this.text[this.at++]
    let text = ''
    for (; this.at < this.text.length; this.at++) {
      if (this.text[this.at] === quote) {
        this.at++
        return text
      }
      if (this.text[this.at] === '\\') this.at++
      text += this.text[this.at] ?? ''
    }
    throw new SnbtError('parsing.quote.expected.end', this.at)
  }

  bare() {
    const start = this.at
    while (BARE.test(this.text[this.at] ?? '')) this.at++
    if (start === this.at) throw new SnbtError('argument.nbt.expected.value', start)
    return this.text.slice(start, this.at)
  }
}

/** What a word without quotes is. @param {string} word @returns {Tag} */
function typed(word) {
  if (word === 'true' || word === 'false') return nbt.byte(Number(word === 'true'))
  const match = word.match(NUMBER)
  if (!match) return { type: 'string', value: word }
  const [, digits, suffix] = match
  const type = SUFFIXES[suffix.toLowerCase()]
  if (type === 'long') return { type, value: longOf(BigInt(digits)) }
  if (type) return { type, value: Number(digits) }
  return { type: /[.e]/i.test(digits) ? 'double' : 'int', value: Number(digits) }
}

/** @param {bigint} value @returns {[high: number, low: number]} */
const longOf = (value) => [
  Number(BigInt.asIntN(32, value >> 32n)),
  Number(BigInt.asIntN(32, value))
]

/** @type {Record<string, string>} */
const WRITTEN = { byte: 'b', short: 's', float: 'f', double: 'd', int: '' }

/** @param {Tag} tag @returns {string} as vanilla writes it */
export function snbtOf({ type, value }) {
  if (type === 'string') return JSON.stringify(value)
  if (type === 'compound') {
    const entries = Object.entries(/** @type {Record<string, Tag>} */ (value))
    return `{${entries.map(([name, part]) => `${name}: ${snbtOf(part)}`).join(', ')}}`
  }
  if (type === 'list') {
    const list = /** @type {{type: string, value: unknown[]}} */ (value)
    return `[${list.value.map((part) => snbtOf({ type: list.type, value: part })).join(', ')}]`
  }
  if (type === 'long') {
    const [high, low] = /** @type {[number, number]} */ (value)
    return `${(BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(low))}L`
  }
  if (Array.isArray(value)) {
    const letter = type[0].toUpperCase()
    return `[${letter}; ${value.map((part) => snbtOf({ type: type.replace('Array', ''), value: part })).join(', ')}]`
  }
  const isWhole = Number.isInteger(value) && (type === 'float' || type === 'double')
  return `${value}${isWhole ? '.0' : ''}${WRITTEN[type]}`
}

/** A compound's part in plain JavaScript, or undefined. @param {Tag | undefined} tag @param {string} name @returns {any} */
export function plainOf(tag, name) {
  const part = /** @type {Record<string, Tag> | undefined} */ (tag?.value)?.[name]
  return part && nbt.simplify(/** @type {any} */ (part))
}

/** A compound's part as it is. @param {Tag | undefined} tag @param {string} name @returns {Tag | undefined} */
export const partOf = (tag, name) =>
  /** @type {Record<string, Tag> | undefined} */ (tag?.value)?.[name]
