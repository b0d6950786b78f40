/** Agents' chat, tested with arbitrary messages. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { linesOf, speak, writeSign } from '../sandbox/chat.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Texts with dangerous parts: line ends, slashes, invisible characters, halves of surrogate pairs. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        '/',
        ' /op me',
        '\n',
        '\r',
        '\u0085',
        '\u2028',
        '\u2029',
        '\u200b',
        '\u00a7c'
      ),
      fc.constantFrom('\ud800', '\udfff', '\u0000', '\u2800', '\u180b', 'x'.repeat(300))
    ),
    { maxLength: 12 }
  )
  .map((parts) => parts.join(''))

const NEVER_SHOWN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u00a7\u2800]/u

test('a message is split into lines of at most 256 characters in total, without line ends or invisible characters', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const lines = linesOf(text)
      assert.ok(lines.length <= 10)
      assert.ok(lines.join('').length <= 256)
      for (const line of lines) {
        assert.ok(
          line.trim() && line.isWellFormed() && !NEVER_SHOWN.test(line),
          JSON.stringify(line)
        )
      }
    }),
    { seed: 1, numRuns: 2000 }
  )
})

test('a server command is refused and recorded', () => {
  /** @type {any[]} */
  const events = []
  /** @type {any} */
  const ports = { bot: { chat: assert.fail }, emit: events.push.bind(events), mayChat: () => true }
  assert.throws(() => speak(ports, 'hello\n /give @s diamond'), /may not give server commands/)
  assert.deepEqual(events, [{ kind: 'command_refused', text: ' /give @s diamond' }])
})

test('no message can contain a command, and lines over the quota are dropped', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 20 }), (messages) => {
      /** @type {string[]} */
      const said = []
      let left = 10
      /** @type {any} */
      const ports = {
        bot: { chat: (/** @type {string} */ line) => said.push(line) },
        emit: () => {},
        mayChat: () => left-- > 0
      }
      /** @type {(string | null)[]} null: a command */
      const lines = []
      for (const message of messages) {
        const before = said.length
        const hasCommand = linesOf(message).some((line) => line.trimStart().startsWith('/'))
        try {
          speak(ports, message)
          assert.ok(!hasCommand)
          lines.push(...linesOf(message.toWellFormed()))
        } catch (error) {
          assert.ok(hasCommand, String(error))
          assert.equal(said.length, before, 'a part of a command was said')
          lines.push(null)
        }
      }
      assert.deepEqual(
        said,
        lines.slice(0, 10).filter((line) => line !== null)
      )
      assert.ok(said.every((line) => !line.trimStart().startsWith('/')))
    }),
    { seed: 1, numRuns: 500 }
  )
})

for (const [opened, record] of [
  [{ x: 2, y: 5, z: 0 }, ['ours']],
  [{ x: 3, y: 5, z: 0 }, []]
]) {
  test(`a sign's text is recorded if the server opened that sign and confirmed the text: ${JSON.stringify(opened)}`, () => {
    const client = new EventEmitter()
    const position = new Vec3(2, 5, 0)
    const sign = { name: 'oak_sign', position, getSignText: () => ['ours', ''] }
    /** @type {any[]} */
    const emitted = []
    /** @type {any} */
    const ports = {
      bot: { _client: client, blockAt: () => sign, updateSign: () => {} },
      emit: (/** @type {any} */ event) => emitted.push(event.text),
      mayChat: () => true
    }
    for (let k = 0; k < 3; k++) writeSign(ports, { position: { x: 2, y: 5, z: 0 } }, 'ours', false)
    client.emit('open_sign_entity', { location: opened, isFrontText: true })
    client.emit('tile_entity_data', { location: position })
    assert.deepEqual(emitted, record)
    assert.equal(client.listenerCount('tile_entity_data'), 1)
  })
}
