/** Paths into NBT: finding, setting and removing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSame, matches, merge, NbtPath } from '../../commands/arguments/nbt-path.js'
import { parseSnbt, parseTag, snbtOf, SnbtError } from '../../minecraft/snbt.js'

const chest = () =>
  parseSnbt(
    `{Items: [{Slot: 0b, id: "a", tag: {Damage: 7}}, {Slot: 3b, id: "b"}], "odd key": 1b, At: [I; 4, 5],
     Rows: [[1, 2], [3]], Lock: {on: 1b}}`
  )
const read = (/** @type {string} */ path) => new NbtPath(path).get(chest()).map(snbtOf).join(' ')

test('paths find the expected values', () => {
  for (const [path, found] of [
    ['Items[0].id', '"a"'],
    ['Items[-1].Slot', '3b'],
    ['Items[].id', '"a" "b"'],
    ['Items[{Slot: 3b}].id', '"b"'],
    ['Items[{tag: {Damage: 7}}].tag.Damage', '7'],
    ['"odd key"', '1b'],
    ['At[1]', '5'],
    ['Rows[0][1]', '2'],
    ['Lock{on: 1b}.on', '1b'],
    ['{Lock: {}}.At', '[I; 4, 5]']
  ]) {
    assert.equal(read(path), found, path)
  }
})

test('the error for a missing value shows the path up to the missing part', () => {
  for (const [path, upTo] of [
    ['Items[2].id', 'Items[2]'],
    ['Items[0].tag.Name', 'Items[0].tag.Name'],
    ['Lock{on: 2b}.on', 'Lock{on: 2b}'],
    ['toString', 'toString']
  ]) {
    assert.throws(() => read(path), { message: `Found no elements matching ${upTo}` })
  }
  for (const path of ['', '.', 'a.', 'a..b', 'a[', 'a[x]', 'a{', '[0', 'a b', '"a']) {
    assert.throws(() => new NbtPath(path), SnbtError, path)
  }
})

test('setting changes exactly the values at the path', () => {
  const set = (/** @type {string} */ path, /** @type {string} */ value) => {
    const tag = chest()
    const count = new NbtPath(path).set(tag, parseTag(value))
    return [count, snbtOf(tag)]
  }
  const all = snbtOf(chest())
  assert.deepEqual(set('Items[0].tag.Damage', '8'), [1, all.replace('Damage: 7', 'Damage: 8')])
  assert.deepEqual(set('Items[].id', '"c"'), [2, all.replace('"a"', '"c"').replace('"b"', '"c"')])
  assert.deepEqual(set('Rows[1][0]', '9'), [1, all.replace('[3]', '[9]')])
  assert.deepEqual(set('At[]', '5'), [1, all.replace('[I; 4, 5]', '[I; 5, 5]')])
  assert.deepEqual(set('new.list[{id: "x"}].n', '1')[0], 1)
  assert.match(String(set('new.list[{id: "x"}].n', '1')[1]), /new: \{list: \[\{id: "x", n: 1\}\]\}/)
  assert.deepEqual(set('At[0]', '"word"'), [0, all]) // an array cannot hold text
  assert.deepEqual(set('Lock', '{on: 1b}'), [0, all])
})

test('removed values are gone', () => {
  const left = (/** @type {string} */ path) => {
    const tag = chest()
    const count = new NbtPath(path).remove(tag)
    return [count, snbtOf(new NbtPath(path.replace(/\W.*/, '')).get(tag)[0])]
  }
  assert.deepEqual(left('Items[0]'), [1, '[{Slot: 3b, id: "b"}]'])
  assert.deepEqual(left('Items[]'), [2, '[]'])
  assert.deepEqual(left('Items[].tag'), [1, '[{Slot: 0b, id: "a"}, {Slot: 3b, id: "b"}]'])
  assert.deepEqual(left('At[5]'), [0, '[I; 4, 5]'])
})

const { compound } = fc.letrec((/** @type {any} */ tie) => ({
  compound: fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), tie('tag'), { maxKeys: 3 })
    .map((value) => ({ type: 'compound', value: { ...value } })),
  tag: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: 0, max: 3 }).map((value) => ({ type: 'int', value })),
    tie('compound')
  )
}))

test('a compound matches what was merged into it, and merging again changes nothing', () => {
  fc.assert(
    fc.property(compound, compound, (/** @type {any} */ one, /** @type {any} */ other) => {
      const merged = structuredClone(one)
      merge(merged, other)
      assert.ok(matches(merged, other))
      const again = structuredClone(merged)
      merge(again, other)
      assert.ok(isSame(merged, again))
    }),
    { numRuns: 200 }
  )
})
