/** Errors described in terms of the agent's program. */
import { LIMITS } from './limits.js'
import { textOf } from './outcome.js'
import { LINES_BEFORE } from './program.js'

/** @import { CodeError } from '../protocol.d.ts' */

/**
 * @param {{message?: unknown, stack?: unknown, place?: unknown}} error as the engine reports it
 * @param {{code: string, skills: Record<string, string>}} program
 * @param {string[]} done descriptions of what its primitives did @returns {CodeError}
 */
export function describe({ message, stack, place }, { code, skills }, done) {
  const trace = textOf(stack)
  const { line, column } = Array.isArray(place) ? written(place) : placeIn(trace)
  const source = line === null ? null : lineOf(code, line)
  const text = `${textOf(message).slice(0, LIMITS.MESSAGE)}${placeInSkill(trace, skills)}`
  return { message: text.toWellFormed(), line, column, source, done: [...done] }
}

/**
 * Return a valid line or column number, or null. The agent can forge its stack, and the engine
 * knows no line for a loop without a call.
 * @param {unknown} value
 */
const known = (value) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.TEXT
    ? Number(value)
    : null

/** @param {unknown[]} place */
const written = ([line, column]) => ({ line: known(line), column: known(column) })

/** @param {string} code @param {number} line */
const lineOf = (code, line) =>
  (code.split('\n')[line - 1] ?? '').trim().slice(0, LIMITS.LINE).toWellFormed()

/** @param {string} stack @returns {{line: number | null, column: number | null}} in the agent's code */
function placeIn(stack) {
  const match = stack.match(/\bpolicy\.js:(\d+)(?::(\d+))?/)
  if (!match) return { line: null, column: null }
  const line = known(Number(match[1]) - LINES_BEFORE)
  return { line, column: line === null ? null : known(Number(match[2])) }
}

/**
 * Return where in a skill an error came from; an empty text if it came from elsewhere.
 * @param {string} stack @param {Record<string, string>} skills
 */
function placeInSkill(stack, skills) {
  const [, name = '', line] = stack.match(/\b(\w+)\.js:(\d+)/) ?? []
  if (!Object.hasOwn(skills, name)) return ''
  const number = known(Number(line) - LINES_BEFORE)
  if (number === null) return ` (in the skill ${name})`
  return ` (in the skill ${name}, line ${number}: ${lineOf(skills[name], number)})`
}
