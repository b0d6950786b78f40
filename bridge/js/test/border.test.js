/** Data that crosses the sandbox's border: chat lines, events, and arguments. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import { Vec3 } from 'vec3'
import { bounded } from '../bounded-events.js'
import { WAITS } from '../sandbox/calls.js'
import { linesOf } from '../sandbox/chat.js'
import { describe } from '../sandbox/errors.js'
import { block, entity, item, readArguments } from '../sandbox/incoming.js'
import { findPlaces } from '../sandbox/searches.js'

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('/', '\n', '\r', '\u0000', '\u200b', '\ud800', 'a', ' ', '\u{e0041}'))
    .map((parts) => parts.join(''))
)

test('a chat line is one short, well-formed line without invisible characters', () => {
  fc.assert(
    fc.property(anyText, (message) => {
      for (const line of linesOf(message)) {
        assert.ok(line.length <= 256 && line.trim() && line.isWellFormed())
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u00a7\u2028\u2029\u200b]/)
      }
    })
  )
})

const UNSEEN = ['\u00ad', '\u034f', '\u061c', '\u115f', '\u180e', '\u2066', '\u2800', '\u3164']
UNSEEN.push(
  '\ufe0f',
  '\uffa0',
  '\ufffa',
  '\u{1d173}',
  '\u{e0020}',
  '\u{e0041}',
  '\u{e01ef}',
  '\x1b'
)

for (const unseen of UNSEEN) {
  const name = unseen.codePointAt(0)?.toString(16)
  test(`U+${name} is removed, and cannot hide a command`, () => {
    assert.deepEqual(linesOf(`${unseen}/op${unseen} Anna${unseen}`), ['/op Anna'])
    assert.deepEqual(linesOf(unseen.repeat(3)), [])
  })
}

test('visible text is sent unchanged', () => {
  const said = 'naïve: 3 × ½ — 日本語, हिन्दी, العربية, e\u0301, 👩🎉 「ok」'
  assert.deepEqual(linesOf(said), [said])
})

test('Mineflayer sends exactly the lines that were checked', () => {
  fc.assert(
    fc.property(anyText, (message) => {
      for (const line of linesOf(message)) {
        assert.deepEqual(line.split('\n'), [line]) // Mineflayer does not split the lines further
      }
    })
  )
})

test('a recorded event is finite, bounded and well-formed, whatever its source', () => {
  const event = fc.record({
    kind: fc.constant('block_dug'),
    agent: anyText,
    block: fc.anything({ withBigInt: true }),
    position: fc.oneof(fc.array(fc.double()), fc.tuple(fc.double(), fc.integer(), fc.integer())),
    more: fc.anything({ withBigInt: true, withMap: true })
  })
  fc.assert(
    fc.property(event, (made) => {
      const { event: recorded, problem } = bounded(made)
      if (!recorded) return assert.equal(typeof problem, 'string')
      const written = JSON.parse(JSON.stringify(recorded))
      assert.deepEqual(written, recorded)
      assert.ok(JSON.stringify(recorded).isWellFormed())
    })
  )
})

test('an event with a huge text is truncated', () => {
  const { event } = bounded({ kind: 'chat', text: 'x'.repeat(3e7) })
  assert.ok(JSON.stringify(event).length < 3000)
})

test('any argument is either read as plain data or refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), anyText), (text) => {
      let args
      try {
        args = readArguments(text)
      } catch (error) {
        return assert.ok(error instanceof SyntaxError || error instanceof TypeError)
      }
      assert.ok(args.every((arg) => typeof arg !== 'function'))
    })
  )
})

test('a key such as __proto__ is an ordinary key', () => {
  const [arg] = readArguments('[{"__proto__": {"polluted": 1}, "constructor": 2}]')
  assert.equal(/** @type {any} */ ({}).polluted, undefined)
  assert.equal(Object.getPrototypeOf(arg), Object.prototype)
})

test('waits end with their run and leave no listener behind', async () => {
  const bot = new EventEmitter()
  const over = new AbortController()
  const ports = /** @type {any} */ ({ bot, signal: over.signal })
  const waits = Array.from({ length: 9 }, () => WAITS.waitForTicks(ports, 1e6))
  assert.equal(bot.listenerCount('physicsTick'), 9)
  over.abort()
  await Promise.all([...waits, WAITS.waitForTicks(ports, 5)])
  assert.equal(bot.listenerCount('physicsTick'), 0)
})

test('an error is well-formed and has a valid position, for any stack trace', () => {
  const part = fc.oneof(
    fc.constantFrom('policy.js:', ':', '-', '9'.repeat(400), '\ud800'),
    fc.nat()
  )
  const trace = fc.array(part).map((parts) => parts.join(''))
  fc.assert(
    fc.property(trace, anyText, (stack, message) => {
      const error = describe({ message, stack }, { code: 'a\nb', skills: {} }, [])
      assert.ok(error.message.isWellFormed() && (error.source ?? '').isWellFormed())
      for (const place of [error.line, error.column]) {
        assert.ok(place === null || (Number.isInteger(place) && place >= 1 && place <= 200_000))
      }
    })
  )
})

test('a loop whose line is unknown has no position', () => {
  const program = { code: 'for (;;) {}', skills: { loop: 'function loop() {}\nfor (;;) {}' } }
  const [inSkill, inProgram] = ['loop.js:1', 'policy.js:1:5'].map((place) =>
    describe({ message: 'killed', stack: `    at <anonymous> (${place})` }, program, [])
  )
  assert.equal(inSkill.message, 'killed (in the skill loop)')
  assert.deepEqual([inProgram.line, inProgram.column, inProgram.source], [null, null, null])
})

test('a search for no blocks finds none', () => {
  const bot = /** @type {any} */ ({
    entity: { position: new Vec3(0, 0, 0) },
    findBlocks: () => assert.fail('nothing is looked for')
  })
  for (const count of [-1e9, -5, -1, 0]) {
    assert.deepEqual(findPlaces(bot, { types: [1], count }), [])
    assert.deepEqual(findPlaces(bot, { states: [1], count }), [])
  }
})

test('references, even forged ones, are looked up in the world', () => {
  const there = { name: 'stone' }
  const held = { type: 5, name: 'dirt' }
  const zombie = { id: 3 }
  const bot = /** @type {any} */ ({
    blockAt: (/** @type {Vec3} */ at) => (at.equals(new Vec3(0, 150, 0)) ? there : null),
    entities: { 3: zombie },
    inventory: { slots: [null, held] },
    currentWindow: null
  })
  const made = (/** @type {object} */ thing) => readArguments(JSON.stringify([thing]))[0]
  const more = { name: 'diamond_ore', type: 9, count: 64 }
  assert.equal(block(bot, made({ $: 'b', at: [0, 150, 0], ...more }), 'dig'), there)
  assert.equal(block(bot, made({ position: { x: 0.5, y: 150, z: 0.5 }, ...more }), 'dig'), there)
  assert.equal(entity(bot, made({ $: 'e', id: 3, ...more }), 'attack'), zombie)
  assert.equal(item(bot, made({ $: 'i', type: 5, slot: 7, count: 64 }), 'equip'), held)
  assert.throws(() => block(bot, made({ $: 'b', at: [1, 150, 0] }), 'dig'), /too far away/)
  assert.throws(() => block(bot, made({ $: 'b', at: ['x'] }), 'dig'), /must be a number/)
  assert.throws(() => block(bot, made(more), 'dig'), /needs a block/)
  assert.throws(() => entity(bot, made({ $: 'e', id: 4 }), 'attack'), /that exists/)
  assert.throws(() => item(bot, made({ $: 'i', type: 9, slot: 1 }), 'equip'), /that you hold/)
})
