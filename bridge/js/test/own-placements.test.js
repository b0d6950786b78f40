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

const AIR = { name: 'air', stateId: 0, drops: [] }
const DIRT = { name: 'dirt', stateId: 10, drops: [] }
const UPWARDS = 1

/**
 * What is recorded after these packets have come and gone in turn.
 * @param {any[]} steps @param {any} [held] @param {string} [gameMode] @param {string} [call] the packet that is sent
 * @param {{clicked?: string, sneaks?: boolean}} [how]
 */
async function play(
  steps,
  held = make('dirt', 3),
  gameMode = 'survival',
  call = 'block_place',
  how = {}
) {
  const { clicked = 'stone', sneaks = false } = how
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      game: { gameMode },
      quickBarSlot: 0,
      inventory: { slots: Object.assign(new Array(46).fill(null), { [SLOT]: held }) },
      entity: { position: new Vec3(2.5, 151, 0.5), yaw: Math.PI, pitch: -0.7 },
      _client: { write: () => {} },
      blockAt: () => ({ name: clicked }),
      getControlState: () => sneaks
    })
  )
  /** What is still to be answered. @type {any[]} */
  const asked = []
  const items = /** @type {any} */ ({ ask: (/** @type {any} */ told) => asked.push(told) })
  /** @type {any[]} */
  const events = []
  watchPlacing(bot, (event) => events.push(event), items)
  for (const step of steps) {
    if (step.sends) bot._client.write(call, { hand: 0, location: step.sends, direction: UPWARDS })
    else if (step.stands) {
      const { as = DIRT, was = AIR, stands, away = UP } = step
      const position = stands.plus(away)
      bot.emit('blockUpdate', { ...was, position }, { ...as, position })
    } else {
      const slots = new Array(46).fill(null)
      if (step.holds) slots[SLOT] = make(step.holds[0], step.holds[1])
      asked.shift()?.(slots)
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

const WATER = { name: 'water', stateId: 80, metadata: 0, drops: [] }
const FLOWING = { ...WATER, stateId: 83, metadata: 3 }
const emptied = { holds: ['bucket', 1] }

test('in creative mode nothing is paid', async () => {
  assert.deepEqual(await play([sent, stands], make('dirt', 3), 'creative'), [HERE])
})

test('a bucket that is emptied on a block, and one that is emptied towards what is looked at', async () => {
  const pours = { stands: BELOW, as: WATER }
  assert.deepEqual(await play([sent, pours, emptied], make('water_bucket', 1)), [HERE])
  const looks = await play([sent, pours, emptied], make('water_bucket', 1), 'survival', 'use_item')
  assert.deepEqual(looks, [HERE])
  const into = await play([sent, { ...pours, was: FLOWING }, emptied], make('water_bucket', 1))
  assert.deepEqual(into, [HERE])
  const flows = await play([sent, { ...pours, as: FLOWING }, emptied], make('water_bucket', 1))
  assert.deepEqual(flows, [])
  const behind = { ...pours, away: new Vec3(0, 1, -4) }
  const away = await play([sent, behind, emptied], make('water_bucket', 1), 'survival', 'use_item')
  assert.deepEqual(away, [])
})

test('what is spent on a block without being placed is no placement', async () => {
  const left = { holds: ['bone_meal', 2] }
  const grown = { stands: BELOW, as: { name: 'oak_log', stateId: 131, drops: [36] }, was: DIRT }
  assert.deepEqual(await play([sent, grown, left], make('bone_meal', 3)), [])
})

test('the server tells what was clicked again, which is no placement, and where a slab has become two', async () => {
  const again = { ...stands, was: DIRT }
  assert.deepEqual(await play([sent, again, paid]), [])
  const slab = { name: 'oak_slab', stateId: 1, drops: [] }
  const two = { stands: BELOW, away: new Vec3(0, 0, 0), was: slab, as: { ...slab, stateId: 2 } }
  const left = { holds: ['oak_slab', 2] }
  const placed = await play([sent, two, left], make('oak_slab', 3))
  assert.deepEqual(placed, ['block_placed 2,150,2'])
})

test('seeds become a crop of another name, which drops them', async () => {
  const seeds = make('wheat_seeds', 3)
  const wheat = { name: 'wheat', stateId: 5, drops: [seeds.type] }
  const sows = [sent, { ...stands, as: wheat }, { holds: ['wheat_seeds', 2] }]
  assert.deepEqual(await play(sows, seeds), [HERE])
})

test('a click that opens a chest places nothing, unless the bot sneaks', async () => {
  const [held, mode, call] = [make('dirt', 3), 'survival', 'block_place']
  const chest = { clicked: 'chest' }
  assert.deepEqual(await play([sent, stands, paid], held, mode, call, chest), [])
  const sneaks = { ...chest, sneaks: true }
  assert.deepEqual(await play([sent, stands, paid], held, mode, call, sneaks), [HERE])
})
