/** What scenarios rely on, each as one check: `[group, name, run]`. Vanilla's behaviour is the rule. */
import { createRequire } from 'node:module'
import { ensure, FLOOR_Y, Vec3 } from './stage.js'

const require = createRequire(import.meta.url)

/** @typedef {import('./stage.js').Stage} Stage */

/** @type {[string, string, (stage: Stage) => Promise<void>][]} */
export const CHECKS = [
  [
    'join',
    'a bot sees the other as a player',
    async (stage) => {
      await stage.until('ConformB is seen', () => stage.bot.players.ConformB?.entity)
    }
  ],
  [
    'join',
    'a teleport holds, and the bot turns',
    async (stage) => {
      await stage.command(`tp ConformA 3.5 ${FLOOR_Y + 1} -3.5 90 0`)
      await stage.until(
        'it is there',
        () => stage.bot.entity.position.distanceTo(stage.at(3.5, -3.5)) < 0.1
      )
      await stage.bot.waitForTicks(20)
      ensure(stage.bot.entity.position.distanceTo(stage.at(3.5, -3.5)) < 0.1, 'it was moved back')
    }
  ],
  [
    'chat',
    'what one says the other hears, with the name',
    async (stage) => {
      const heard = once(
        stage.other,
        'chat',
        (name, text) => name === 'ConformA' && text === 'hello there'
      )
      stage.bot.chat('hello there')
      await heard
    }
  ],
  [
    'chat',
    'the server speaks with /say and /tellraw',
    async (stage) => {
      for (const line of ['say from the console', 'tellraw @a {"text":"from the console"}']) {
        const heard = once(stage.bot, 'messagestr', (text) => text.includes('from the console'))
        await stage.command(line)
        await heard
      }
    }
  ],
  [
    'commands',
    'setblock, fill and clone answer as vanilla',
    async (stage) => {
      const y = FLOOR_Y + 3
      await answers(stage, [
        [`setblock 5 ${y} 5 stone`, `Changed the block at 5, ${y}, 5`],
        [`setblock 5 ${y} 5 stone`, 'Could not set the block'],
        [`fill 5 ${y} 5 7 ${y} 7 glass replace stone`, 'Successfully filled 1 block(s)'],
        [`fill 5 ${y} 5 7 ${y} 7 dirt keep`, 'Successfully filled 8 block(s)'],
        [`clone 5 ${y} 5 7 ${y} 7 5 ${y + 1} 5`, 'Successfully cloned 9 block(s)'],
        [`fill 5 ${y} 5 7 ${y + 1} 7 air`, 'Successfully filled 18 block(s)'],
        [`fill 5 ${y} 5 7 ${y} 7 air`, 'No blocks were filled']
      ])
    }
  ],
  [
    'commands',
    'hollow and outline',
    async (stage) => {
      const y = FLOOR_Y + 1
      await stage.command(`fill 4 ${y} 4 8 ${y + 4} 8 stone hollow`)
      await stage.blockIs(new Vec3(4, y, 4), 'stone')
      await stage.blockIs(new Vec3(6, y + 2, 6), 'air')
      await stage.command(`setblock 6 ${y + 2} 6 dirt`)
      await stage.command(`fill 4 ${y} 4 8 ${y + 4} 8 glass outline`)
      await stage.blockIs(new Vec3(4, y, 4), 'glass')
      await stage.blockIs(new Vec3(6, y + 2, 6), 'dirt')
    }
  ],
  [
    'commands',
    'a malformed command changes nothing',
    async (stage) => {
      for (const line of [
        'no_such_command',
        'setblock 5 155',
        'give ConformA no_such_item',
        'fill 1 2 3'
      ]) {
        const answer = await stage.command(line)
        ensure(/unknown|incorrect|incomplete|expected/i.test(answer), `${line}: ${answer}`)
      }
      ensure(stage.bot.inventory.items().length === 0, 'something was given')
    }
  ],
  [
    'commands',
    'give, clear and selectors',
    async (stage) => {
      await stage.give('oak_log 70')
      await answers(stage, [
        ['clear ConformA oak_log 10', 'Removed 10 item(s) from player ConformA'],
        ['clear @a[name=ConformA] oak_log 0', 'Found 60 matching item(s) on player ConformA'],
        ['clear @a', 'Removed 60 item(s) from 2 players'],
        ['give @p[name=Nobody] stone', 'No player was found'],
        ['kill @e[type=item,distance=..1]', 'No entity was found']
      ])
    }
  ],
  [
    'commands',
    'data get reads health, place and inventory',
    async (stage) => {
      await stage.give('diamond 3')
      const read = (/** @type {string} */ path) => stage.command(`data get entity ConformA ${path}`)
      ensure((await read('Health')).endsWith('20.0f'), 'health')
      ensure(/0\.5d, 151\.0d?, 0\.5d/.test(await read('Pos')), `place: ${await read('Pos')}`)
      ensure(/id: "minecraft:diamond"/.test(await read('Inventory')), 'inventory')
    }
  ],
  [
    'commands',
    'time, difficulty, gamerule, weather, seed, list',
    async (stage) => {
      await stage.command('gamerule doDaylightCycle false')
      await answers(stage, [
        ['time set noon', 'Set the time to 6000'],
        ['time query daytime', 'The time is 6000'],
        ['gamerule keepInventory', 'Gamerule keepInventory is currently set to: true'],
        ['difficulty', 'The difficulty is Normal'],
        ['weather clear', 'Set the weather to clear']
      ])
      await stage.until('the bot knows the time', () => stage.bot.time.timeOfDay === 6000)
      ensure(/^Seed: \[-?\d+\]$/.test(await stage.command('seed')), 'seed')
      ensure(/2 of a max of \d+ players online/.test(await stage.command('list')), 'list')
    }
  ],
  [
    'commands',
    'effects come and go',
    async (stage) => {
      await stage.command('effect give ConformA speed 30 1')
      await stage.until('the bot is fast', () => Object.keys(stage.bot.entity.effects).length === 1)
      await stage.command('effect clear ConformA')
      await stage.until('it is over', () => Object.keys(stage.bot.entity.effects).length === 0)
    }
  ],
  [
    'digging',
    'the right tool yields the drop, which is picked up',
    async (stage) => {
      await stage.give('iron_pickaxe')
      await stage.place(stage.at(2, 0), 'iron_ore')
      await stage.dig(stage.at(2, 0), 'iron_pickaxe')
      await stage.walkTo(stage.at(2, 0))
      await stage.holds('raw_iron', 1)
    }
  ],
  [
    'digging',
    'a tool that is too weak yields nothing',
    async (stage) => {
      await stage.give('stone_pickaxe')
      await stage.place(stage.at(2, 0), 'diamond_ore')
      await stage.dig(stage.at(2, 0), 'stone_pickaxe')
      await stage.blockIs(stage.at(2, 0), 'air')
      await stage.bot.waitForTicks(10)
      const drops = Object.values(stage.bot.entities).filter(
        (/** @type {any} */ e) => e.name === 'item'
      )
      ensure(drops.length === 0 && stage.count('diamond') === 0, 'it dropped something')
    }
  ],
  [
    'digging',
    'the tool decides how long it takes',
    async (stage) => {
      await stage.give('wooden_pickaxe')
      await stage.give('diamond_pickaxe')
      const times = []
      for (const tool of ['wooden_pickaxe', 'diamond_pickaxe']) {
        await stage.place(stage.at(2, 0), 'stone')
        times.push(await stage.dig(stage.at(2, 0), tool))
        await stage.blockIs(stage.at(2, 0), 'air')
      }
      ensure(times[0] > times[1] * 2, `wood ${times[0]} ms, diamond ${times[1]} ms`)
    }
  ],
  [
    'digging',
    'a tool wears',
    async (stage) => {
      await stage.give('stone_pickaxe')
      await stage.place(stage.at(2, 0), 'stone')
      await stage.dig(stage.at(2, 0), 'stone_pickaxe')
      await stage.until('it is worn', () => stage.item('stone_pickaxe').durabilityUsed === 1)
    }
  ],
  [
    'digging',
    'gravel falls',
    async (stage) => {
      await stage.place(stage.at(2, 2), 'dirt')
      await stage.place(stage.at(2, 2, 1), 'gravel')
      await stage.command(`setblock ${stage.where(stage.at(2, 2))} air`)
      await stage.blockIs(stage.at(2, 2), 'gravel')
      await stage.blockIs(stage.at(2, 2, 1), 'air')
    }
  ],
  [
    'digging',
    'a torch goes with its wall',
    async (stage) => {
      await stage.place(stage.at(3, 3), 'stone')
      await stage.command(`setblock ${stage.where(stage.at(4, 3))} wall_torch[facing=east]`)
      await stage.blockIs(stage.at(4, 3), 'wall_torch')
      await stage.command(`setblock ${stage.where(stage.at(3, 3))} air`)
      await stage.blockIs(stage.at(4, 3), 'air')
    }
  ],
  [
    'placing',
    'a block is placed and used up',
    async (stage) => {
      await stage.give('cobblestone 2')
      await stage.bot.equip(stage.item('cobblestone'), 'hand')
      await stage.bot.placeBlock(stage.bot.blockAt(stage.at(2, 0, -1)), new Vec3(0, 1, 0))
      await stage.blockIs(stage.at(2, 0), 'cobblestone')
      await stage.holds('cobblestone', 1)
    }
  ],
  [
    'placing',
    'not where a body stands',
    async (stage) => {
      await stage.give('cobblestone 1')
      await stage.bot.equip(stage.item('cobblestone'), 'hand')
      const failed = await stage.bot
        .placeBlock(stage.bot.blockAt(stage.at(0, 0, -1)), new Vec3(0, 1, 0))
        .then(
          () => false,
          () => true
        )
      ensure(failed && stage.count('cobblestone') === 1, 'it was placed into the bot')
    }
  ],
  [
    'chests',
    'what one puts in the other takes out',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'chest')
      await stage.give('diamond 5')
      const chest = await stage.bot.openContainer(stage.bot.blockAt(stage.at(2, 0)))
      await chest.deposit(stage.item('diamond').type, null, 3)
      await chest.close()
      const theirs = await stage.other.openContainer(stage.other.blockAt(stage.at(2, 0)))
      ensure(theirs.containerItems()[0]?.count === 3, 'the chest holds 3')
      await theirs.withdraw(theirs.containerItems()[0].type, null, 2)
      await theirs.close()
      await stage.holds('diamond', 2, stage.other)
      await stage.holds('diamond', 2)
    }
  ],
  [
    'chests',
    'two chests make one of 54 slots',
    async (stage) => {
      await stage.command(`setblock ${stage.where(stage.at(2, 0))} chest[facing=north,type=left]`)
      await stage.command(`setblock ${stage.where(stage.at(3, 0))} chest[facing=north,type=right]`)
      await stage.until(
        'they are there',
        () => stage.bot.blockAt(stage.at(3, 0))?.getProperties().type === 'right'
      )
      const chest = await stage.bot.openContainer(stage.bot.blockAt(stage.at(2, 0)))
      ensure(chest.inventoryStart === 54, `it has ${chest.inventoryStart} slots`)
      await chest.close()
    }
  ],
  [
    'chests',
    'barrel and ender chest',
    async (stage) => {
      for (const block of ['barrel', 'ender_chest']) {
        await stage.place(stage.at(2, 0), block)
        const window = await stage.bot.openContainer(stage.bot.blockAt(stage.at(2, 0)))
        ensure(window.inventoryStart === 27, `${block} has ${window.inventoryStart} slots`)
        await window.close()
      }
    }
  ],
  [
    'chests',
    'item replace fills one, its block gives all back',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'chest')
      await stage.command(
        `item replace block ${stage.where(stage.at(2, 0))} container.4 with diamond 7`
      )
      const seen = await stage.command(`data get block ${stage.where(stage.at(2, 0))} Items`)
      ensure(/Slot: 4b.*diamond.*Count: 7b/.test(seen), seen)
      await stage.bot.dig(stage.bot.blockAt(stage.at(2, 0)), true)
      await stage.walkTo(stage.at(2, 0))
      await stage.holds('diamond', 7)
      await stage.holds('chest', 1)
    }
  ],
  [
    'windows',
    'shift-click, number key, drag and double click',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'chest')
      await stage.give('dirt 10')
      const chest = await stage.bot.openContainer(stage.bot.blockAt(stage.at(2, 0)))
      const slot = chest.slots.findIndex((/** @type {any} */ item) => item?.name === 'dirt')
      await stage.bot.clickWindow(slot, 0, 1)
      await inChest(stage, chest, 'Count: 10b')
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
      await inChest(stage, chest, 'Slot: 1b, id: "minecraft:dirt", Count: 5b')
      await raw(stage, chest, { mode: 0, slot: 0, mouseButton: 0 })
      await raw(stage, chest, { mode: 6, slot: 2, mouseButton: 0 })
      await raw(stage, chest, { mode: 0, slot: 2, mouseButton: 0 })
      await inChest(stage, chest, 'Slot: 2b, id: "minecraft:dirt", Count: 10b')
      await chest.close()
    }
  ],
  [
    'crafting',
    'planks and sticks in the own grid',
    async (stage) => {
      await stage.give('oak_log 2')
      await craft(stage, 'oak_planks', 2)
      await stage.holds('oak_planks', 8)
      await craft(stage, 'stick', 1)
      await stage.holds('stick', 4)
      await stage.holds('oak_planks', 6)
    }
  ],
  [
    'crafting',
    'a pickaxe on a table',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'crafting_table')
      await stage.give('oak_planks 3')
      await stage.give('stick 2')
      await craft(stage, 'wooden_pickaxe', 1, stage.at(2, 0))
      await stage.holds('wooden_pickaxe', 1)
      await stage.holds('oak_planks', 0)
    }
  ],
  [
    'crafting',
    'mixed planks make a chest',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'crafting_table')
      await stage.give('oak_planks 4')
      await stage.give('birch_planks 4')
      stage.bot.activateBlock(stage.bot.blockAt(stage.at(2, 0)))
      const [window] = await once(stage.bot, 'windowOpen')
      const places = { oak_planks: [1, 2, 3, 4], birch_planks: [6, 7, 8, 9] }
      for (const [name, slots] of Object.entries(places)) {
        const from = window.slots.findIndex((/** @type {any} */ item) => item?.name === name)
        await stage.bot.clickWindow(from, 0, 0)
        for (const slot of slots) await stage.bot.clickWindow(slot, 1, 0)
      }
      ensure(window.slots[0]?.name === 'chest', `it makes ${window.slots[0]?.name}`)
      await stage.bot.clickWindow(0, 0, 0)
      await stage.bot.closeWindow(window)
      await stage.holds('chest', 1)
    }
  ],
  [
    'crafting',
    'cake leaves its buckets',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'crafting_table')
      for (let bucket = 0; bucket < 3; bucket++) await stage.give('milk_bucket')
      for (const items of ['sugar 2', 'egg 1', 'wheat 3']) await stage.give(items)
      await craft(stage, 'cake', 1, stage.at(2, 0))
      await stage.until(
        'it has cake and buckets',
        () => stage.count('cake') === 1 && stage.count('bucket') === 3
      )
    }
  ],
  [
    'furnaces',
    'raw iron becomes iron over coal',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'furnace')
      await stage.give('raw_iron 2')
      await stage.give('coal 1')
      const furnace = await stage.bot.openFurnace(stage.bot.blockAt(stage.at(2, 0)))
      await furnace.putFuel(stage.item('coal').type, null, 1)
      await furnace.putInput(stage.item('raw_iron').type, null, 2)
      await stage.until('both are done', () => furnace.outputItem()?.count === 2, 60_000)
      await furnace.takeOutput()
      furnace.close()
      await stage.holds('iron_ingot', 2)
    }
  ],
  [
    'furnaces',
    'blast furnace and smoker take half the time',
    async (stage) => {
      for (const [block, input, output] of [
        ['blast_furnace', 'raw_gold', 'gold_ingot'],
        ['smoker', 'beef', 'cooked_beef']
      ]) {
        await stage.place(stage.at(2, 0), block)
        await stage.give(`${input} 1`)
        await stage.give('coal 1')
        const furnace = await stage.bot.openFurnace(stage.bot.blockAt(stage.at(2, 0)))
        await furnace.putFuel(stage.item('coal').type, null, 1)
        await furnace.putInput(stage.item(input).type, null, 1)
        await stage.until(`${output} is done`, () => furnace.outputItem()?.name === output)
        ensure(furnace.totalProgress === 100, `it takes ${furnace.totalProgress} ticks`)
        await furnace.takeOutput()
        furnace.close()
      }
    }
  ],
  [
    'items',
    'what is tossed lies, and another picks it up',
    async (stage) => {
      await stage.give('cobblestone 5')
      await stage.bot.lookAt(stage.other.entity.position.offset(0, 1, 0), true)
      await stage.bot.tossStack(stage.item('cobblestone'))
      await stage.walkTo(stage.at(-8, -8))
      await stage.until('the other has it', async () => {
        const drop = itemSeenBy(stage.other)
        if (drop) await stage.walkTo(drop.position.floored(), stage.other)
        return stage.count('cobblestone', stage.other) === 5
      })
    }
  ],
  [
    'items',
    'summon item lays one down',
    async (stage) => {
      await stage.command(
        `summon item ${stage.where(stage.at(3.5, 0.5))} {Item:{id:"minecraft:diamond",Count:2b}}`
      )
      await stage.walkTo(stage.at(3, 0))
      await stage.holds('diamond', 2)
    }
  ],
  [
    'items',
    'armour is worn, and others see it',
    async (stage) => {
      await stage.give('iron_helmet')
      await stage.bot.equip(stage.item('iron_helmet'), 'head')
      await stage.until(
        'the other sees it',
        () => stage.other.players.ConformA?.entity?.equipment[5]?.name === 'iron_helmet'
      )
      await stage.bot.unequip('head')
      await stage.holds('iron_helmet', 1)
    }
  ],
  [
    'life',
    'eating fills',
    async (stage) => {
      await stage.command('effect give ConformA hunger 30 255')
      await stage.until('it is hungry', () => stage.bot.food < 18, 60_000)
      await stage.command('effect clear ConformA')
      await stage.give('bread 2')
      await stage.bot.equip(stage.item('bread'), 'hand')
      const before = stage.bot.food
      await stage.bot.consume()
      await stage.until('it is fuller', () => stage.bot.food > before && stage.count('bread') === 1)
    }
  ],
  [
    'life',
    'a deep fall hurts',
    async (stage) => {
      await stage.command(`tp ConformA 0.5 ${FLOOR_Y + 11} 0.5`)
      await stage.until('it is hurt', () => stage.bot.health > 0 && stage.bot.health <= 14)
      await stage.command('effect give ConformA instant_health 1 5')
      await stage.until('it is healed', () => stage.bot.health === 20)
    }
  ],
  [
    'life',
    'the dead drop what they carry, and come back',
    async (stage) => {
      await stage.command('gamerule keepInventory false')
      await stage.give('diamond 4')
      const back = once(stage.bot, 'spawn')
      await stage.command('kill ConformA')
      await back
      await stage.until('it is alive', () => stage.bot.health === 20)
      ensure(stage.count('diamond') === 0 || (await pickedUp(stage)), 'it kept its diamonds')
      await stage.walkTo(stage.at(0, 0))
      await stage.holds('diamond', 4)
    }
  ],
  [
    'life',
    'with keepInventory the dead keep it',
    async (stage) => {
      await stage.give('diamond 4')
      const back = once(stage.bot, 'spawn')
      await stage.command('kill ConformA')
      await back
      await stage.holds('diamond', 4)
    }
  ],
  [
    'life',
    'an animal that is killed drops meat',
    async (stage) => {
      await stage.give('diamond_sword')
      await stage.command(`summon cow ${stage.where(stage.at(2.5, 0.5))}`)
      const isCow = (/** @type {any} */ e) => e.name === 'cow'
      await stage.until('it is seen', () => stage.bot.nearestEntity(isCow))
      await stage.bot.equip(stage.item('diamond_sword'), 'hand')
      await stage.until(
        'it is dead',
        async () => {
          const cow = stage.bot.nearestEntity(isCow)
          if (!cow) return true
          if (cow.position.distanceTo(stage.bot.entity.position) > 2.5)
            await near(stage, cow.position)
          stage.bot.attack(cow)
          await stage.bot.waitForTicks(13)
          return false
        },
        60_000
      )
      await stage.until('it has beef', async () => {
        const drop = itemSeenBy(stage.bot)
        if (drop) await near(stage, drop.position)
        return stage.count('beef') > 0
      })
    }
  ],
  [
    'walking',
    'a path around a wall',
    async (stage) => {
      const y = FLOOR_Y + 1
      await stage.command(`fill 2 ${y} -4 2 ${y + 2} 4 stone`)
      await stage.blockIs(stage.at(2, 0), 'stone')
      await stage.walkTo(stage.at(4, 0))
      ensure(stage.bot.entity.position.distanceTo(stage.at(4.5, 0.5)) < 1.5, 'it is not there')
    }
  ],
  [
    'walking',
    'up and down steps',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'stone')
      await stage.place(stage.at(3, 0), 'stone')
      await stage.place(stage.at(3, 0, 1), 'stone')
      await stage.walkTo(stage.at(3, 0, 2))
      ensure(Math.abs(stage.bot.entity.position.y - (FLOOR_Y + 3)) < 0.1, 'it is not up there')
      await stage.walkTo(stage.at(0, 3))
    }
  ]
]

/** @param {any} emitter @param {string} event @param {(...values: any[]) => boolean} [isIt] @returns {Promise<any[]>} */
function once(emitter, event, isIt = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`never heard: ${event}`)), 20_000)
    const listen = (/** @type {any[]} */ ...values) => {
      if (!isIt(...values)) return
      clearTimeout(timer)
      emitter.off(event, listen)
      resolve(values)
    }
    emitter.on(event, listen)
  })
}

/** @param {Stage} stage @param {[string, string][]} pairs */
async function answers(stage, pairs) {
  for (const [line, expected] of pairs) {
    const answer = await stage.command(line)
    ensure(answer === expected, `${line}: "${answer}" instead of "${expected}"`)
  }
}

/** @param {Stage} stage @param {string} name @param {number} times @param {any} [table] */
async function craft(stage, name, times, table) {
  const { id } = stage.bot.registry.itemsByName[name]
  const block = table ? stage.bot.blockAt(table) : null
  const [recipe] = stage.bot.recipesFor(id, null, 1, block)
  ensure(Boolean(recipe), `no recipe for ${name}`)
  await stage.bot.craft(recipe, times, block)
}

/** A click that Mineflayer itself does not offer, then the window as the server has it. @param {Stage} stage @param {any} window @param {any} click */
async function raw(stage, window, click) {
  const { Item } = itemsOf(stage.bot)
  stage.bot._client.write('window_click', {
    windowId: window.id,
    stateId: -1,
    ...click,
    changedSlots: [],
    cursorItem: Item.toNotch(window.selectedItem)
  })
  await once(stage.bot, `setWindowItems:${window.id}`)
}

/** @param {any} bot */
const itemsOf = (bot) => ({ Item: require('prismarine-item')(bot.registry) })

/** @param {Stage} stage @param {any} _chest @param {string} part */
function inChest(stage, _chest, part) {
  const line = `data get block ${stage.where(stage.at(2, 0))} Items`
  return stage.until(`the chest holds ${part}`, async () =>
    (await stage.command(line)).includes(part)
  )
}

/** @param {Stage} stage */
const pickedUp = async (stage) => stage.count('diamond') === 4

/** @param {Stage} stage @param {any} position */
const near = (stage, position) => stage.walkTo(position.floored()).catch(() => {})

/** @param {any} bot */
const itemSeenBy = (bot) => bot.nearestEntity((/** @type {any} */ e) => e.name === 'item')
