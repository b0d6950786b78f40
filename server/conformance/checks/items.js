/** Chests, windows, crafting, furnaces, and items on the ground. */
import { createRequire } from 'node:module'
import { ensure } from '../stage.js'
import { check, craft, inChest, itemSeenBy, once, raw } from './helpers.js'

/** @import { Furnace } from 'mineflayer' */
/** @import { Window } from 'prismarine-windows' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Return a tag with its fields in the opposite order. @param {any} tag @returns {any} */
function reversed({ type, value }) {
  if (type !== 'compound') return { type, value }
  const fields = Object.entries(value).map(([name, part]) => [name, reversed(part)])
  return { type, value: Object.fromEntries(fields.reverse()) }
}

export const checks = [
  check('chests', 'items that a bot puts in can be taken out by another', async (stage) => {
    await stage.place(stage.at(2, 0), 'chest')
    await stage.give('diamond 5')
    const chest = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
    await chest.deposit(stage.item('diamond').type, null, 3)
    await chest.close()
    const theirs = await stage.other.openContainer(stage.block(stage.at(2, 0), stage.other))
    await stage.until('the chest holds 3', () => theirs.containerItems()[0]?.count === 3)
    await theirs.withdraw(theirs.containerItems()[0].type, null, 2)
    await theirs.close()
    await stage.holds('diamond', 2, stage.other)
    await stage.holds('diamond', 2)
  }),
  check('chests', 'two chests make one of 54 slots', async (stage) => {
    await stage.command(`setblock ${stage.where(stage.at(2, 0))} chest[facing=north,type=left]`)
    await stage.command(`setblock ${stage.where(stage.at(3, 0))} chest[facing=north,type=right]`)
    await stage.until(
      'they are there',
      () => stage.bot.blockAt(stage.at(3, 0))?.getProperties().type === 'right'
    )
    const chest = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
    ensure(chest.inventoryStart === 54, `it has ${chest.inventoryStart} slots`)
    await chest.close()
  }),
  check('chests', 'opening another chest closes the first', async (stage) => {
    for (const z of [0, 2]) await stage.place(stage.at(2, z), 'chest')
    const first = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
    const shut = once(stage.bot._client, 'close_window', ({ windowId }) => windowId === first.id)
    const second = await stage.bot.openContainer(stage.block(stage.at(2, 2)))
    await shut
    ensure(stage.bot.currentWindow === second, 'the second is not open')
    await second.close()
  }),
  check('chests', 'barrel and ender chest', async (stage) => {
    for (const block of ['barrel', 'ender_chest']) {
      await stage.place(stage.at(2, 0), block)
      const window = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
      ensure(window.inventoryStart === 27, `${block} has ${window.inventoryStart} slots`)
      await window.close()
    }
  }),
  check(
    'chests',
    'a full block above keeps a chest shut; a hopper, glass or a slab does not',
    async (stage) => {
      const [place, above] = [stage.at(2, 0), stage.at(2, 0, 1)]
      await stage.place(stage.at(2, 2), 'barrel')
      for (const shut of ['chest', 'ender_chest']) {
        await stage.place(place, shut)
        for (const lid of ['hopper', 'glass', 'oak_slab', 'oak_leaves']) {
          await stage.place(above, lid)
          await (await stage.bot.openContainer(stage.block(place))).close()
        }
        await stage.place(above, 'stone')
        const opened = once(stage.bot, 'windowOpen')
        await stage.bot.activateBlock(stage.block(place))
        await stage.bot.activateBlock(stage.block(stage.at(2, 2)))
        const [window] = await opened
        ensure(/barrel/i.test(JSON.stringify(window.title)), `${shut}: it opens under stone`)
        stage.bot.closeWindow(window)
      }
    }
  ),
  check('chests', 'item replace fills a chest, and breaking it drops everything', async (stage) => {
    await stage.place(stage.at(2, 0), 'chest')
    await stage.command(
      `item replace block ${stage.where(stage.at(2, 0))} container.4 with diamond 7`
    )
    const seen = await stage.command(`data get block ${stage.where(stage.at(2, 0))} Items`)
    ensure(/Slot: 4b.*diamond.*Count: 7b/.test(seen), seen)
    await stage.dig(stage.at(2, 0), '')
    await stage.walkTo(stage.at(2, 0))
    await stage.holds('diamond', 7)
    await stage.holds('chest', 1)
  }),
  check('windows', 'shift-click, number key, drag and double click', async (stage) => {
    await stage.place(stage.at(2, 0), 'chest')
    await stage.give('dirt 10')
    const chest = await stage.bot.openContainer(stage.block(stage.at(2, 0)))
    const slot = chest.slots.findIndex((item) => item?.name === 'dirt')
    await stage.bot.clickWindow(slot, 0, 1)
    await inChest(stage, 'Count: 10b')
    await raw(stage, chest, { mode: 2, slot: 0, mouseButton: 8 })
    await stage.until('it is in the hotbar', () => chest.slots[62]?.count === 10)
    await raw(stage, chest, { mode: 0, slot: 62, mouseButton: 0 })
    for (const [mouseButton, at] of [
      [0, -999],
      [1, 0],
      [1, 1],
      [2, -999]
    ]) {
      await raw(stage, chest, { mode: 5, slot: at, mouseButton })
    }
    await inChest(stage, 'Slot: 1b, id: "minecraft:dirt", Count: 5b')
    await raw(stage, chest, { mode: 0, slot: 0, mouseButton: 0 })
    await raw(stage, chest, { mode: 6, slot: 2, mouseButton: 0 })
    await raw(stage, chest, { mode: 0, slot: 2, mouseButton: 0 })
    await inChest(stage, 'Slot: 2b, id: "minecraft:dirt", Count: 10b')
    await chest.close()
  }),
  check('statistics', 'placed and dug blocks are counted in the statistics', async (stage) => {
    const client = /** @type {any} */ (stage.bot._client)
    const { itemsByName, blocksByName } = stage.bot.registry
    /** Statistics reported so far: category, number, and count. @type {Map<string, number>} */
    const counts = new Map()
    const ask = async () => {
      const told = once(client, 'statistics')
      client.write('client_command', { actionId: 'request_stats' })
      const [{ entries }] = await told
      for (const { categoryId, statisticId, value } of entries)
        counts.set(`${categoryId},${statisticId}`, value)
    }
    const [mined, used] = [`0,${blocksByName.dirt.id}`, `2,${itemsByName.dirt.id}`]
    await ask()
    const [minedBefore, usedBefore] = [counts.get(mined) ?? 0, counts.get(used) ?? 0]
    await stage.give('dirt')
    await stage.bot.equip(itemsByName.dirt.id, 'hand')
    await stage.bot.placeBlock(stage.block(stage.at(2, 0, -1)), new Vec3(0, 1, 0))
    await ask()
    ensure(counts.get(used) === usedBefore + 1, `placed: ${counts.get(used)}`)
    await stage.bot.dig(stage.block(stage.at(2, 0)))
    await ask()
    ensure(counts.get(mined) === minedBefore + 1, `dug: ${counts.get(mined)}`)
  }),
  check('crafting', 'planks and sticks can be crafted in the inventory grid', async (stage) => {
    await stage.give('oak_log 2')
    await craft(stage, 'oak_planks', 2)
    await stage.holds('oak_planks', 8)
    await craft(stage, 'stick', 1)
    await stage.holds('stick', 4)
    await stage.holds('oak_planks', 6)
  }),
  check('crafting', 'a pickaxe on a table', async (stage) => {
    await stage.place(stage.at(2, 0), 'crafting_table')
    await stage.give('oak_planks 3')
    await stage.give('stick 2')
    await craft(stage, 'wooden_pickaxe', 1, stage.at(2, 0))
    await stage.holds('wooden_pickaxe', 1)
    await stage.holds('oak_planks', 0)
  }),
  check('crafting', 'mixed planks make a chest', async (stage) => {
    await stage.place(stage.at(2, 0), 'crafting_table')
    await stage.give('oak_planks 4')
    await stage.give('birch_planks 4')
    stage.bot.activateBlock(stage.block(stage.at(2, 0)))
    const [opened] = await once(stage.bot, 'windowOpen')
    /** @type {Window} */
    const window = opened
    const places = { oak_planks: [1, 2, 3, 4], birch_planks: [6, 7, 8, 9] }
    for (const [name, slots] of Object.entries(places)) {
      const from = window.slots.findIndex((item) => item?.name === name)
      await stage.bot.clickWindow(from, 0, 0)
      for (const slot of slots) await stage.bot.clickWindow(slot, 1, 0)
    }
    ensure(window.slots[0]?.name === 'chest', `it makes ${window.slots[0]?.name}`)
    await stage.bot.clickWindow(0, 0, 0)
    await stage.bot.closeWindow(window)
    await stage.holds('chest', 1)
  }),
  check('crafting', 'cake leaves its buckets', async (stage) => {
    await stage.place(stage.at(2, 0), 'crafting_table')
    for (let bucket = 0; bucket < 3; bucket++) await stage.give('milk_bucket')
    for (const items of ['sugar 2', 'egg 1', 'wheat 3']) await stage.give(items)
    await craft(stage, 'cake', 1, stage.at(2, 0))
    await stage.until(
      'it has cake and buckets',
      () => stage.count('cake') === 1 && stage.count('bucket') === 3
    )
  }),
  check('furnaces', 'raw iron becomes iron over coal', async (stage) => {
    await stage.place(stage.at(2, 0), 'furnace')
    await stage.give('raw_iron 2')
    await stage.give('coal 1')
    const furnace = await stage.bot.openFurnace(stage.block(stage.at(2, 0)))
    await furnace.putFuel(stage.item('coal').type, null, 1)
    await furnace.putInput(stage.item('raw_iron').type, null, 2)
    await stage.until('both are done', () => furnace.outputItem()?.count === 2, 60_000)
    await stage.command('xp set ConformA 0')
    await furnace.takeOutput()
    furnace.close()
    const isPaid = () => stage.bot.experience.points > 0 // 0.7 points each, so one or two points
    await stage.until('they were worth experience', isPaid)
    await stage.command('xp set ConformA 0')
    await stage.holds('iron_ingot', 2)
  }),
  check('furnaces', 'blast furnace and smoker take half the time', async (stage) => {
    for (const [block, input, output] of [
      ['blast_furnace', 'raw_gold', 'gold_ingot'],
      ['smoker', 'beef', 'cooked_beef']
    ]) {
      await stage.place(stage.at(2, 0), block)
      await stage.give(`${input} 1`)
      await stage.give('coal 1')
      const furnace = await stage.bot.openFurnace(stage.block(stage.at(2, 0)))
      await furnace.putFuel(stage.item('coal').type, null, 1)
      await furnace.putInput(stage.item(input).type, null, 1)
      await stage.until(`${output} is done`, () => furnace.outputItem()?.name === output)
      const { totalProgress } = /** @type {Furnace & {totalProgress: number}} */ (furnace)
      ensure(totalProgress === 100, `it takes ${totalProgress} ticks`)
      await furnace.takeOutput()
      furnace.close()
    }
  }),
  check('items', 'a tossed item lies on the ground, and another bot picks it up', async (stage) => {
    await stage.give('cobblestone 5')
    await stage.bot.lookAt(stage.other.entity.position.offset(0, 1, 0), true)
    await stage.bot.tossStack(stage.item('cobblestone'))
    await stage.walkTo(stage.at(-8, -8))
    await stage.until('the other has it', async () => {
      const drop = itemSeenBy(stage.other)
      // The item may still be flying, out of reach of any path.
      if (drop) await stage.walkTo(drop.position.floored(), stage.other).catch(() => {})
      return stage.count('cobblestone', stage.other) === 5
    })
  }),
  check('items', 'items out of the creative menu stack with given ones', async (stage) => {
    const { bot } = stage
    const [first, second] = [36, 37]
    /** @param {string} name @param {number} count */
    const rod = (name, count) =>
      `stick{display:{Name:'"${name}"',Lore:['"old"']},Bend:0.1f,Age:[L;7L],RepairCost:1} ${count}`
    /** @param {number} slot @param {any} item */
    const choose = (slot, item) => bot._client.write('set_creative_slot', { slot, item })
    await stage.command(`give ConformA ${rod('Rod', 3)}`)
    await stage.holds('stick', 3)
    const { type: itemId, nbt } = stage.item('stick')
    await stage.command('gamemode creative ConformA')
    choose(second, { present: true, itemId, itemCount: 2, nbtData: reversed(nbt) })
    await stage.holds('stick', 5)
    await stage.command('gamemode survival ConformA')
    await bot.clickWindow(second, 0, 0)
    await bot.clickWindow(first, 0, 0)
    await stage.command(`give ConformA ${rod('Rod', 4)}`)
    await stage.command(`give ConformA ${rod('Bar', 1)}`)
    await stage.until('the equal ones are one stack', () => stage.count('stick') === 10)
    const { slots } = bot.inventory
    ensure(slots[first]?.count === 9, `the stack holds ${slots[first]?.count}`)
    ensure(slots[second]?.count === 1, 'differently named ones are in one stack')
  }),
  check('items', 'summon item drops one', async (stage) => {
    await stage.command(
      `summon item ${stage.where(stage.at(3.5, 0.5))} {Item:{id:"minecraft:diamond",Count:2b}}`
    )
    await stage.walkTo(stage.at(3, 0))
    await stage.holds('diamond', 2)
  }),
  check('items', 'armour is worn, and others see it', async (stage) => {
    await stage.give('iron_helmet')
    await stage.bot.equip(stage.item('iron_helmet'), 'head')
    await stage.until(
      'the other sees it',
      () => stage.other.players.ConformA?.entity?.equipment[5]?.name === 'iron_helmet'
    )
    await stage.bot.unequip('head')
    await stage.holds('iron_helmet', 1)
  })
]
