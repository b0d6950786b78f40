/**
 * Programs that consist of a single call to a primitive, such as `await goTo(bot, new Vec3(1, 64,
 * 2), 2)`.
 *
 * Agents in a village run little else. Such a program computes nothing, so it needs no engine,
 * which would cost a thread, 13 MB and 0.1 s of CPU time. Only literal values are recognized; an
 * engine runs everything else.
 */
import { PLAIN } from '../primitives/index.js'
import { Run, messageOf } from './run.js'

/** @import { Program, Sandbox } from './sandbox.js' */
/** @import { Engine } from './run.js' */

/** Longer programs are never single calls. */
const LONGEST = 1000
const START = /^await ([A-Za-z]+)\(\s*bot\s*/
const END = /^\s*\)\s*;?$/
const COMMA = /^\s*,\s*/
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w.])/
const TEXT = /^(?:'([^'\\\n\r]*)'|"([^"\\\n\r]*)")/
const VECTOR = /^new Vec3\(([^()]*)\)/
const KEY = /^(?:([A-Za-z_]\w*)|'([^'\\\n\r]*)'|"([^"\\\n\r]*)")\s*:\s*/
/** @type {Record<string, unknown>} */
const WORDS = { true: true, false: false, null: null, undefined: { $: 'u' } }
/**
 * Return the position that an engine would report for this call: its opening bracket.
 * @param {Call} call
 */
const placeOf = ({ name }) => [1, 'await '.length + name.length + 1]

/** @typedef {{name: string, args: string}} Call a primitive and its arguments as JSON */

/** @param {Program} program @returns {Call | null} null: not a single call */
export function singleCall({ code, skills }) {
  if (code.length > LONGEST || Object.keys(skills).length) return null
  const text = code.trimEnd()
  const name = START.exec(text)?.[1] ?? ''
  if (!PLAIN.has(name)) return null
  const words = new Words(text.replace(START, ''))
  const args = []
  while (words.take(COMMA)) {
    const value = words.value()
    if (value === NONE) return null
    args.push(value)
  }
  return words.take(END) ? { name, args: JSON.stringify(args) } : null
}

/** Marks a missing value. */
const NONE = Symbol('none')

/** Reader for the rest of a program's text. */
class Words {
  /** @param {string} left */
  constructor(left) {
    this.left = left
  }

  /** @param {RegExp} form @returns {RegExpExecArray | null} the match; the reader moves past it */
  take(form) {
    const found = form.exec(this.left)
    if (found) this.left = this.left.slice(found[0].length)
    return found
  }

  /**
   * @param {boolean} [isInner] within an object, where objects are not allowed
   * @returns {unknown} the value as a program would pass it (`guest/wire.js`); NONE if there is no literal
   */
  value(isInner = false) {
    const number = this.take(NUMBER)
    if (number) return Number(number[0])
    const text = this.take(TEXT)
    if (text) return text[1] ?? text[2]
    const vector = this.take(VECTOR)
    if (vector) return vectorOf(vector[1].trim())
    const word = this.take(/^(?:true|false|null|undefined)\b/)
    if (word) return WORDS[word[0]]
    return isInner || !this.take(/^\{\s*/) ? NONE : this.object()
  }

  /** @returns {unknown} the object whose opening brace has already been read */
  object() {
    /** @type {Record<string, unknown>} */
    const fields = {}
    if (this.take(/^\}/)) return fields
    do {
      const key = this.take(KEY)
      const name = key ? (key[1] ?? key[2] ?? key[3]) : '__proto__'
      const value = this.value(true)
      if (name === '__proto__' || name === '$' || value === NONE) return NONE
      fields[name] = value
    } while (this.take(COMMA))
    return this.take(/^\s*\}/) ? fields : NONE
  }
}

/** @param {string} inside of its brackets @returns {unknown} */
function vectorOf(inside) {
  const parts = inside.split(/\s*,\s*/)
  const isVector = parts.length === 3 && parts.every((part) => NUMBER.exec(part)?.[0] === part)
  const [x, y, z] = parts.map(Number)
  return isVector ? { $: 'v', x, y, z } : NONE
}

/** Stand-in for the engine of a run that needs none. @type {Engine} */
const NO_ENGINE = {
  offer: () => {},
  post: () => {},
  press: async () => true,
  reply: () => {},
  tell: () => {}
}

/** Run of a single call: immediately executes the call that an engine would make. */
export class SingleRun extends Run {
  /** @param {Sandbox} sandbox @param {Program} program @param {Call} call */
  constructor(sandbox, program, call) {
    super(sandbox, program, NO_ENGINE)
    this.single = call
    this.isWhole = true // the run did not use any engine
  }

  start() {
    const { name, args } = this.single
    this.inTurn(name, args).then(
      () => this.settle('done', null),
      (error) =>
        this.settle(
          'error',
          this.describe({ message: messageOf(error), place: placeOf(this.single) })
        )
    )
  }

  /** @param {string} reason @param {'stopped' | 'timeout'} status */
  halt(reason, status) {
    this.settle(status, this.describe({ message: reason, place: placeOf(this.single) }))
  }
}
