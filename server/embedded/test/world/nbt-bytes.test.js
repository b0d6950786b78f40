import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { NbtError, nbtBytes, readNbt } from '../../world/anvil/nbt-bytes.js'
import { nbt } from '../../minecraft/index.js'

const require = createRequire(import.meta.url)
const upstream = require('prismarine-nbt')

const VALUE = nbt.comp({
  byte: nbt.byte(-3),
  short: nbt.short(-300),
  int: nbt.int(-70000),
  long: nbt.long([-1, 5]),
  float: nbt.float(0.5),
  double: nbt.double(-1.25),
  bytes: nbt.byteArray([1, -2]),
  ints: nbt.intArray([3, -4]),
  longs: nbt.longArray(/** @type {any} */ ([[-1, 2]])),
  text: nbt.string('Zaun'),
  texts: nbt.list(nbt.string(/** @type {any} */ (['a', 'b']))),
  nothing: { type: 'list', value: { type: 'end', value: [] } },
  parts: nbt.list(nbt.comp(/** @type {any} */ ([{ x: nbt.int(1) }, {}])))
})

/** Remove prototypes, which differ. @param {unknown} value */
const plain = (value) => JSON.parse(JSON.stringify(value))

test('written NBT can be read back, also by another library', () => {
  const bytes = nbtBytes(VALUE)
  assert.deepEqual(plain(readNbt(bytes).value), plain(VALUE.value))
  assert.deepEqual(plain(upstream.parseUncompressed(bytes, 'big').value), plain(VALUE.value))
})

test("texts use Java's modified UTF-8", () => {
  const text = 'é – 😀 \0'
  const bytes = nbtBytes(nbt.comp({ text: nbt.string(text) }))
  assert.ok(bytes.includes(Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80])))
  assert.ok(bytes.includes(Buffer.from([0xc0, 0x80])))
  assert.equal(/** @type {any} */ (readNbt(bytes).value).text.value, text)
})

test('truncated or modified NBT causes our own error, or reads as other valid NBT', () => {
  const bytes = nbtBytes(VALUE)
  for (let at = 0; at < bytes.length; at++) {
    assert.throws(() => readNbt(bytes.subarray(0, at)), NbtError)
    for (const byte of [0, 1, 9, 12, 0x7f, 0xff]) {
      const changed = Buffer.from(bytes)
      changed[at] = byte
      try {
        readNbt(changed)
      } catch (error) {
        assert.ok(error instanceof NbtError, String(error))
      }
    }
  }
})

test('a text of the maximum length is kept, and a longer one is refused', () => {
  const text = (/** @type {number} */ size) => nbt.comp({ text: nbt.string('x'.repeat(size)) })
  assert.deepEqual(plain(readNbt(nbtBytes(text(0xffff))).value), plain(text(0xffff).value))
  assert.throws(() => nbtBytes(text(0x10000)), NbtError)
})
