/** SNBT, the text form of NBT in commands: parse it to prismarine-nbt's form, and write it. */
import { nbt } from './index.js'

/** @import { Tag } from '../types/index.d.ts' */

const WHOLE = /^([+-]?(?:0|[1-9]\d*))([bsl]?)$/i
const BROKEN =
  /^([+-]?(?:\d+\.?|\d*\.\d+)(?:e[+-]?\d+)?)([fd])$|^([+-]?(?:\d+\.|\d*\.\d+)(?:e[+-]?\d+)?)$/i
/**
 * Types of whole numbers, and their sizes in bits.
 * @type {Record<string, [type: 'byte' | 'short' | 'int' | 'long', bits: number]>}
 */
const WHOLES = { b: ['byte', 8], s: ['short', 16], '': ['int', 32], l: ['long', 64] }
/** @type {Record<string, 'byteArray' | 'intArray' | 'longArray'>} */
const ARRAYS = { B: 'byteArray', I: 'intArray', L: 'longArray' }
const BARE = /[\w.+-]/

/** Text that is not NBT. `key` is vanilla's message key, `at` the position in the text. */
export class SnbtError extends Error {
  /** @param {string} key @param {number} at @param {...string} values */
  constructor(key, at, ...values) {
    super(key)
    this.key = key
    this.at = at
    this.values = values
  }
}

/**
 * @param {string} text such as {Count: 3b, id: "stone"}
 * @returns {Tag} a compound @throws {SnbtError}
 */
export function parseSnbt(text) {
  return whole(text, (reader) => reader.compound())
}

/** @param {string} text such as 3b, "stone" or [1, 2] @returns {Tag} @throws {SnbtError} */
export const parseTag = (text) => whole(text, (reader) => reader.value())

/** @param {string} text @param {(reader: Snbt) => Tag} read @returns {Tag} */
function whole(text, read) {
  const reader = new Snbt(text)
  const tag = read(reader)
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

  /** @param {string} char @returns {boolean} true if it came next; it is consumed */
  has(char) {
    this.space()
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  /** @param {string} char */
  expect(char) {
    if (!this.has(char)) throw new SnbtError('parsing.expected', this.at, char)
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
      setPart(value, name, this.value())
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
    const other = parts.find((part) => part.type !== type)
    if (other) {
      throw new SnbtError(
        'argument.nbt.list.mixed',
        this.at,
        prettyName(other.type),
        prettyName(type)
      )
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

/** Return vanilla's name of a type. @param {string} type such as intArray */
const prettyName = (type) =>
  `TAG_${type[0].toUpperCase()}${type.slice(1).replace('Array', '_Array')}`

/**
 * Return the value of an unquoted word; numbers too large for their type are strings.
 * @param {string} word @returns {Tag}
 */
function typed(word) {
  if (word === 'true' || word === 'false') return nbt.byte(Number(word === 'true'))
  const [, digits, suffix] = word.match(WHOLE) ?? []
  if (digits) {
    const [type, bits] = WHOLES[suffix.toLowerCase()]
    const value = BigInt(digits.replace('+', ''))
    if (BigInt.asIntN(bits, value) !== value) return { type: 'string', value: word }
    return { type, value: type === 'long' ? longOf(value) : Number(value) }
  }
  const [, marked, mark, plain] = word.match(BROKEN) ?? []
  if (plain ?? marked) {
    const value = Number(plain ?? marked)
    return mark?.toLowerCase() === 'f' ? nbt.float(Math.fround(value)) : nbt.double(value)
  }
  return { type: 'string', value: word }
}

/** @param {bigint} value @returns {[high: number, low: number]} */
const longOf = (value) => [
  Number(BigInt.asIntN(32, value >> 32n)),
  Number(BigInt.asIntN(32, value))
]

/** @type {Record<string, string>} */
const WRITTEN = { byte: 'b', short: 's', int: '' }
/**
 * Type letters of arrays, and of their elements.
 * @type {Record<string, [letter: string, after: string]>}
 */
const LETTERS = { byteArray: ['B', 'B'], intArray: ['I', ''], longArray: ['L', 'L'] }

/** @param {Tag} tag @returns {string} with spaces, as in chat */
export const snbtOf = (tag) => written(tag, ' ')

/** @param {Tag} tag @returns {string} without spaces, as in JSON texts */
export const compactSnbt = (tag) => written(tag, '')

/** @param {Tag} tag @param {string} space behind commas and colons @returns {string} */
function written({ type, value }, space) {
  if (type === 'string') return quote(String(value))
  if (type === 'compound') {
    const entries = Object.entries(/** @type {Record<string, Tag>} */ (value))
    const parts = entries.map(
      ([name, part]) =>
        `${/^[\w.+-]+$/.test(name) ? name : quote(name)}:${space}${written(part, space)}`
    )
    return `{${parts.join(`,${space}`)}}`
  }
  if (type === 'list') {
    const list = /** @type {{type: string, value: unknown[]}} */ (value)
    const parts = list.value.map((part) => written({ type: list.type, value: part }, space))
    return `[${parts.join(`,${space}`)}]`
  }
  if (type in LETTERS) {
    const [letter, after] = LETTERS[type]
    const parts = /** @type {unknown[]} */ (value).map((part) =>
      Array.isArray(part) ? bigOf(part) : part
    )
    return `[${letter};${parts.map((part) => `${space}${part}${after}`).join(',')}]`
  }
  if (type === 'long') return `${bigOf(value)}L`
  if (type === 'float') return `${floatText(Number(value))}f`
  if (type === 'double') return `${javaNumber(Number(value))}d`
  return `${value}${WRITTEN[type] ?? ''}`
}

/** @param {unknown} value the two halves of a long @returns {bigint} */
export function bigOf(value) {
  const [high, low] = /** @type {[number, number]} */ (value)
  return (BigInt(high) << 32n) | BigInt.asUintN(32, BigInt(low))
}

/**
 * Quote a text with single or double quotes, whichever does not appear first in it.
 * @param {string} text
 */
function quote(text) {
  const mark = text.match(/["']/)?.[0] === '"' ? "'" : '"'
  return `${mark}${text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)}${mark}`
}

/** @param {number} value of 32 bits @returns {string} as Java writes it */
export const floatText = (value) => javaNumber(shortest(value))

/** Return a 32-bit number with the fewest digits that identify it. @param {number} value */
function shortest(value) {
  const wanted = Math.fround(value)
  if (!Number.isFinite(wanted)) return wanted
  for (let digits = 1; digits < 9; digits++) {
    const found = Number(wanted.toPrecision(digits))
    if (Math.fround(found) === wanted) return found
  }
  return Number(wanted.toPrecision(9))
}

/** @param {number} value @returns {string} as Java writes it */
function javaNumber(value) {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  if (Object.is(value, -0)) return '-0.0'
  if (size === 0 || (size >= 1e-3 && size < 1e7)) {
    return Number.isInteger(value) ? `${value}.0` : String(value)
  }
  const [digits, power] = value.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(power)}`
}

/**
 * Set a member of a compound; any name is allowed, including `__proto__`.
 * @param {Record<string, Tag>} parts @param {string} name @param {Tag} value
 */
export const setPart = (parts, name, value) =>
  void Object.defineProperty(parts, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true
  })

/**
 * Return a member of a compound as plain JavaScript, or undefined.
 * @param {Tag | undefined} tag @param {string} name @returns {any}
 */
export function plainOf(tag, name) {
  const part = /** @type {Record<string, Tag> | undefined} */ (tag?.value)?.[name]
  return part && nbt.simplify(/** @type {any} */ (part))
}

/**
 * Return a member of a compound, or undefined.
 * @param {Tag | undefined} tag @param {string} name @returns {Tag | undefined}
 */
export const partOf = (tag, name) =>
  /** @type {Record<string, Tag> | undefined} */ (tag?.value)?.[name]
