/** Texts, experience, armour and the command tree, compared with vanilla's published values. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { BY_NAME } from '../commands/index.js'
import { commandsOf, treeOf } from '../commands/tree.js'
import { rangeOf } from '../commands/arguments/selectors.js'
import { nbt, registry } from '../minecraft/index.js'
import { remaining } from '../combat/armour.js'
import { pointsOf } from '../players/experience.js'
import { play } from '../network/strict.js'
import { packed, plain, translated } from '../minecraft/texts.js'

const require = createRequire(import.meta.url)
const { createDeserializer, createSerializer } = require('minecraft-protocol')
const ChatMessage = require('prismarine-chat')(registry)

/** Vanilla's texts have at most this many arguments; clients differ in how they show missing ones. */
const MOST_VALUES = 12

test('texts read as in an unmodified client', () => {
  const keys = Object.keys(registry.language).filter((key) => key.startsWith('commands.'))
  fc.assert(
    fc.property(
      fc.constantFrom(...keys),
      fc.array(fc.stringMatching(/^[a-zA-Z0-9 ]{1,12}$/), {
        minLength: MOST_VALUES,
        maxLength: MOST_VALUES
      }),
      (key, values) => {
        const text = translated(key, ...values)
        const read = new ChatMessage(nbt.simplify(/** @type {any} */ (packed(text))))
        assert.equal(plain(text), read.toString())
        assert.equal(read.translate, key)
      }
    )
  )
})

test('arguments may be numbered, and percent signs are doubled', () => {
  assert.equal(plain(translated('death.attack.player', 'Ann', 'Bob')), 'Ann was slain by Bob')
  assert.equal(plain({ translate: 'no.such.key', extra: [{ text: '!' }] }), 'no.such.key!')
})

test('each level needs as many points as in vanilla', () => {
  const total = (/** @type {number} */ level) =>
    Array.from({ length: level }, (_, at) => pointsOf(at)).reduce((a, b) => a + b, 0)
  // minecraft.wiki, Experience: points to reach a level.
  assert.deepEqual([1, 16, 17, 30, 31, 32].map(total), [7, 352, 394, 1395, 1507, 1628])
})

test('armour reduces damage as in vanilla', () => {
  // minecraft.wiki, Armor: a blow of 10 with full diamond (20 points, toughness 8) costs 3.
  assert.ok(Math.abs(remaining(10, 20, 8) - 3) < 1e-9)
  assert.ok(Math.abs(remaining(7, 15, 0) - 3.78) < 1e-9)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 20 }),
      (damage, points) => {
        const left = remaining(damage, points, 0)
        assert.ok(left <= damage && left >= damage * 0.2 - 1e-9)
      }
    )
  )
})

test('ranges of selectors', () => {
  assert.deepEqual(rangeOf('..5'), [0, 5])
  assert.deepEqual(rangeOf('3..'), [3, Infinity])
  assert.deepEqual(rangeOf('-2..4', -Infinity), [-2, 4])
  for (const text of ['..', '5..3', 'x', '1..2..3']) assert.throws(() => rangeOf(text))
})

test('the command tree is the same when read back, and contains only allowed commands', () => {
  const names = (/** @type {'op' | 'player'} */ level) =>
    commandsOf(BY_NAME, level).map(({ name }) => name)
  assert.deepEqual(names('player').sort(), ['help', 'list', 'me', 'msg', 'tell', 'trigger', 'w'])
  assert.ok(names('op').includes('execute'))
  const params = treeOf(BY_NAME, 'op')
  const writer = createSerializer({ ...play, isServer: true })
  const packet = writer.createPacketBuffer({ name: 'declare_commands', params })
  const reader = createDeserializer({ ...play, isServer: false })
  const { data } = reader.parsePacketBuffer(packet)
  const { nodes, rootIndex } = data.params
  const firsts = nodes[rootIndex].children.map(
    (/** @type {number} */ at) => nodes[at].extraNodeData.name
  )
  assert.deepEqual(firsts, names('op'))
  for (const { children } of nodes) for (const child of children) assert.ok(child < nodes.length)
})
