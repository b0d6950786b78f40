/**
 * From nothing to a diamond pickaxe in natural terrain, with stock Mineflayer and its path finder.
 *
 * Written the way Voyager's primitives work (find, walk and dig there, collect), so what it needs
 * of the world is what such skills need. Prints each milestone.
 *
 * Usage: node tech_tree.mjs PORT SPEED ANCHOR_MS CLOCK_FILE [UNTIL]
 */
import { borrows, CLOCK_CHANNEL, setSpeed } from '@voxpolis/clock'

const [port, speed, anchor, clock, until = 'diamond_pickaxe'] = process.argv.slice(2)
setSpeed(Number(speed), Number(anchor), clock)

const { createRequire } = await import('node:module')
const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')
const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
const { Vec3 } = require('vec3')

const bot = mineflayer.createBot({
  host: '127.0.0.1',
  port: Number(port),
  username: 'Climber',
  version: '1.20.4',
  auth: 'offline',
  checkTimeoutInterval: 600_000
})
bot.loadPlugin(pathfinder)
bot.on('error', (error) => console.log(`error: ${error}`))
bot.once('spawn', () =>
  climb().then(
    () => process.exit(0),
    (error) => {
      console.log(`failed: ${error.stack}`)
      process.exit(1)
    }
  )
)

const count = (name) =>
  bot.inventory
    .items()
    .filter((item) => item.name === name)
    .reduce((sum, item) => sum + item.count, 0)
const held = (name) => bot.inventory.items().find((item) => item.name === name)
const id = (name) => bot.registry.blocksByName[name]?.id

async function goto(goal) {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      return await bot.pathfinder.goto(goal)
    } catch (error) {
      bot.pathfinder.setGoal(null)
      if (attempt === 3) throw error
    }
  }
}

/** Digs until the bot has that many of an item. */
async function mine(blocks, item, wanted, tool) {
  const ids = blocks.map(id)
  const given = new Set()
  while (count(item) < wanted) {
    const [position] = bot
      .findBlocks({ matching: ids, maxDistance: 64, count: 64 })
      .filter((found) => !given.has(String(found)))
    if (!position) throw new Error(`no ${blocks} within 64 blocks`)
    given.add(String(position))
    try {
      await goto(new goals.GoalLookAtBlock(position, bot.world, { reach: 3.5 }))
      if (tool) await bot.equip(held(tool), 'hand')
      const block = bot.blockAt(position)
      if (!ids.includes(block.type)) continue
      await bot.dig(block, true)
      await bot.waitForTicks(12)
      const drop = bot.nearestEntity(
        (entity) => entity.name === 'item' && entity.position.distanceTo(position) < 4
      )
      if (drop) await goto(new goals.GoalNear(drop.position.x, drop.position.y, drop.position.z, 0))
      await bot.waitForTicks(4)
    } catch (error) {
      console.log(`  (${blocks[0]} at ${position}: ${error.message})`)
    }
  }
}

async function craft(name, times = 1, table = null) {
  const [recipe] = bot.recipesFor(bot.registry.itemsByName[name].id, null, 1, table)
  if (!recipe) throw new Error(`no recipe for ${name} of ${bot.inventory.items().map(String)}`)
  await bot.craft(recipe, times, table)
  await bot.waitForTicks(2)
}

/** Puts a block down beside the bot, in a place that is dug free where need be. */
async function put(name) {
  const feet = bot.entity.position.floored()
  for (const [x, z] of [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1]
  ]) {
    const place = feet.offset(x, 0, z)
    if (bot.blockAt(place.offset(0, -1, 0)).boundingBox !== 'block') continue
    if (bot.blockAt(place).boundingBox === 'block') await bot.dig(bot.blockAt(place), true)
    await bot.equip(held(name), 'hand')
    await bot.placeBlock(bot.blockAt(place.offset(0, -1, 0)), new Vec3(0, 1, 0))
    return bot.blockAt(place)
  }
  throw new Error(`no place for ${name}`)
}

async function smelt(furnaceBlock, input, output, number) {
  const furnace = await bot.openFurnace(furnaceBlock)
  await furnace.putFuel(held('coal').type, null, Math.ceil(number / 8))
  await furnace.putInput(held(input).type, null, number)
  while ((furnace.outputItem()?.count ?? 0) < number) await bot.waitForTicks(20)
  await furnace.takeOutput()
  furnace.close()
  if (count(output) < number) await bot.waitForTicks(10)
}

async function climb() {
  await bot.waitForChunksToLoad()
  if (borrows())
    bot._client.write('custom_payload', { channel: CLOCK_CHANNEL, data: Buffer.alloc(0) })
  const movements = new Movements(bot)
  movements.allow1by1towers = true
  bot.pathfinder.setMovements(movements)
  bot.pathfinder.thinkTimeout = 60_000 * Number(speed)
  bot.pathfinder.tickTimeout = Math.min(40 * Number(speed), 100)
  const done = (name) => {
    console.log(name)
    if (name === until) process.exit(0)
  }

  const logs = ['oak_log', 'birch_log']
  const log = bot.findBlock({ matching: logs.map(id), maxDistance: 64 })?.name
  if (!log) throw new Error('no tree within 64 blocks')
  await mine([log], log, 8)
  done('logs')
  const planks = log.replace('_log', '_planks')
  await craft(planks, 8)
  await craft('crafting_table')
  await craft('stick', 3)
  let table = await put('crafting_table')
  await craft('wooden_pickaxe', 1, table)
  done('wooden_pickaxe')
  await bot.dig(table, true)
  await bot.waitForTicks(20)
  await mine(['stone'], 'cobblestone', 16, 'wooden_pickaxe')
  if (!held('crafting_table')) await craft('crafting_table')
  table = await put('crafting_table')
  await craft('stone_pickaxe', 1, table)
  await craft('stone_pickaxe', 1, table)
  await craft('furnace', 1, table)
  done('stone_pickaxe')
  await bot.dig(table, true)
  await bot.waitForTicks(20)
  await mine(['coal_ore', 'deepslate_coal_ore'], 'coal', 2, 'stone_pickaxe')
  done('coal')
  await mine(['iron_ore', 'deepslate_iron_ore'], 'raw_iron', 3, 'stone_pickaxe')
  done('raw_iron')
  await smelt(await put('furnace'), 'raw_iron', 'iron_ingot', 3)
  if (!held('crafting_table')) await craft('crafting_table')
  table = await put('crafting_table')
  await craft('iron_pickaxe', 1, table)
  done('iron_pickaxe')
  await bot.dig(table, true)
  await bot.waitForTicks(20)
  const { x, z } = bot.entity.position
  await goto(new goals.GoalNear(x, -50, z, 3))
  done('deep')
  await mine(['diamond_ore', 'deepslate_diamond_ore'], 'diamond', 3, 'iron_pickaxe')
  done('diamonds')
  if (!held('crafting_table')) await craft('crafting_table')
  table = await put('crafting_table')
  await craft('diamond_pickaxe', 1, table)
  done('diamond_pickaxe')
}
