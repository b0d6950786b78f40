/** Throwing, shooting, potions and gliding. */
import { FLOOR_Y } from '../stage.js'
import { atWork, check, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

/**
 * Place a motionless pig five blocks away, and let the bot look at the pig.
 * @param {Stage} stage
 */
async function target(stage) {
  const seen = once(stage.bot, 'entitySpawn', (entity) => entity.name === 'pig')
  await stage.command(`summon pig 0.5 ${FLOOR_Y + 1} 5.5 {NoAI:1b}`)
  const [pig] = await seen
  await lookAt(stage, pig.position.offset(0, 0.8, 0))
  return pig
}

/** @param {Stage} stage @param {import('../stage.js').Position} place */
async function lookAt(stage, place) {
  await stage.bot.lookAt(place, true)
  await stage.bot.waitForTicks(3)
}

/** @param {Stage} stage @param {string} item */
async function hold(stage, item) {
  await stage.give(item)
  await stage.bot.equip(stage.item(item.split(' ')[0]), 'hand')
}

const drawn = [
  { weapon: 'bow', ticks: 25 },
  { weapon: 'crossbow', ticks: 30 }
].map(({ weapon, ticks }) =>
  check('shots', `a ${weapon} shoots an arrow that hurts`, async (stage) => {
    const { bot } = stage
    await stage.give('arrow 3')
    await hold(stage, weapon)
    const pig = await target(stage)
    const hurt = once(bot, 'entityHurt', (entity) => entity === pig)
    bot.activateItem()
    await atWork(stage, stage.other, bot, ticks)
    bot.deactivateItem()
    if (weapon === 'crossbow') {
      await stage.until('it is loaded', () =>
        JSON.stringify(bot.heldItem?.nbt).includes('ChargedProjectiles')
      )
      bot.activateItem()
    }
    await hurt
    await stage.holds('arrow', 2)
  })
)

export const checks = [
  ...drawn,
  check('shots', 'a snowball strikes', async (stage) => {
    await hold(stage, 'snowball')
    const pig = await target(stage)
    const hurt = once(stage.bot, 'entityHurt', (entity) => entity === pig)
    stage.bot.activateItem()
    await hurt
    await stage.holds('snowball', 0)
  }),
  check('shots', 'a pearl teleports its thrower', async (stage) => {
    await hold(stage, 'ender_pearl')
    await lookAt(stage, stage.at(0.5, 10))
    stage.bot.activateItem()
    await stage.until('it is there', () => stage.bot.entity.position.z > 4)
  }),
  check('shots', 'a bottle of experience gives experience', async (stage) => {
    await stage.command('xp set ConformA 0 points')
    await hold(stage, 'experience_bottle')
    await lookAt(stage, stage.at(0.5, 2, -1))
    stage.bot.activateItem()
    await stage.until(
      'it has some',
      () => stage.bot.experience.points > 0 || stage.bot.experience.level > 0
    )
  }),
  check('shots', 'a thrown potion heals', async (stage) => {
    await stage.command('give ConformA splash_potion{Potion:"minecraft:swiftness"}')
    await stage.holds('splash_potion', 1)
    await stage.bot.equip(stage.item('splash_potion'), 'hand')
    await lookAt(stage, stage.at(0.5, 1, -1))
    const given = once(stage.bot, 'entityEffect', (entity) => entity === stage.bot.entity)
    stage.bot.activateItem()
    await given
  }),
  ...['ahead', 'straight below'].map((where) =>
    check('shots', `a fish bites ${where}`, async (stage) => {
      const { bot } = stage
      const isBelow = where !== 'ahead'
      if (isBelow) {
        await stage.command('gamemode creative ConformA')
        bot.creative.startFlying() // the catch must rise to the surface to be in reach
        const isStill = once(bot, 'forcedMove')
        await stage.command(`tp ConformA 0.5 ${FLOOR_Y + 1} 0.5`)
        await isStill
      }
      await stage.command(`fill -3 ${FLOOR_Y} ${isBelow ? -3 : 2} 3 ${FLOOR_Y} 8 water`)
      await stage.command(`fill -3 ${FLOOR_Y - 1} -3 3 ${FLOOR_Y - 1} 8 glass`)
      await stage.command('give ConformA fishing_rod{Enchantments:[{id:"minecraft:lure",lvl:6s}]}')
      await stage.holds('fishing_rod', 1)
      await bot.equip(stage.item('fishing_rod'), 'hand')
      await stage.blockIs(stage.at(0, 5, -1), 'water')
      await lookAt(stage, isBelow ? stage.at(0.5, 0.5, -1) : stage.at(0.5, 5))
      const caught = once(bot, 'playerCollect', (_, { name }) => name === 'item')
      await bot.fish()
      await caught
      if (isBelow) bot.creative.stopFlying()
    })
  ),
  check('shots', 'elytra carry a player, and a rocket accelerates it', async (stage) => {
    const { bot } = stage
    await stage.command('item replace entity ConformA armor.chest with elytra')
    await hold(stage, 'firework_rocket 3')
    await stage.command(`tp ConformA 0.5 ${FLOOR_Y + 60} 0.5`)
    await stage.until('it falls', () => {
      const { y } = bot.entity.position
      return y < FLOOR_Y + 59 && y > FLOOR_Y + 1 && !bot.entity.onGround
    })
    await bot.elytraFly()
    await stage.until('it glides', () => /** @type {any} */ (bot.entity).elytraFlying)
    const used = once(bot, 'usedFirework')
    bot.activateItem()
    await used
    await stage.command('item replace entity ConformA armor.chest with air')
    await stage.until('it falls again', () => !(/** @type {any} */ (bot.entity).elytraFlying))
    await stage.holds('firework_rocket', 2)
  })
]
