import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentOf } from '../sandbox/program-length.js'
import { ProgramError, wrap, wrapSkill } from '../sandbox/program.js'

test('if a program only declares functions, its last main function is called', () => {
  const program = wrap('async function help(bot) {}\nasync function act(bot) {}\nconst x = 1')
  assert.match(program, /await act\(bot\)/)
})

test('a helper function with another parameter is not a main function', () => {
  assert.match(
    wrap('async function main(bot) {}\nasync function attempt(action) {}'),
    /await main\(bot\)/
  )
})

test('a program with statements is left unchanged', () => {
  assert.doesNotMatch(
    wrap('async function main(bot) {}\nawait main(bot)'),
    /await main\(bot\)\n.*await main/s
  )
})

test('a syntax error names its line and column', () => {
  assert.throws(
    () => wrap('let a = 1\nlet b = ;'),
    (error) => error instanceof ProgramError && error.line === 2 && error.column === 9
  )
})

test('an overlong program is refused', () => {
  const giant = sentOf(' '.repeat(3e6))
  assert.equal(giant.length, 200_001)
  assert.throws(() => wrap(giant), /longer than/)
  assert.throws(() => wrapSkill('x', giant), /longer than/)
  wrap(giant.slice(1))
})
