/** Workstations: containers of other sizes, enchanting, anvils, trades, note blocks, command blocks. */
import { ensure } from '../stage.js'
import { answers, check, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

/** Food on a campfire is done after thirty seconds. */
const COOK_MS = 45_000
/** Price: two emeralds, plus six by demand, minus four: four. */
const TRADE =
  '{NoAI:1b,Offers:{Recipes:[{maxUses:7,buy:{id:"minecraft:emerald",Count:2b},sell:{id:"minecraft:bread",Count:3b},demand:60,priceMultiplier:0.05f,specialPrice:-4}]}}'

/** @type {import('./index.js').Check[]} */
const containers = [
  { block: 'dispenser', slots: 9 },
  { block: 'hopper', slots: 5 },
  { block: 'white_shulker_box', slots: 27 }
].map(({ block, slots }) => [
  'containers',
  `${block} holds things`,
  async (stage) => {
    await stage.place(stage.at(2, 0), block)
    await stage.give('dirt 5')
    const window = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
    ensure(window.inventoryStart === slots, `it has ${window.inventoryStart} slots`)
    await window.deposit(stage.item('dirt').type, null, 3)
    await window.close()
    await stage.holds('dirt', 2)
  }
])

/**
 * Write a command into a new command block, in creative mode, and wait for the server's answer.
 * @param {Stage} stage @param {string} command @param {string} answer key of the answer
 */
async function writeCommand(stage, command, answer) {
  const isWritten = answer === 'advMode.setCommand.success'
  await stage.command('gamemode creative ConformA')
  await stage.until('it is creative', () => stage.bot.player.gamemode === 1)
  await stage.place(stage.at(2, 0), 'command_block')
  const told = once(stage.bot, 'message', (text) => text.json.translate === answer)
  const seen = once(stage.bot, `blockUpdate:${stage.at(2, 0)}`)
  stage.bot.setCommandBlock(stage.at(2, 0), command, /** @type {any} */ ({ mode: 2 }))
  const [{ json }] = await told
  if (!isWritten) return
  ensure(json.with[0] === command, `it is told ${JSON.stringify(json.with)}`)
  await seen // as before
}

export const checks = [
  ...containers,
  check('containers', 'a shulker box keeps its content', async (stage) => {
    await stage.command(
      `setblock ${stage.where(stage.at(2, 0))} shulker_box{Items:[{Slot:3b,id:"minecraft:diamond",Count:4b}]}`
    )
    await stage.blockIs(stage.at(2, 0), 'shulker_box')
    await stage.give('iron_pickaxe')
    await stage.dig(stage.at(2, 0), 'iron_pickaxe')
    await stage.walkTo(stage.at(2, 0))
    await stage.holds('shulker_box', 1)
    ensure(JSON.stringify(stage.item('shulker_box').nbt).includes('diamond'), 'it is empty')
  }),
  check('containers', 'a chest minecart can be opened', async (stage) => {
    const seen = once(stage.bot, 'entitySpawn', (entity) => entity.name === 'chest_minecart')
    await stage.command(`summon chest_minecart ${stage.where(stage.at(2, 0))}`)
    const [cart] = await seen
    const window = await stage.bot.openContainer(cart)
    ensure(window.inventoryStart === 27, `it has ${window.inventoryStart} slots`)
    const closed = once(stage.bot, 'windowClose')
    await stage.command('kill @e[type=chest_minecart]')
    await closed
  }),
  check('work', 'an enchanting table takes lapis and levels', async (stage) => {
    const { bot } = stage
    await stage.place(stage.at(2, 0), 'enchanting_table')
    await stage.command('xp set ConformA 30 levels')
    await stage.give('lapis_lazuli 10')
    await stage.give('iron_sword')
    const opened = await bot.openEnchantmentTable(stage.block(stage.at(2, 0)))
    const table = /** @type {any} */ (opened)
    await table.putLapis(table.slots.find((/** @type {any} */ i) => i?.name === 'lapis_lazuli'))
    await table.putTargetItem(table.slots.find((/** @type {any} */ i) => i?.name === 'iron_sword'))
    await stage.until('it offers', () => table.enchantments[0].level > 0)
    await table.enchant(0)
    await table.takeTargetItem()
    table.close()
    await stage.until('it is enchanted', () => stage.item('iron_sword').enchants.length > 0)
    await stage.until('it is paid for', () => bot.experience.level === 29)
    await stage.holds('lapis_lazuli', 9)
    await stage.command('xp set ConformA 0 levels')
  }),
  check('work', 'an anvil combines and names items', async (stage) => {
    const { bot } = stage
    await stage.place(stage.at(2, 0), 'anvil')
    await stage.command('xp set ConformA 30 levels')
    await stage.give('diamond_sword')
    await stage.command(
      'give ConformA enchanted_book{StoredEnchantments:[{id:"minecraft:sharpness",lvl:3s}]}'
    )
    await stage.holds('enchanted_book', 1)
    const anvil = /** @type {any} */ (await bot.openAnvil(stage.block(stage.at(2, 0))))
    for (const [place, name] of ['diamond_sword', 'enchanted_book'].entries()) {
      const from = anvil.slots.findIndex((/** @type {any} */ i) => i?.name === name)
      await bot.moveSlotItem(from, place)
    }
    bot._client.write('name_item', { name: 'Edge' })
    await stage.until('it is named', () => anvil.slots[2]?.customName?.includes('Edge'))
    await bot.putAway(2)
    await stage.until('it is paid for', () => bot.experience.level < 30)
    anvil.close()
    await stage.holds('enchanted_book', 0)
    await stage.holds('diamond_sword', 1)
    const sword = /** @type {any} */ (stage.item('diamond_sword'))
    ensure(JSON.parse(sword.customName).text === 'Edge', `its name is ${sword.customName}`)
    ensure(sword.enchants[0].lvl === 3, 'it is as it was')
    await stage.command('xp set ConformA 0 levels')
  }),
  check('work', 'a villager trades', async (stage) => {
    const { bot } = stage
    const seen = once(bot, 'entitySpawn', (entity) => entity.name === 'villager')
    await stage.command(`summon villager ${stage.where(stage.at(2, 0))} ${TRADE}`)
    const [villager] = await seen
    await stage.give('emerald 12')
    const trader = /** @type {any} */ (await bot.openVillager(villager))
    ensure(trader.trades.length === 1, `it offers ${trader.trades.length}`)
    await bot.trade(trader, 0, 2)
    trader.close()
    await stage.holds('emerald', 4)
    await stage.holds('bread', 6)
    const uses = 'data get entity @e[type=villager,limit=1] Offers.Recipes[0].uses'
    await answers(stage, [[uses, 'Villager has the following entity data: 2']])
    const more =
      'data modify entity @e[type=villager,limit=1] Offers.Recipes[0].maxUses set value 12'
    await stage.command(more)
    const again = /** @type {any} */ (await bot.openVillager(villager))
    const [trade] = again.trades
    ensure(trade.nbTradeUses === 2 && trade.maximumNbTradeUses === 12, JSON.stringify(trade))
  }),
  check(
    'work',
    'a villager trades with one player at a time, and not after its death',
    async (stage) => {
      const { bot, other } = stage
      const seen = once(bot, 'entitySpawn', (entity) => entity.name === 'villager')
      const seenToo = once(other, 'entitySpawn', (entity) => entity.name === 'villager')
      await stage.command(`summon villager ${stage.where(stage.at(4, 0))} ${TRADE}`)
      const [[villager], [same]] = await Promise.all([seen, seenToo])
      await bot.openVillager(villager)
      let isCrowded = false
      const crowd = () => void (isCrowded = true)
      other.once('windowOpen', crowd)
      await other.useOn(same)
      const closed = once(bot, 'windowClose')
      await stage.command('kill @e[type=villager]')
      await closed
      other.off('windowOpen', crowd)
      ensure(!isCrowded, 'two trade with it')
    }
  ),
  check('work', 'a note block is tuned and plays', async (stage) => {
    await stage.place(stage.at(2, 0), 'note_block')
    const heard = once(stage.bot, 'noteHeard')
    await stage.bot.activateBlock(stage.block(stage.at(2, 0)))
    await heard
    await stage.until(
      'it is tuned',
      () => Number(stage.block(stage.at(2, 0)).getProperties().note) === 1
    )
    const again = once(stage.bot, 'noteHeard')
    await stage.place(stage.at(3, 0), 'redstone_block')
    await again
  }),
  check('work', 'a command block runs an operator’s command', async (stage) => {
    await stage.command('op ConformA')
    await writeCommand(stage, '/say hear this', 'advMode.setCommand.success')
    const said = once(stage.bot, 'message', (text) => text.toString().includes('hear this'))
    await stage.place(stage.at(3, 0), 'redstone_block')
    await said
    await stage.command('deop ConformA')
  }),
  check('work', 'only operators can write command blocks', async (stage) => {
    await writeCommand(stage, '/say no', 'advMode.notAllowed')
  }),
  check('work', 'setblock writes a sign and a spawner', async (stage) => {
    const data = `oak_sign{front_text:{messages:['"one"','"two"','""','""']}}`
    await stage.command(`setblock ${stage.where(stage.at(2, 0))} ${data}`)
    await stage.until('it is read', () => {
      const found = /** @type {any} */ (stage.bot.blockAt(stage.at(2, 0)))
      return found?.getSignText?.()[0]?.startsWith('one\ntwo')
    })
    const spawner = 'spawner{SpawnData:{entity:{id:"minecraft:pig"}}}'
    await stage.command(`setblock ${stage.where(stage.at(3, 0))} ${spawner}`)
    await stage.until('it is read', () => {
      const found = /** @type {any} */ (stage.bot.blockAt(stage.at(3, 0)))
      return JSON.stringify(found?.blockEntity ?? '').includes('minecraft:pig')
    })
  }),
  check('work', 'a lit campfire cooks the food on it', async (stage) => {
    const { bot } = stage
    const place = stage.at(2, 0)
    await stage.place(place, 'campfire')
    await stage.give('beef 5')
    await bot.equip(stage.item('beef'), 'hand')
    for (let piece = 0; piece < 5; piece++) await bot.activateBlock(stage.block(place))
    await stage.holds('beef', 1) // there is room for only four of the five
    await stage.until('the client sees them', () => {
      return JSON.stringify(/** @type {any} */ (stage.block(place)).blockEntity ?? {}).includes(
        'beef'
      )
    })
    await stage.give('iron_shovel')
    await bot.equip(stage.item('iron_shovel'), 'hand')
    const isLit = () => stage.block(place).getProperties().lit
    await bot.activateBlock(stage.block(place))
    await stage.until('it is out', () => isLit() === false)
    await stage.give('flint_and_steel')
    await bot.equip(stage.item('flint_and_steel'), 'hand')
    await bot.activateBlock(stage.block(place))
    await stage.until('it is lit', () => isLit() === true)
    await stage.until(
      'they are done',
      () => bot.nearestEntity(({ name }) => name === 'item'),
      COOK_MS
    )
    await stage.until('they are with the bot', async () => {
      await stage.command('tp @e[type=item] ConformA') // one piece may be done a few ticks later
      return stage.count('cooked_beef') === 4
    })
  }),
  check('work', 'a lectern shows its book, and returns it', async (stage) => {
    const { bot } = stage
    const place = stage.at(2, 0)
    await stage.place(place, 'lectern')
    await stage.command(
      `give ConformA written_book{title:"Law",author:"A",pages:['{"text":"one"}','{"text":"two"}']}`
    )
    await stage.holds('written_book', 1)
    await bot.equip(stage.item('written_book'), 'hand')
    await bot.activateBlock(stage.block(place))
    await stage.until('it lies there', () => stage.block(place).getProperties().has_book === true)
    await stage.holds('written_book', 0)
    const opened = once(bot, 'windowOpen')
    await bot.activateBlock(stage.block(place))
    const [window] = await opened
    await stage.until('it can be read', () =>
      JSON.stringify(window.slots[0]?.nbt ?? '').includes('two')
    )
    const turned = once(bot._client, 'craft_progress_bar', ({ value }) => value === 1)
    const press = (/** @type {number} */ enchantment) =>
      bot._client.write('enchant_item', { windowId: window.id, enchantment })
    press(2)
    await turned
    press(3)
    await stage.holds('written_book', 1)
    await stage.until('it is empty', () => stage.block(place).getProperties().has_book === false)
  })
]
