/** Whose block it is that stands now, in each order in which packets may come. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import registryOf from 'prismarine-registry'
import { watchPlacing } from '../own-placements.js'

const require = createRequire(import.meta.url)
const registry = registryOf('1.20.4')
const Item = require('prismarine-item')(registry)
const { Vec3 } = require('vec3')

const SLOT = 36
/** The bot places against these blocks, upwards. */
const BELOW = new Vec3(2, 150, 2)
const BESIDE = new Vec3(3, 150, 2)
const UP = new Vec3(0, 1, 0)

const sent = { sends: BELOW }
const sentBeside = { sends: BESIDE }
const stands = { stands: BELOW }
const standsBeside = { stands: BESIDE }
const paid = { holds: ['dirt', 2] }
const refused = { holds: ['dirt', 3] }

/** @param {string} kind @param {number} count */
const make = (kind, count) => new Item(registry.itemsByName[kind].id, count)

/** What is recorded after these packets have come and gone in turn. @param {any[]} steps @param {any} [held] */
async function play(steps, held = make('dirt', 3), gameMode = 'survival') {
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      game: { gameMode },
      heldItem: held,
      quickBarSlot: 0,
      _genericPlace: async () => {}
    })
  )
  /** What is still to be answered. @type {any[]} */
  const asked = []
  const items = /** @type {any} */ ({ ask: (/** @type {any} */ told) => asked.push(told) })
  /** @type {any[]} */
  const events = []
  watchPlacing(bot, (event) => events.push(event), items)
  for (const step of steps) {
    if (step.sends) await bot._genericPlace({ position: step.sends }, UP, {})
    else if (step.stands) {
      bot.emit('blockPlaced', null, { name: 'dirt', position: step.stands.plus(UP) })
    } else {
      const slots = new Array(46).fill(null)
      if (step.holds) slots[SLOT] = make(step.holds[0], step.holds[1])
      asked.shift()(slots)
    }
  }
  return events.map(({ kind, position }) => `${kind} ${position}`)
}

const HERE = 'block_placed 2,151,2'
const THERE = 'block_placed 3,151,2'
/** @type {[string, any[], string[]][]} */
const ORDERS = [
  ['a block that stands and is paid', [sent, stands, paid], [HERE]],
  ['one that is paid first', [sent, paid, stands], [HERE]],
  ['one that another has placed there', [sent, stands, refused], []],
  ['one that another places there later', [sent, refused, stands], []],
  ['one that is not answered', [sent, stands], []],
  ['one that was never sent', [stands], []],
  ['one that stands twice', [sent, paid, stands, stands], [HERE]],
  [
    'one after one that was refused',
    [sent, stands, refused, sentBeside, standsBeside, paid],
    [THERE]
  ],
  [
    'two at once, and the second is refused',
    [sent, sentBeside, stands, standsBeside, paid, paid],
    [HERE]
  ],
  [
    'two at once, and the first is refused',
    [sent, sentBeside, stands, standsBeside, refused, paid],
    [THERE]
  ],
  ['the last one that was held', [sent, stands, { holds: null }], [HERE]]
]
for (const [name, steps, expected] of ORDERS) {
  test(name, async () => assert.deepEqual(await play(steps), expected))
}

test('a bucket that is emptied is paid, and in creative mode nothing is', async () => {
  const emptied = [sent, stands, { holds: ['bucket', 1] }]
  assert.deepEqual(await play(emptied, make('water_bucket', 1)), [HERE])
  assert.deepEqual(await play([stands], make('dirt', 3), 'creative'), [HERE])
})
