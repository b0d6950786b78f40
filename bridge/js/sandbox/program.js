/**
 * Parse an agent's program before it runs: find syntax errors and their positions, and the function
 * to call.
 */
import { parse } from 'acorn'
import { MAX_CHARACTERS } from './program-length.js'

/** @typedef {SyntaxError & {loc?: {line: number, column: number}}} ParseError acorn's error */

/** A program that cannot start; `line` and `column` count from 1. */
export class ProgramError extends Error {
  /** @param {string} message @param {number | null} line @param {number | null} column */
  constructor(message, line, column) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** Number of lines that `wrap` puts before the agent's first line. */
export const LINES_BEFORE = 1

/**
 * Wrap a program into one async call.
 *
 * A program is a list of statements that may use `await`. As in Voyager, if a program only declares
 * functions, its last `async function name(bot)` is called.
 * @param {string} code @returns {string} an expression whose value is a promise
 */
export function wrap(code) {
  const call = mainCall(parseProgram(code))
  return `'use strict';(async () => {\n${code}\n${call}\n})()`
}

/**
 * Wrap a skill's source, which declares the function `name`, into an expression that returns all
 * its functions by name: the skills in a library may call each other's helpers.
 * @param {string} name @param {string} source
 */
export function wrapSkill(name, source) {
  const declared = parseProgram(source).body.flatMap((node) =>
    node.type === 'FunctionDeclaration' ? [node.id.name] : []
  )
  if (!declared.includes(name)) {
    throw new ProgramError(`it does not declare function ${name}`, null, null)
  }
  const all = declared.join(', ')
  return { source: `'use strict';(() => {\n${source}\nreturn { ${all} }\n})()`, declared }
}

/** @param {string} code @returns {import('acorn').Program} */
function parseProgram(code) {
  if (code.length > MAX_CHARACTERS) {
    throw new ProgramError(`the program is longer than ${MAX_CHARACTERS} characters`, null, null)
  }
  try {
    return parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true
    })
  } catch (error) {
    const { message, loc } = /** @type {ParseError} */ (error)
    throw new ProgramError(
      `SyntaxError: ${message}`,
      loc?.line ?? null,
      loc ? loc.column + 1 : null
    )
  }
}

/** @param {import('acorn').Program} program */
function mainCall({ body }) {
  const declaresOnly = body.every((node) =>
    ['FunctionDeclaration', 'VariableDeclaration', 'ClassDeclaration', 'EmptyStatement'].includes(
      node.type
    )
  )
  const main = body
    .map(nameOfMain)
    .filter((name) => name !== null)
    .at(-1)
  return declaresOnly && main ? `await ${main}(bot)` : ''
}

/**
 * Return the name of an `async function name(bot)`; null for other nodes.
 * @param {import('acorn').Program['body'][number]} node
 */
function nameOfMain(node) {
  if (node.type !== 'FunctionDeclaration' || !node.async || node.params.length !== 1) return null
  const [parameter] = node.params
  return parameter.type === 'Identifier' && parameter.name === 'bot' ? node.id.name : null
}
