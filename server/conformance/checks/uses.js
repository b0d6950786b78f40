/** Uses of weapons, saddles, tags and blocks that accept items, and their sounds. */
import { ensure, FLOOR_Y } from '../stage.js'
import { answers, check, hold, once, standBeside, still, ticks } from './helpers.js'

/** @import { Bot } from 'mineflayer' */
/** @import { Entity } from 'prismarine-entity' */
/** @typedef {import('../stage.js').Stage} Stage */

/** A sword that was just taken in hand is at full strength after 12.5 ticks. */
const CHARGE_TICKS = 20
/** Speed in the third tick of a fall, in blocks per tick. */
const FALLING = -0.2

/**
 * Jump, and wait until the server knows about the fall: the bot reports a tick's position after the
 * tick.
 * @param {Bot} bot
 */
async function falls(bot) {
  bot.setControlState('jump', true)
  const isFalling = () => !bot.entity.onGround && bot.entity.velocity.y < FALLING
  await new Promise((resolve) => {
    const look = () => {
      if (!isFalling()) return
      bot.off('physicsTick', look)
      bot.setControlState('jump', false)
      resolve(undefined)
    }
    bot.on('physicsTick', look)
  })
}

/**
 * From now on, watch whether the bot sees an entity being hurt.
 * @param {Bot} bot @param {Entity} entity
 */
function hurts(bot, entity) {
  let isHurt = false
  bot.on('entityHurt', (one) => {
    if (one === entity) isHurt = true
  })
  return () => isHurt
}

/** @param {Stage} stage @param {string} block @param {string} name expected block afterwards */
async function fill(stage, block, name) {
  const place = stage.at(2, 0)
  await stage.place(place, block)
  await stage.bot.activateBlock(stage.block(place))
  await stage.blockIs(place, name)
}

export const checks = [
  check('fights', 'a sharp sword strikes harder, and shows it', async (stage) => {
    const { bot } = stage
    const cow = await still(stage, 'cow', 1.5, 2.5)
    await hold(stage, 'wooden_sword{Enchantments:[{id:sharpness,lvl:11}]}')
    await ticks(stage, CHARGE_TICKS)
    const [shown, dead] = ['entityMagicCriticalEffect', 'entityDead'].map((event) =>
      once(bot, event, (entity) => entity === cow)
    )
    bot.attack(cow) // 4 and 6 more, of 10
    await Promise.all([shown, dead])
  }),
  check('fights', 'fire aspect sets on fire', async (stage) => {
    const cow = await still(stage, 'cow', 1.5, 2.5)
    await hold(stage, 'stick{Enchantments:[{id:fire_aspect,lvl:2}]}')
    stage.bot.attack(cow)
    await stage.until('it burns', () => Number(cow.metadata[0]) & 1)
  }),
  check('fights', 'a sword sweeps, a shovel does not', async (stage) => {
    const { bot } = stage
    for (const tool of ['iron_shovel', 'iron_sword']) {
      await stage.command('kill @e[type=cow]')
      const cow = await still(stage, 'cow', 1.5, 2.5)
      const beside = await still(stage, 'cow', 0.5, 2.9)
      await hold(stage, tool)
      await ticks(stage, CHARGE_TICKS)
      const isHurt = hurts(bot, beside)
      const struck = once(bot, 'entityHurt', (entity) => entity === cow)
      const swept = tool === 'iron_sword' ? once(bot, 'entityHurt', (e) => e === beside) : null
      bot.attack(cow)
      await struck
      if (swept) await swept
      else await ticks(stage, 2)
      if (!swept) ensure(!isHurt(), 'the shovel hurt what stood beside it')
    }
  }),
  check('fights', 'a blow during a fall is critical, and does not sweep', async (stage) => {
    const { bot } = stage
    const cow = await still(stage, 'cow', 1.5, 2.5)
    const beside = await still(stage, 'cow', 0.5, 2.9)
    const isHurt = hurts(bot, beside)
    await hold(stage, 'diamond_sword')
    await ticks(stage, CHARGE_TICKS)
    const shown = once(bot, 'entityCriticalEffect', (entity) => entity === cow)
    const dead = once(bot, 'entityDead', (entity) => entity === cow)
    await falls(bot)
    bot.attack(cow)
    await Promise.all([shown, dead]) // 7 and half as much, of 10
    await ticks(stage, 2)
    ensure(!isHurt(), 'the blow hurt what stood beside')
  }),
  check('fights', 'sweeps strike players of other teams, not of the same team', async (stage) => {
    const { bot, other } = stage
    await standBeside(stage)
    for (const isMate of [true, false]) {
      await stage.command('team remove conform')
      await stage.command('team add conform')
      await stage.command(`team join conform ConformA${isMate ? '' : '2'}`)
      await stage.command('team join conform ConformB')
      const cow = await still(stage, 'cow', 2.5, 1.5)
      await hold(stage, 'iron_sword')
      await ticks(stage, CHARGE_TICKS)
      const struck = once(bot, 'entityHurt', (entity) => entity === cow)
      bot.attack(cow)
      await struck
      if (!isMate) await stage.until('B is hurt', () => other.health < 20)
      else await ticks(stage, 2)
      if (isMate) ensure(other.health === 20, 'the sweep hurt a team mate')
      await stage.command('kill @e[type=cow]')
      await stage.command('clear ConformA')
      await stage.holds('iron_sword', 0)
    }
    await stage.command('team remove conform')
  }),
  check('sounds', 'animals and chests make sounds', async (stage) => {
    const { bot } = stage
    const cow = await still(stage, 'cow', 1.5, 2.5)
    const heard = (/** @type {string} */ what) =>
      once(bot, 'soundEffectHeard', (name) => name.includes(what))
    const hurt = heard('entity.cow.hurt')
    bot.attack(cow)
    await hurt
    await stage.place(stage.at(2, 0), 'chest')
    const open = heard('block.chest.open')
    const chest = await bot.openContainer(stage.block(stage.at(2, 0)))
    await open
    const shut = heard('block.chest.close')
    chest.close()
    await shut
  }),
  check(
    'entities',
    'a tag names an animal, a saddle makes it rideable, a bowl is filled',
    async (stage) => {
      const { bot } = stage
      const pig = await still(stage, 'pig', 1.5, 2.5)
      await hold(stage, `name_tag{display:{Name:'"Bess"'}}`)
      bot.activateEntity(pig)
      await stage.until('it has its name', () => JSON.stringify(pig.metadata).includes('Bess'))
      await hold(stage, 'saddle')
      bot.activateEntity(pig)
      await stage.holds('saddle', 0)
      const up = once(bot, 'mount')
      bot.mount(pig)
      await up
      const down = once(bot, 'forcedMove')
      bot.dismount()
      await down
      const cow = await still(stage, 'mooshroom', 1.5, 2.5)
      await hold(stage, 'bowl')
      bot.activateEntity(cow)
      await stage.holds('mushroom_stew', 1)
    }
  ),
  check('house', 'pots, cauldrons and composters take the held item', async (stage) => {
    await hold(stage, 'poppy')
    await fill(stage, 'flower_pot', 'potted_poppy')
    await hold(stage, 'water_bucket')
    await fill(stage, 'cauldron', 'water_cauldron')
    await stage.holds('bucket', 1)
    const place = stage.at(2, 0)
    await stage.place(place, 'composter')
    await hold(stage, 'pumpkin_pie')
    await stage.bot.activateBlock(stage.block(place))
    await stage.until('it holds it', () => Number(stage.block(place).getProperties().level) === 1)
    await stage.holds('pumpkin_pie', 0)
  }),
  check('house', 'a cake is eaten in slices', async (stage) => {
    await stage.command('effect give ConformA hunger 30 255')
    await stage.until('it is hungry', () => stage.bot.food < 18, 60_000)
    await stage.command('effect clear ConformA')
    await stage.place(stage.at(2, 0), 'cake')
    const before = stage.bot.food
    await stage.bot.activateBlock(stage.block(stage.at(2, 0)))
    await stage.until('it is fuller', () => stage.bot.food > before)
    const { bites } = stage.block(stage.at(2, 0)).getProperties()
    ensure(Number(bites) === 1, `${bites} slices are gone`)
  }),
  check('commands', 'help, ride, random, list uuids and stopsound', async (stage) => {
    const { bot } = stage
    await answers(stage, [
      ['help seed', '/seed'],
      ['help nothing', 'Unknown command or insufficient permissions'],
      ['stopsound ConformA', 'Stopped all sounds'],
      ['stopsound ConformA master', "Stopped all 'master' sounds"],
      ['ride ConformA dismount', 'ConformA is not riding any vehicle'],
      ['ride ConformA mount ConformB', "Players can't be ridden"]
    ])
    await still(stage, 'pig', 2.5, 2.5)
    const up = once(bot, 'mount')
    const line = 'ride ConformA mount @e[type=pig,limit=1]'
    await answers(stage, [[line, 'ConformA started riding Pig']])
    await up
    await answers(stage, [['ride ConformA dismount', 'ConformA stopped riding Pig']])
    const drawn = Number((await stage.command('random value 3..4')).match(/: (\d+)$/)?.[1])
    ensure(drawn === 3 || drawn === 4, `3..4 gave ${drawn}`)
    const names = await stage.command('list uuids')
    ensure(names.includes(`ConformA (${bot.player.uuid})`), names)
  }),
  check('join', 'the server names its brand', async ({ bot }) => {
    ensure(Boolean(bot.game.serverBrand), 'no brand was told')
  })
]
