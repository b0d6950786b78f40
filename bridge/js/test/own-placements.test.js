/** Which bot is recorded as having placed a block, for each order of packets. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import registryOf from 'prismarine-registry'
import { watchPlacing } from '../own-placements.js'
import { OwnUses } from '../own-uses.js'

const require = createRequire(import.meta.url)
const registry = registryOf('1.20.4')
const { Vec3 } = require('vec3')

/** Blocks on top of which the bot places. */
const BELOW = new Vec3(2, 150, 2)
const BESIDE = new Vec3(3, 150, 2)
const UP = new Vec3(0, 1, 0)
const UPWARDS = 1

const AIR = { name: 'air', stateId: 0, drops: [] }
const DIRT = { name: 'dirt', stateId: 10, drops: [] }
const WATER = { name: 'water', stateId: 80, metadata: 0, drops: [] }
const FLOWING = { ...WATER, stateId: 83, metadata: 3 }

/** @param {string} name */
const idOf = (name) => registry.itemsByName[name].id

const sent = { sends: BELOW }
const sentBeside = { sends: BESIDE }
const stands = { stands: BELOW }
const standsBeside = { stands: BESIDE }
/** Statistics packet: number of uses since the previous packet. */
const paid = { uses: 'dirt' }
const refused = { uses: null }

/**
 * Return the record after these packets have been received and sent in turn.
 * @param {any[]} steps @param {{call?: string, holds?: string}} [how]
 */
function play(steps, { call = 'block_place', holds = 'dirt' } = {}) {
  const client = Object.assign(new EventEmitter(), { write: () => {} })
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      registry,
      heldItem: { name: holds },
      entity: { position: new Vec3(2.5, 151, 0.5), yaw: Math.PI, pitch: -0.7 },
      _client: client
    })
  )
  /** @type {any[]} */
  const events = []
  watchPlacing(bot, (event) => events.push(event), new OwnUses(bot))
  /** Uses in this bot's life, some from before it joined. */
  const used = new Map([[idOf('dirt'), 70]])
  client.emit('statistics', { entries: [{ categoryId: 2, statisticId: idOf('dirt'), value: 70 }] })
  for (const step of steps) {
    if (step.sends) bot._client.write(call, { hand: 0, location: step.sends, direction: UPWARDS })
    else if (step.stands) {
      const { as = DIRT, was = AIR, stands: place, away = UP } = step
      const position = place.plus(away)
      bot.emit('blockUpdate', { ...was, position }, { ...as, position })
    } else {
      const entries = [{ categoryId: 0, statisticId: idOf('dirt'), value: 5 }] // mined blocks
      if (step.uses) {
        const statisticId = idOf(step.uses)
        used.set(statisticId, (used.get(statisticId) ?? 0) + 1)
        entries.push({ categoryId: 2, statisticId, value: Number(used.get(statisticId)) })
      }
      client.emit('statistics', { entries })
    }
  }
  return events.map(({ kind, position }) => `${kind} ${position}`)
}

const HERE = 'block_placed 2,151,2'
const THERE = 'block_placed 3,151,2'
/** @type {[string, any[], string[]][]} */
const ORDERS = [
  ['a block that appears and was used', [sent, stands, paid], [HERE]],
  ['one that was used first', [sent, paid, stands], [HERE]],
  ['one that another player has placed there', [sent, stands, refused], []],
  ['one that another player places there later', [sent, refused, stands], []],
  ['one without an answer', [sent, stands], []],
  ['one that was never sent', [stands], []],
  ['one that appears twice', [sent, paid, stands, stands], [HERE]],
  ['one after a refused one', [sent, stands, refused, sentBeside, standsBeside, paid], [THERE]],
  [
    'two at once, the second refused',
    [sent, sentBeside, stands, standsBeside, paid, refused],
    [HERE]
  ],
  [
    'two at once, the first refused',
    [sent, sentBeside, stands, standsBeside, refused, paid],
    [THERE]
  ]
]
for (const [name, steps, expected] of ORDERS) {
  test(name, () => assert.deepEqual(play(steps), expected))
}

test('two blocks placed on top of each other are recorded at their positions', () => {
  const above = { sends: BELOW.plus(UP) }
  const standsAbove = { stands: BELOW.plus(UP) }
  const both = [HERE, 'block_placed 2,152,2']
  assert.deepEqual(play([sent, above, stands, standsAbove, paid, paid]), both)
  assert.deepEqual(play([sent, above, paid, paid, stands, standsAbove]), both)
  assert.deepEqual(play([sent, above, stands, paid, standsAbove, paid]), both)
})

test('random placements record as many blocks as were used, each at its position', () => {
  let state = 7
  const draw = (/** @type {number} */ below) =>
    (state = (state * 1103515245 + 12345) & 0x7fffffff) % below
  for (let round = 0; round < 500; round++) {
    const places = [BELOW, BESIDE, new Vec3(4, 150, 2)].slice(0, 1 + draw(3))
    const isOwn = places.map(() => draw(2) === 1)
    // Another player's block appears where the bot's was refused. Answers arrive in order; block
    // packets at any time.
    const answers = isOwn.map((own) => (own ? paid : refused))
    const blocks = places.map((place) => ({ stands: place }))
    const steps = places.map((sends) => /** @type {any} */ ({ sends }))
    while (answers.length || blocks.length) {
      const next = draw(2) ? answers.shift() : blocks.splice(draw(blocks.length || 1), 1)[0]
      if (next) steps.push(next)
    }
    const expected = places
      .filter((_, k) => isOwn[k])
      .map((place) => `block_placed ${place.x},151,2`)
    assert.deepEqual(play(steps).sort(), expected.sort(), JSON.stringify(steps))
  }
})

const emptied = { uses: 'water_bucket' }

test('a bucket is recorded when emptied onto a block or along the gaze', () => {
  const pours = { stands: BELOW, as: WATER }
  const looks = { call: 'use_item', holds: 'water_bucket' }
  assert.deepEqual(play([sent, pours, emptied]), [HERE])
  assert.deepEqual(play([sent, pours, emptied], looks), [HERE])
  assert.deepEqual(play([sent, { ...pours, was: FLOWING }, emptied]), [HERE])
  assert.deepEqual(play([sent, { ...pours, as: FLOWING }, emptied]), [])
  assert.deepEqual(play([sent, { ...pours, away: new Vec3(0, 1, -4) }, emptied], looks), [])
})

test('using an item on a block without placing it is not recorded as a placement', () => {
  const grown = { stands: BELOW, as: { name: 'oak_log', stateId: 131, drops: [36] }, was: DIRT }
  assert.deepEqual(play([sent, grown, { uses: 'bone_meal' }]), [])
})

test('a resent clicked block is not a placement, but a slab that becomes a double slab is', () => {
  assert.deepEqual(play([sent, { ...stands, was: DIRT }, paid]), [])
  const slab = { name: 'oak_slab', stateId: 1, drops: [] }
  const two = { stands: BELOW, away: new Vec3(0, 0, 0), was: slab, as: { ...slab, stateId: 2 } }
  assert.deepEqual(play([sent, two, { uses: 'oak_slab' }]), ['block_placed 2,150,2'])
})

test('seeds become a crop with another name that drops them', () => {
  const wheat = { name: 'wheat', stateId: 5, drops: [idOf('wheat_seeds')] }
  assert.deepEqual(play([sent, { ...stands, as: wheat }, { uses: 'wheat_seeds' }]), [HERE])
})

test('listeners receive the bot’s own placements, and settled() waits for all answers', async () => {
  const client = Object.assign(new EventEmitter(), { write: () => {} })
  const bot = /** @type {any} */ (Object.assign(new EventEmitter(), { registry, _client: client }))
  const placements = watchPlacing(bot, () => {}, new OwnUses(bot))
  client.emit('statistics', { entries: [] })
  /** @type {string[]} */
  const heard = []
  placements.listen(({ name }, item) => heard.push(`${item} ${name}`))
  await placements.settled() // there was no request for this block
  bot._client.write('block_place', { hand: 0, location: BELOW, direction: UPWARDS })
  let isSettled = false
  const settled = placements.settled().then(() => (isSettled = true))
  const position = BELOW.plus(UP)
  bot.emit('blockUpdate', { ...AIR, position }, { ...DIRT, position })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([heard, isSettled], [[], false])
  client.emit('statistics', { entries: [{ categoryId: 2, statisticId: idOf('dirt'), value: 1 }] })
  await settled
  assert.deepEqual(heard, ['dirt dirt'])
})
