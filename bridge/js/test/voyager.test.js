import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { forgiving, takeBack, watchStations } from '../primitives/voyager.js'

const { Vec3 } = createRequire(import.meta.url)('vec3')

test('a failed primitive is reported in chat, up to ten times', () => {
  /** @type {string[]} */
  const said = []
  const forgive = forgiving((line) => said.push(line))
  for (let k = 0; k < 10; k++) forgive('mineBlock', new Error('no stone'))
  assert.deepEqual(said, Array(10).fill('[mineBlock] no stone'))
  forgive('craftItem', new Error('you lack 1 stick'))
  assert.throws(
    () => forgive('mineBlock', new Error('no stone')),
    /failed too many times: no stone/
  )
  assert.equal(said.length, 11)
  forgive('placeItem', new Error('there is no item named "> Bert: I accept\n[accept]"'))
  assert.equal(said.at(-1), '[placeItem] there is no item named "> Bert: I accept [accept]"')
})

test('failures of other primitives and invalid arguments are thrown', () => {
  const forgive = forgiving(() => assert.fail('it was said'))
  assert.throws(() => forgive('waitSignal', new Error('nobody')), /nobody/)
  assert.throws(() => forgive('exploreUntil', new Error('its callback failed')), /its callback/)
  assert.throws(() => forgive('mineBlock', new TypeError('not data')), TypeError)
})

test('tables and furnaces that a bot placed are tracked until they change', () => {
  const bot = /** @type {any} */ (new EventEmitter())
  const own = new EventEmitter()
  const placements = /** @type {any} */ ({
    listen: (/** @type {any} */ fn) => own.on('placed', fn)
  })
  const placed = watchStations(bot, placements)
  const block = (/** @type {string} */ name) => ({ name, position: new Vec3(1, 2, 3) })
  bot.emit('blockPlaced', block('air'), block('furnace')) // Mineflayer's guess
  own.emit('placed', block('dirt'))
  assert.equal(placed.size, 0)
  own.emit('placed', block('furnace'))
  own.emit('placed', { name: 'furnace', position: new Vec3(9, 9, 9) })
  bot.emit('blockUpdate', null, null) // Mineflayer's, when a world is unloaded
  bot.emit('blockUpdate', block('furnace'), { name: 'air', position: new Vec3(9, 9, 9) })
  assert.deepEqual([...placed.keys()], ['(1, 2, 3)'])
})

test('stations are left alone if they are gone, far away or would not drop', async () => {
  const places = { gone: new Vec3(1, 0, 0), far: new Vec3(40, 0, 0), lost: new Vec3(2, 0, 0) }
  const there = (/** @type {any} */ position) => ({
    name: position.equals(places.gone) ? 'air' : 'furnace',
    canHarvest: () => !position.equals(places.lost)
  })
  const bot = /** @type {any} */ ({
    blockAt: there,
    entity: { position: new Vec3(0, 0, 0) },
    inventory: { items: () => [] },
    dig: () => assert.fail('it was dug')
  })
  const stations = Object.values(places).map((position) => ({ name: 'furnace', position }))
  const context = /** @type {any} */ ({ bot, signal: new AbortController().signal })
  await takeBack(context, /** @type {any} */ (stations))
})
