/** Farming: fields, buckets, animals. */
import { ensure, Vec3 } from '../stage.js'
import { check, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

const UP = new Vec3(0, 1, 0)

/**
 * Hold an item and use it on a block.
 * @param {Stage} stage @param {string} item @param {import('../stage.js').Position} place
 */
async function use(stage, item, place) {
  await stage.bot.equip(stage.item(item), 'hand')
  await stage.bot.activateBlock(stage.block(place))
}

export const checks = [
  check('farm', 'a field is tilled, sown, fertilised and reaped', async (stage) => {
    const { bot } = stage
    const soil = stage.at(2, 0, -1)
    for (const item of ['diamond_hoe', 'wheat_seeds', 'bone_meal 10']) await stage.give(item)
    await stage.place(soil, 'dirt')
    await use(stage, 'diamond_hoe', soil)
    await stage.blockIs(soil, 'farmland')
    await bot.equip(stage.item('wheat_seeds'), 'hand')
    await bot.placeBlock(stage.block(soil), UP)
    const place = stage.at(2, 0)
    const age = () => Number(stage.block(place).getProperties().age)
    for (let before = age(); before < 7; before = age()) {
      await use(stage, 'bone_meal', place)
      await stage.until('it grew', () => age() > before)
    }
    await bot.dig(stage.block(place))
    await stage.walkTo(place)
    await stage.holds('wheat', 1)
  }),
  check('farm', 'crops grow by themselves, and water keeps fields wet', async (stage) => {
    const [soil, place] = [stage.at(2, 0, -1), stage.at(2, 0)]
    await stage.place(stage.at(3, 0, -1), 'water')
    await stage.place(soil, 'farmland')
    await stage.place(place, 'wheat[age=0]')
    await stage.command('gamerule randomTickSpeed 4000')
    try {
      await stage.until('it is ripe', () => Number(stage.block(place).getProperties().age) === 7)
      await stage.until('it is wet', () => Number(stage.block(soil).getProperties().moisture) === 7)
    } finally {
      await stage.command('gamerule randomTickSpeed 3')
    }
  }),
  check('farm', 'a sapling becomes a tree', async (stage) => {
    await stage.place(stage.at(4, 4, -1), 'dirt')
    await stage.place(stage.at(4, 4), 'oak_sapling')
    await stage.command('gamerule randomTickSpeed 4000')
    try {
      await stage.blockIs(stage.at(4, 4), 'oak_log')
      await stage.blockIs(stage.at(5, 4, 4), 'oak_leaves')
    } finally {
      await stage.command('gamerule randomTickSpeed 3')
    }
    const [x, y, z] = [4, 151, 4]
    await stage.command(`fill ${x - 3} ${y} ${z - 3} ${x + 3} ${y + 9} ${z + 3} air`)
  }),
  check('farm', 'cows are milked, and have young when they are fed', async (stage) => {
    const { bot } = stage
    await stage.give('bucket')
    await stage.give('wheat 2')
    // The animals would walk out of reach.
    const pen = (/** @type {string} */ block, far = 0) => {
      const [low, high] = [stage.at(2 - far, 1 - far), stage.at(3 + far, 1 + far, 1)]
      return stage.command(`fill ${stage.where(low)} ${stage.where(high)} ${block}`)
    }
    await pen('glass', 1)
    await pen('air')
    for (const x of [2, 3]) await stage.command(`summon cow ${x}.5 151 1.5`)
    const cows = () => Object.values(bot.entities).filter(({ name }) => name === 'cow')
    await stage.until('two cows are seen', () => cows().length === 2)
    await bot.equip(stage.item('bucket'), 'hand')
    bot.useOn(cows()[0])
    await stage.holds('milk_bucket', 1)
    await bot.equip(stage.item('wheat'), 'hand')
    for (const cow of cows()) bot.useOn(cow)
    await stage.holds('wheat', 0)
    await stage.until('there is a calf', () => cows().some(({ metadata }) => metadata[16]))
    await stage.command('kill @e[type=cow]')
  }),
  check('farm', 'a sheep can be shorn once', async (stage) => {
    const { bot } = stage
    await stage.give('shears')
    await stage.command('summon sheep 3.5 151 1.5 {NoAI:1b,Color:14b}')
    await stage.until('a sheep is seen', () => bot.nearestEntity(({ name }) => name === 'sheep'))
    const sheep = /** @type {any} */ (bot.nearestEntity(({ name }) => name === 'sheep'))
    await bot.equip(stage.item('shears'), 'hand')
    bot.useOn(sheep)
    await stage.until('it is shorn', () => Number(sheep.metadata[17]) & 0x10)
    const wool = () => bot.nearestEntity(({ name }) => name === 'item')
    await stage.until('there is wool', () => wool()?.getDroppedItem()?.name === 'red_wool')
    await stage.command('kill @e[type=sheep]')
  }),
  check('farm', 'a sheep is dyed', async (stage) => {
    const { bot } = stage
    await stage.give('blue_dye 2')
    await stage.command('summon sheep 3.5 151 1.5 {NoAI:1b,Color:0b}')
    await stage.until('a sheep is seen', () => bot.nearestEntity(({ name }) => name === 'sheep'))
    const sheep = /** @type {any} */ (bot.nearestEntity(({ name }) => name === 'sheep'))
    await bot.equip(stage.item('blue_dye'), 'hand')
    bot.useOn(sheep)
    await stage.until('it is blue', () => (Number(sheep.metadata[17]) & 0xf) === 11)
    await stage.holds('blue_dye', 1)
    await stage.command('kill @e[type=sheep]')
  }),
  check('farm', 'jumping on a field tramples it', async (stage) => {
    const { bot } = stage
    const soil = stage.at(0, 0, -1)
    await stage.place(soil, 'farmland')
    bot.setControlState('jump', true)
    try {
      await stage.blockIs(soil, 'dirt')
    } finally {
      bot.setControlState('jump', false)
    }
  }),
  check('farm', 'a bucket scoops water up and pours it out', async (stage) => {
    const { bot } = stage
    const place = stage.at(2, 0, -1)
    await stage.give('bucket')
    await stage.place(place, 'water')
    await bot.equip(stage.item('bucket'), 'hand')
    await bot.lookAt(place.offset(0.5, 0.8, 0.5), true)
    await bot.waitForTicks(2)
    bot.activateItem()
    await stage.holds('water_bucket', 1)
    await stage.blockIs(place, 'air')
    await bot.lookAt(stage.at(2, 1, -1).offset(0.5, 1, 0.5), true)
    await bot.waitForTicks(2)
    bot.activateItem()
    await stage.blockIs(stage.at(2, 1), 'water')
    await stage.holds('bucket', 1)
    await stage.command(`setblock ${stage.where(stage.at(2, 1))} air`)
  })
]
