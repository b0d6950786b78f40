import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { keepWhatLayIn } from '../bot.js'

const require = createRequire(import.meta.url)
const windows = require('prismarine-windows')('1.20.4')
const Item = require('prismarine-item')('1.20.4')

test('a window that the server closes leaves the bot what it took from it', () => {
  const bot = /** @type {any} */ ({
    _client: new EventEmitter(),
    inventory: windows.createWindow(0, 'minecraft:inventory', 'Inventory'),
    currentWindow: windows.createWindow(1, 'minecraft:generic_9x3', 'Chest', 27)
  })
  bot._client.on('close_window', () => (bot.currentWindow = null)) // as Mineflayer does
  keepWhatLayIn(bot)
  bot.inventory.updateSlot(bot.inventory.inventoryStart + 1, new Item(1, 5)) // went into the chest
  bot.currentWindow.updateSlot(bot.currentWindow.inventoryStart, new Item(2, 3)) // came out of it

  bot._client.emit('close_window', { windowId: 1 })
  bot._client.emit('close_window', { windowId: 1 }) // none is open any more

  const carried = bot.inventory.items().map((/** @type {any} */ { type, count, slot }) => {
    return [type, count, slot]
  })
  assert.deepEqual(carried, [[2, 3, bot.inventory.inventoryStart]])
})
