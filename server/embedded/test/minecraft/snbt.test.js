/** SNBT, the text form of NBT. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSnbt, plainOf, snbtOf, SnbtError } from '../../minecraft/snbt.js'

const number = (/** @type {string} */ type, /** @type {number} */ most) =>
  fc.integer({ min: -most, max: most - 1 }).map((value) => ({ type, value }))
const leaf = fc.oneof(
  number('byte', 128),
  number('short', 32_768),
  number('int', 2 ** 31),
  fc.string().map((value) => ({ type: 'string', value })),
  fc.integer({ min: -1000, max: 1000 }).map((value) => ({ type: 'double', value: value / 8 }))
)
const { compound } = fc.letrec((/** @type {any} */ tie) => ({
  compound: fc
    .dictionary(fc.stringMatching(/^[A-Za-z_]\w*$/), tie('tag'), { maxKeys: 4 })
    .map((value) => ({ type: 'compound', value: { ...value } })),
  list: fc
    .array(number('int', 1000), { minLength: 1, maxLength: 4 })
    .map((tags) => ({ type: 'list', value: { type: 'int', value: tags.map((t) => t.value) } })),
  tag: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('compound'))
}))

test('written values can be read back', () => {
  fc.assert(
    fc.property(compound, (tag) => {
      const written = snbtOf(/** @type {any} */ (tag))
      assert.deepEqual(parseSnbt(written), tag)
    }),
    { numRuns: 200 }
  )
})

test('vanilla’s syntax is parsed', () => {
  const tag = parseSnbt(`{Tags:["a",'b'],Pos:[1.5d,2d],"odd key":1b,word:pig}`)
  assert.deepEqual(plainOf(tag, 'Tags'), ['a', 'b'])
  assert.deepEqual(plainOf(tag, 'Pos'), [1.5, 2])
  assert.equal(plainOf(tag, 'odd key'), 1)
  assert.equal(plainOf(tag, 'word'), 'pig')
})

test('numbers, texts and arrays are written as in vanilla', () => {
  for (const text of [
    '{a: 20.0f, b: 16.36f, c: 0.5d, d: 1.0E7d, e: 1.0E-4d, f: -0.0d}',
    `{a: '{"text":"it\\'s"}', b: "plain", c: "it's", "odd key": 1b}`,
    '[B; 1B, 2B]'.replace(/^/, '{a: ') + ', b: [I; 1, 2], c: [L; 1L, -2L], d: 9223372036854775807L}'
  ]) {
    assert.equal(snbtOf(parseSnbt(text)), text)
  }
  // Too large for its type, or with a leading zero: a word.
  for (const word of ['300b', '2147483648', '9223372036854775808L', '007', '1.5L']) {
    assert.equal(plainOf(parseSnbt(`{a: ${word}}`), 'a'), word)
  }
})

test('invalid text is refused with its position', () => {
  for (const text of ['', '{', '{a}', '{a:}', '{a:1', '[1]', '{a:"b}', '{a:1} b', '{a:[1,"b"]}']) {
    assert.throws(() => parseSnbt(text), SnbtError, text)
  }
})
