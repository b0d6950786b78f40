import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { keepWindowItems } from '../bot.js'

const require = createRequire(import.meta.url)
const windows = require('prismarine-windows')('1.20.4')
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
