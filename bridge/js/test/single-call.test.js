/**
 * Programs that consist of a single call: recognized exactly as JavaScript reads them, or not at
 * all.
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { readArguments } from '../sandbox/incoming.js'
import { singleCall } from '../sandbox/single-call.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

/**
 * Return the call of a program, by running it.
 * @param {string} code @returns {[name: string, args: unknown[]] | null}
 */
function called(code) {
  /** @type {[string, unknown[]][]} */
  const calls = []
  const bot = {}
  const make =
    (/** @type {string} */ name) =>
    (/** @type {unknown} */ first, /** @type {unknown[]} */ ...args) =>
      void (first === bot && calls.push([name, args]))
  const names = ['goTo', 'depositItemIntoChest', 'sendSignal', 'exploreUntil']
  try {
    const run = new Function(
      'bot',
      'Vec3',
      ...names,
      `'use strict';return (async () => {\n${code}\n})()`
    )
    void run(bot, Vec3, ...names.map(make))
  } catch {
    return null
  }
  return calls.length === 1 ? calls[0] : null
}

/** Convert values to JSON's, as a program passes them on. @param {unknown} value */
const plain = (value) => JSON.parse(JSON.stringify(value))

const SINGLE = [
  'await goTo(bot, new Vec3(1.50, 151, -2.25), 2)',
  'await goTo( bot , new Vec3( 0,-0 , 3 ) );  \n',
  'await goTo(bot)',
  'await depositItemIntoChest(bot, new Vec3(1, 2, 3), {oak_log: 3, "iron_ore": 4, \'a b\': 0})',
  'await depositItemIntoChest(bot, new Vec3(1, 2, 3), {})',
  "await sendSignal(bot, null, 'done', true, undefined)",
  'await sendSignal(bot, "it\'s Ben")'
]
for (const code of SINGLE) {
  test(`read: ${code}`, () => {
    const call = singleCall({ code, seed: 0, skills: {} })
    assert.ok(call)
    const [name, args] = called(code) ?? []
    assert.equal(call.name, name)
    assert.deepEqual(plain(readArguments(call.args)), plain(args))
    assert.equal(singleCall({ code, seed: 0, skills: { help: 'function help() {}' } }), null)
  })
}

const MORE = [
  'goTo(bot, new Vec3(1, 2, 3))',
  ' await goTo(bot, new Vec3(1, 2, 3))',
  'await goTo(bot, new Vec3(1, 2, 3)); await goTo(bot)',
  'await goTo(bot, new Vec3(1, 2, 3)) // there',
  'await goTo(bot, new Vec3(1, 2, 3 + 4))',
  'await goTo(bot, new Vec3(1, 2))',
  'await goTo(bot, new Vec3(010, 2, 3))',
  'await goTo(bot, new Vec3(1e3, 0x10, 3n))',
  'await goTo(bot, bot.entity.position)',
  'await goTo(bot, "a\\n")',
  'await goTo(bot, `a`)',
  'await goTo(bot, [1])',
  'await goTo(bot, {__proto__: 1})',
  'await goTo(bot, {$: "v", x: 1})',
  'await goTo(bot, {a: 1, })',
  'await goTo(bot, {a: {b: 1}})',
  'await goTo(bots, 1)',
  'await goTo(bot 1)',
  'await goTo(bot, 1',
  'await goTo(bot, 1))',
  'await waitSignal(bot, null, "Ben", "x")',
  'await exploreUntil(bot, new Vec3(1, 0, 0), 5)',
  'await bot.chat("x")',
  `await goTo(bot, "${'x'.repeat(1000)}")`,
  ''
]
for (const code of MORE) {
  test(`an engine's: ${code.slice(0, 60)}`, () => {
    assert.equal(singleCall({ code, seed: 0, skills: {} }), null)
  })
}

test('whatever is recognized has the same result as in JavaScript', () => {
  const part = fc.constantFrom(
    ...[
      'await ',
      'goTo',
      '(',
      'bot',
      ', ',
      ')',
      ';',
      'new Vec3(',
      '1',
      '-',
      '0',
      '2.5',
      '.',
      '{',
      '}',
      'a',
      ': '
    ],
    ...['"b"', "'", '"', 'null', 'true', ' ', '\n', '$', '//', '+', '\\']
  )
  let read = 0
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
  const framed = fc
    .tuple(text, fc.boolean())
    .map(([inner, whole]) => (whole ? `await goTo(bot, ${inner})` : inner))
  fc.assert(
    fc.property(framed, (code) => {
      const call = singleCall({ code, seed: 0, skills: {} })
      if (!call) return
      read++
      const [name, args] = called(code) ?? []
      assert.equal(call.name, name)
      assert.deepEqual(plain(readArguments(call.args)), plain(args))
    }),
    { numRuns: 20_000, seed: 7 }
  )
  assert.ok(read > 200, `${read}`)
})

test('any thousand characters are parsed quickly', () => {
  const parts = [
    ' ',
    '\n',
    '(',
    ',',
    '{a: ',
    '1',
    '1,',
    '-',
    '"',
    "'",
    'new Vec3(',
    'bot',
    ');',
    '\\',
    'a'
  ]
  const starts = [
    'await goTo(bot',
    'await goTo(bot, new Vec3(',
    'await goTo(bot, {',
    'await goTo(',
    'await goTo(bot, "'
  ]
  for (const start of starts) {
    for (const part of parts) {
      for (const end of ['', '(', ')', ';', '}', '"']) {
        const code = start + part.repeat((990 - start.length) / part.length) + end
        const began = process.cpuUsage()
        singleCall({ code, seed: 0, skills: {} })
        const { user } = process.cpuUsage(began)
        assert.ok(user < 50_000, `${user} us: ${start}${part}…${end}`)
      }
    }
  }
})
