/** Bottles and brewing. */
import { ensure } from '../stage.js'
import { check, hold, once, ticks } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

const WATER = 'potion{Potion:"minecraft:water"}'
/** How long a brew takes, in milliseconds, with a margin. */
const BREW_MS = 40_000

/** @param {Stage} stage @returns {string} tag of the bot's potion */
const potion = (stage) => JSON.stringify(stage.item('potion').nbt)

export const checks = [
  check('brewing', 'bottles are filled at a source', async (stage) => {
    const { bot } = stage
    await stage.place(stage.at(1, 0, -1), 'water')
    await hold(stage, 'glass_bottle')
    await bot.lookAt(stage.at(1.5, 0.5, -0.1), true)
    await ticks(stage, 4) // by then the server knows where the bot is looking
    bot.activateItem()
    await stage.holds('potion', 1)
    ensure(potion(stage).includes('minecraft:water'), 'it is no water')
    await stage.blockIs(stage.at(1, 0, -1), 'water')
    await stage.place(stage.at(1, 0, -1), 'smooth_stone')
  }),
  check('brewing', 'cauldrons take water from bottles and fill them', async (stage) => {
    const { bot } = stage
    const place = stage.at(2, 0)
    await stage.place(place, 'cauldron')
    await hold(stage, WATER)
    await bot.activateBlock(stage.block(place))
    await stage.blockIs(place, 'water_cauldron')
    await stage.holds('glass_bottle', 1)
    await bot.equip(stage.item('glass_bottle'), 'hand')
    await bot.activateBlock(stage.block(place))
    await stage.blockIs(place, 'cauldron')
    await stage.holds('potion', 1)
  }),
  check('brewing', 'water turns dirt into mud', async (stage) => {
    const place = stage.at(2, 0)
    await stage.place(place, 'dirt')
    await hold(stage, WATER)
    await stage.bot.activateBlock(stage.block(place))
    await stage.blockIs(place, 'mud')
    await stage.holds('glass_bottle', 1)
  }),
  check('brewing', 'a stand brews a potion that works', async (stage) => {
    const { bot } = stage
    await stage.place(stage.at(2, 0), 'brewing_stand')
    await stage.give('blaze_powder 1')
    await stage.give('sugar 1')
    await stage.command('give ConformA potion{Potion:"minecraft:awkward"}')
    await stage.holds('potion', 1)
    const opened = once(bot, 'windowOpen')
    await bot.activateBlock(stage.block(stage.at(2, 0)))
    const [window] = await opened
    ensure(window.inventoryStart === 5, `it has ${window.inventoryStart} places`)
    for (const [name, place] of /** @type {const} */ ([
      ['blaze_powder', 4],
      ['potion', 0],
      ['sugar', 3]
    ])) {
      const slots = /** @type {any[]} */ (window.slots)
      const from = slots.findIndex((item, at) => at >= 5 && item?.name === name)
      await bot.moveSlotItem(from, place)
    }
    const isBrewed = () => JSON.stringify(window.slots[0]?.nbt ?? '').includes('swiftness')
    await stage.until('it is brewed', isBrewed, BREW_MS)
    await stage.until('the sugar is used', () => !window.slots[3])
    await bot.moveSlotItem(0, window.inventoryEnd - 1)
    bot.closeWindow(window)
    await stage.holds('potion', 1)
    await bot.equip(stage.item('potion'), 'hand')
    const given = once(bot, 'entityEffect', (entity) => entity === bot.entity)
    await bot.consume()
    await given
    await stage.holds('glass_bottle', 1)
    await stage.command('effect clear ConformA')
  })
]
