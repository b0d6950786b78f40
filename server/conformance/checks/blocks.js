/** Digging and placing. */
import { ensure, Vec3 } from '../stage.js'
import { check } from './helpers.js'

const [START, FINISH] = [0, 2]

/** Entities that do not prevent placing a block. */
const AIRY = [
  'experience_orb',
  'firework_rocket',
  'item_frame{Facing:1b}',
  'item',
  'armor_stand{Marker:1b}'
]

export const checks = [
  check('placing', 'things without a body do not block placing', async (stage) => {
    const { bot } = stage
    await stage.give('dirt 6')
    await bot.equip(stage.item('dirt'), 'hand')
    for (const [at, thing] of AIRY.entries()) {
      const place = stage.at(3, at - 2)
      const [kind, data] = thing.split(/(?={)/)
      const tag = kind === 'item' ? '{Item:{id:"minecraft:stick",Count:1b}}' : (data ?? '')
      await stage.command(`summon ${kind} ${stage.where(place.offset(0.5, 0.1, 0.5))} ${tag}`)
      await bot.placeBlock(stage.block(place.offset(0, -1, 0)), new Vec3(0, 1, 0))
      await stage.blockIs(place, 'dirt')
    }
    const place = stage.at(2, 1)
    await stage.command(`summon boat ${stage.where(place.offset(0.5, 0, 0.5))}`)
    const refused = bot.placeBlock(stage.block(place.offset(0, -1, 0)), new Vec3(0, 1, 0))
    const isPlaced = await refused.then(
      () => true,
      () => false
    )
    ensure(!isPlaced, 'it is placed into a boat')
  }),
  check('digging', 'the right tool yields the drop, which is picked up', async (stage) => {
    await stage.give('iron_pickaxe')
    await stage.place(stage.at(2, 0), 'iron_ore')
    await stage.dig(stage.at(2, 0), 'iron_pickaxe')
    await stage.walkTo(stage.at(2, 0))
    await stage.holds('raw_iron', 1)
  }),
  check('digging', 'a tool that is too weak yields nothing', async (stage) => {
    await stage.give('stone_pickaxe')
    await stage.place(stage.at(2, 0), 'diamond_ore')
    await stage.dig(stage.at(2, 0), 'stone_pickaxe')
    await stage.blockIs(stage.at(2, 0), 'air')
    await stage.bot.waitForTicks(10)
    const drops = Object.values(stage.bot.entities).filter((e) => e.name === 'item')
    ensure(drops.length === 0 && stage.count('diamond') === 0, 'it dropped something')
  }),
  check('digging', 'the tool decides how long digging takes', async (stage) => {
    await stage.give('wooden_pickaxe')
    await stage.give('diamond_pickaxe')
    const times = { wooden_pickaxe: Infinity, diamond_pickaxe: Infinity }
    for (const tool of [
      'wooden_pickaxe',
      'diamond_pickaxe',
      'diamond_pickaxe',
      'diamond_pickaxe'
    ]) {
      await stage.place(stage.at(2, 0), 'stone')
      const kind = /** @type {keyof typeof times} */ (tool)
      times[kind] = Math.min(times[kind], await stage.dig(stage.at(2, 0), tool))
      await stage.blockIs(stage.at(2, 0), 'air')
    }
    const { wooden_pickaxe: wood, diamond_pickaxe: diamond } = times
    ensure(wood > diamond * 2, `wood ${wood} ms, diamond ${diamond} ms`)
  }),
  check(
    'digging',
    'a dig that was finished too early breaks the block when its time is over',
    async (stage) => {
      const location = stage.at(2, 0)
      await stage.give('stone_pickaxe')
      await stage.bot.equip(stage.item('stone_pickaxe'), 'hand')
      await stage.place(location, 'iron_ore')
      const needed = stage.bot.digTime(stage.block(location))
      const started = performance.now()
      for (const status of [START, FINISH]) {
        stage.bot._client.write('block_dig', { status, location, face: 1 })
      }
      await stage.blockIs(location, 'air')
      const passed = performance.now() - started
      ensure(passed > needed / 2, `${needed} ms are needed, and it broke after ${passed}`)
      await stage.walkTo(location)
      await stage.holds('raw_iron', 1)
    }
  ),
  check('digging', 'a tool wears', async (stage) => {
    await stage.give('stone_pickaxe')
    await stage.place(stage.at(2, 0), 'stone')
    await stage.dig(stage.at(2, 0), 'stone_pickaxe')
    await stage.until('it is worn', () => stage.item('stone_pickaxe').durabilityUsed === 1)
  }),
  check('digging', 'gravel falls', async (stage) => {
    await stage.place(stage.at(2, 2), 'dirt')
    await stage.place(stage.at(2, 2, 1), 'gravel')
    await stage.command(`setblock ${stage.where(stage.at(2, 2))} air`)
    await stage.blockIs(stage.at(2, 2), 'gravel')
    await stage.blockIs(stage.at(2, 2, 1), 'air')
  }),
  check('digging', 'a torch drops when its wall is dug', async (stage) => {
    await stage.place(stage.at(3, 3), 'stone')
    await stage.command(`setblock ${stage.where(stage.at(4, 3))} wall_torch[facing=east]`)
    await stage.blockIs(stage.at(4, 3), 'wall_torch')
    await stage.command(`setblock ${stage.where(stage.at(3, 3))} air`)
    await stage.blockIs(stage.at(4, 3), 'air')
  }),
  check('placing', 'a block is placed and used up', async (stage) => {
    await stage.give('cobblestone 2')
    await stage.bot.equip(stage.item('cobblestone'), 'hand')
    await stage.bot.placeBlock(stage.block(stage.at(2, 0, -1)), new Vec3(0, 1, 0))
    await stage.blockIs(stage.at(2, 0), 'cobblestone')
    await stage.holds('cobblestone', 1)
  }),
  check('placing', 'a block cannot be placed into a body', async (stage) => {
    await stage.give('cobblestone 1')
    await stage.bot.equip(stage.item('cobblestone'), 'hand')
    const failed = await stage.bot
      .placeBlock(stage.block(stage.at(0, 0, -1)), new Vec3(0, 1, 0))
      .then(
        () => false,
        () => true
      )
    ensure(failed && stage.count('cobblestone') === 1, 'it was placed into the bot')
  })
]
