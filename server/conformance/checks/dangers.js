/** Damage and protection from it, fluids and falling blocks. */
import { ensure, FLOOR_Y } from '../stage.js'
import { atWork, check, once, standBeside } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

const Y = FLOOR_Y + 1

/**
 * Enclose the bot in a cell one block wide, together with a block.
 * @param {Stage} stage @param {string} block
 */
async function shutIn(stage, block) {
  await stage.command('gamerule naturalRegeneration false')
  await stage.command(`fill 3 ${Y} 3 5 ${Y + 4} 5 glass`)
  await stage.command(`fill 4 ${Y} 4 4 ${Y + 3} 4 ${block}`)
  await stage.command(`tp ConformA 4.5 ${Y} 4.5`)
}

/**
 * Wound the bot, enclose it, and wait until all players are told the cause of its death.
 * @param {Stage} stage @param {string} block @param {RegExp} word in the message key
 */
async function diesOf(stage, block, word) {
  const told = once(stage.other, 'message', (text) => word.test(text.json.translate))
  const back = once(stage.bot, 'spawn')
  await stage.command('gamerule naturalRegeneration false')
  await stage.command('effect give ConformA instant_damage 1 1')
  await shutIn(stage, block)
  await Promise.all([told, back])
}

/** @type {import('./index.js').Check[]} */
const deaths = [
  { name: 'lava burns', block: 'lava', word: /^death\.attack\.(lava|onFire)$/ },
  { name: 'fire burns', block: 'fire', word: /^death\.attack\.(inFire|onFire)$/ }
].map(({ name, block, word }) => [
  'dangers',
  name,
  async (stage) => {
    await diesOf(stage, block, word)
  }
])

/** @param {{name: string}} block */
const isFire = ({ name }) => name === 'fire'

export const checks = [
  ...deaths,
  check('dangers', 'breath is told', async (stage) => {
    await shutIn(stage, 'water')
    await stage.until('it holds its breath', () => stage.bot.oxygenLevel < 20)
  }),
  check('dangers', 'fire resistance protects from lava', async (stage) => {
    await stage.command('effect give ConformA fire_resistance 100')
    await shutIn(stage, 'lava')
    await stage.bot.waitForTicks(30)
    ensure(stage.bot.health === 20, `it has ${stage.bot.health}`)
  }),
  check(
    'dangers',
    'hay softens a fall, and slime bounces a player without damage',
    async (stage) => {
      const { bot } = stage
      await stage.command('gamerule naturalRegeneration false')
      /** @param {string} block @param {number} x @param {number} wounds */
      const fall = async (block, x, wounds) => {
        await stage.place(stage.at(x, 4), block)
        await stage.command(`tp ConformA ${x + 0.5} ${Y + 11} 4.5`)
        const top = Y + 1
        await stage.until('it falls', () => bot.entity.velocity.y < -0.5)
        await stage.until('it is down', () => bot.entity.position.y < top + 0.1)
        await stage.until('it lies', () => bot.entity.onGround)
        await stage.command('time query gametime') // by then the server has computed the fall
        await stage.until(`it has lost ${wounds}`, () => bot.health === 20 - wounds)
      }
      await fall('slime_block', 6, 0)
      await fall('hay_block', 3, 2)
    }
  ),
  check('dangers', 'a shield blocks a blow', async (stage) => {
    const { bot, other } = stage
    await stage.command('item replace entity ConformB weapon.offhand with shield')
    await stage.give('iron_sword')
    await bot.equip(stage.item('iron_sword'), 'hand')
    await standBeside(stage)
    await other.lookAt(bot.entity.position.offset(0, 1.6, 0), true)
    other.activateItem(true)
    await atWork(stage, bot, other, 10)
    const blocked = once(bot._client, 'entity_status', (packet) => packet.entityStatus === 29)
    bot.attack(/** @type {any} */ (bot.players.ConformB.entity))
    await blocked
    ensure(other.health === 20, `B has ${other.health}`)
    other.deactivateItem()
  }),
  check('dangers', 'fire burns what is flammable, and goes out elsewhere', async (stage) => {
    const wool = [stage.at(5, 4, 1), stage.at(3, 4, 1), stage.at(4, 5, 1), stage.at(4, 3, 1)]
    for (const position of wool) await stage.place(position, 'white_wool')
    await stage.place(stage.at(4, 4, 1), 'fire')
    await stage.command('gamerule doFireTick true')
    const left = () => wool.filter((one) => stage.bot.blockAt(one)?.name === 'white_wool').length
    await stage.until('it has eaten', () => left() < wool.length, 90_000)
    await stage.command(`fill 2 ${Y} 2 6 ${Y + 5} 6 air replace white_wool`)
    await stage.until('it is out', () => stage.bot.findBlock({ matching: isFire }) === null, 90_000)
  }),
  check('dangers', 'TNT breaks weak blocks', async (stage) => {
    await stage.place(stage.at(8, 8), 'dirt')
    await stage.place(stage.at(9, 8), 'obsidian')
    const heard = once(stage.bot._client, 'explosion')
    await stage.command(`summon tnt 8.5 ${Y + 1} 9.5 {fuse:10}`)
    await heard
    await stage.blockIs(stage.at(8, 8), 'air')
    ensure(stage.block(stage.at(9, 8)).name === 'obsidian', 'obsidian broke')
  }),
  check('flow', 'sand falls as an entity and becomes a block where it lands', async (stage) => {
    const falls = once(stage.bot, 'entitySpawn', (entity) => entity.name === 'falling_block')
    await stage.command(`setblock ${stage.where(stage.at(4, 4, 4))} sand`)
    await falls
    await stage.blockIs(stage.at(4, 4), 'sand')
  }),
  check('flow', 'water spreads one level per block, and dries up', async (stage) => {
    await stage.command(`fill 2 ${Y} -1 11 ${Y} 1 stone`)
    await stage.command(`fill 3 ${Y} 0 11 ${Y} 0 air`)
    await stage.place(stage.at(3, 0), 'water')
    const level = () => stage.bot.blockAt(stage.at(10, 0))?.getProperties().level
    await stage.until('it has come', () => Number(level()) === 7)
    ensure(stage.block(stage.at(11, 0)).name === 'air', 'it went too far')
    await stage.command(`setblock ${stage.where(stage.at(3, 0))} air`)
    await stage.blockIs(stage.at(10, 0), 'air')
  }),
  check('flow', 'two sources make a third', async (stage) => {
    await stage.command(`fill 2 ${Y} -1 6 ${Y} 1 stone`)
    await stage.command(`fill 3 ${Y} 0 5 ${Y} 0 air`)
    await stage.place(stage.at(3, 0), 'water')
    await stage.place(stage.at(5, 0), 'water')
    await stage.until('it is a source', () => {
      const middle = stage.bot.blockAt(stage.at(4, 0))
      return middle?.name === 'water' && Number(middle.getProperties().level) === 0
    })
  }),
  check('flow', 'lava beside water becomes obsidian', async (stage) => {
    await stage.command(`fill 2 ${Y} -1 5 ${Y} 1 stone`)
    await stage.command(`fill 3 ${Y} 0 4 ${Y} 0 air`)
    await stage.place(stage.at(3, 0), 'lava')
    await stage.command(`setblock ${stage.where(stage.at(4, 0))} water`)
    await stage.blockIs(stage.at(3, 0), 'obsidian')
  }),
  check('experience', 'ores and kills give experience', async (stage) => {
    const { bot } = stage
    await stage.command('xp set ConformA 0 points')
    await stage.place(stage.at(2, 0), 'diamond_ore')
    await stage.give('iron_pickaxe')
    await stage.dig(stage.at(2, 0), 'iron_pickaxe')
    await stage.walkTo(stage.at(2, 0))
    await stage.until('it has some', () => bot.experience.points >= 3)
    await stage.holds('diamond', 1)
  }),
  check('experience', 'a potion is drunk, and milk ends it', async (stage) => {
    const { bot } = stage
    await stage.command('give ConformA potion{Potion:"minecraft:swiftness"}')
    await stage.holds('potion', 1)
    await bot.equip(stage.item('potion'), 'hand')
    const given = once(bot, 'entityEffect', (entity) => entity === bot.entity)
    bot.activateItem()
    await given
    await stage.holds('glass_bottle', 1)
    await stage.give('milk_bucket')
    await bot.equip(stage.item('milk_bucket'), 'hand')
    const ended = once(bot, 'entityEffectEnd', (entity) => entity === bot.entity)
    bot.activateItem()
    await ended
    await stage.holds('bucket', 1)
  })
]
