import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { mock, test } from 'node:test'
import { wall } from '@voxpolis/clock'
import { isReserved, skipUnheardCracks, watchReservations } from '../block-reservations.js'
import { joined, keepWindowItems } from '../bot.js'

const require = createRequire(import.meta.url)
const windows = require('prismarine-windows')('1.20.4')
const { Vec3 } = require('vec3')
const Item = require('prismarine-item')('1.20.4')

test('when the server closes a window, the bot keeps the items that it took out', () => {
  const bot = /** @type {any} */ ({
    _client: new EventEmitter(),
    inventory: windows.createWindow(0, 'minecraft:inventory', 'Inventory'),
    currentWindow: windows.createWindow(1, 'minecraft:generic_9x3', 'Chest', 27)
  })
  bot._client.on('close_window', () => (bot.currentWindow = null)) // as Mineflayer does
  keepWindowItems(bot)
  bot.inventory.updateSlot(bot.inventory.inventoryStart + 1, new Item(1, 5)) // put into the chest
  // taken out of the chest
  bot.currentWindow.updateSlot(bot.currentWindow.inventoryStart, new Item(2, 3))

  bot._client.emit('close_window', { windowId: 1 })
  bot._client.emit('close_window', { windowId: 1 }) // no window is open any more

  const carried = bot.inventory.items().map((/** @type {any} */ { type, count, slot }) => {
    return [type, count, slot]
  })
  assert.deepEqual(carried, [[2, 3, bot.inventory.inventoryStart]])
})

test('cracks reserve blocks, and Mineflayer sees them only if a program listens', () => {
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), { _client: new EventEmitter(), entity: { id: 1 } })
  )
  let lookups = 0
  bot._client.on('block_break_animation', () => lookups++) // as Mineflayer does
  skipUnheardCracks(bot)
  watchReservations(bot)
  const crack = (/** @type {number} */ entityId, /** @type {number} */ destroyStage) =>
    bot._client.emit('block_break_animation', {
      ...{ entityId, destroyStage, location: { x: 3, y: -60, z: 0 } }
    })
  const place = new Vec3(3, -60, 0)
  crack(1, 4)
  assert.equal(isReserved(bot, place), false) // its own dig
  crack(2, 0)
  assert.equal(isReserved(bot, place), true)
  crack(2, -1)
  assert.equal(isReserved(bot, place), false)
  assert.equal(lookups, 0)
  bot.on('blockBreakProgressEnd', () => {})
  crack(2, -1)
  assert.equal(lookups, 1)
})

test('a joining bot waits as long for progress as the longest join on this machine took', async () => {
  let check = () => {}
  mock.method(wall, 'setInterval', (/** @type {() => void} */ look) => void (check = look))
  const begin = () => {
    const bot = /** @type {any} */ (
      Object.assign(new EventEmitter(), {
        _client: new EventEmitter(),
        end: () => {},
        waitForChunksToLoad: async () => {}
      })
    )
    return { bot, join: joined(bot, 'localhost:1') }
  }
  const slow = begin()
  for (let looks = 0; looks < 20; looks++) {
    slow.bot._client.emit('map_chunk')
    check()
  }
  slow.bot.emit('spawn')
  await slow.join
  const silent = begin()
  for (let looks = 0; looks < 19; looks++) check()
  silent.bot.emit('spawn')
  await silent.join
  const stuck = begin()
  for (let looks = 0; looks < 20; looks++) check()
  await assert.rejects(stuck.join, /too slow: not logged in, and no progress for 200 s/)
  mock.restoreAll()
})
