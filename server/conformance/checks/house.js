/** Parts of a house: doors, gates, switches, beds, signs, books. */
import { ensure, FLOOR_Y, Vec3 } from '../stage.js'
import { check, once, still, told } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Position} Position */

/** @param {Stage} stage @param {Position} place @param {string} name @param {unknown} value */
const property = (stage, place, name, value) =>
  stage.until(`${name} is ${value}`, () => stage.block(place).getProperties()[name] === value)

/** Blocks that one click opens and the next click closes. */
const OPENED = [
  ['a door', 'oak_door[half=lower,facing=north]', 'open'],
  ['a gate', 'oak_fence_gate', 'open'],
  ['a trapdoor', 'oak_trapdoor[half=bottom]', 'open'],
  ['a lever', 'lever[face=floor]', 'powered']
]

/** @type {import('./index.js').Check[]} */
const opened = OPENED.map(([name, block, what]) => [
  'house',
  `${name} opens and closes`,
  async (stage) => {
    const place = stage.at(2, 0)
    await stage.place(place, block)
    if (name === 'a door') await stage.place(stage.at(2, 0, 1), 'oak_door[half=upper,facing=north]')
    await stage.bot.activateBlock(stage.block(place))
    await property(stage, place, what, true)
    if (name === 'a door') await property(stage, stage.at(2, 0, 1), what, true)
    await stage.bot.activateBlock(stage.block(place))
    await property(stage, place, what, false)
  }
])

const HEAD = new Vec3(3, FLOOR_Y + 1, 0)

/** @param {Stage} stage */
async function makeBed(stage) {
  await stage.place(stage.at(2, 0), 'red_bed[part=foot,facing=east]')
  await stage.place(HEAD, 'red_bed[part=head,facing=east]')
}

/** Be refused by the bed for a reason. @param {Stage} stage @param {string} why */
async function refused(stage, why) {
  const told = once(stage.bot, 'message', (_, kind) => kind === 'game_info')
  await stage.bot.activateBlock(stage.block(HEAD))
  const [{ translate }] = await told
  ensure(translate === `block.minecraft.bed.${why}`, `the reason is ${translate}`)
}

/** Go to bed; Mineflayer's own method looks for monsters itself. @param {Stage} stage */
async function asleep({ bot }) {
  const slept = once(bot, 'sleep')
  await bot.activateBlock(/** @type {any} */ (bot.blockAt(HEAD)))
  await slept
}

export const checks = [
  ...opened,
  check('house', 'an iron door takes a button, which comes back', async (stage) => {
    const place = stage.at(2, 1)
    await stage.place(place, 'iron_door[half=lower,facing=north]')
    await stage.place(stage.at(2, 1, 1), 'iron_door[half=upper,facing=north]')
    await stage.place(stage.at(2, 0), 'stone_button[face=floor]')
    await stage.bot.activateBlock(stage.block(place))
    const opened = [place, stage.at(2, 1, 1)].map((half) => told(stage, half, 'open', true))
    await stage.bot.activateBlock(stage.block(stage.at(2, 0)))
    await Promise.all(opened)
    await property(stage, stage.at(2, 0), 'powered', false)
    await property(stage, place, 'open', false)
  }),
  check('house', 'a pressure plate lights a lamp while a player stands on it', async (stage) => {
    await stage.place(stage.at(2, 1), 'redstone_lamp')
    await stage.place(stage.at(2, 0), 'stone_pressure_plate')
    await stage.walkTo(stage.at(2, 0))
    await property(stage, stage.at(2, 1), 'lit', true)
    await stage.walkTo(stage.at(0, 0))
    await property(stage, stage.at(2, 1), 'lit', false)
  }),
  check('house', 'players sleep through a night in beds, and respawn there', async (stage) => {
    const { bot } = stage
    await makeBed(stage)
    await stage.command('gamerule playersSleepingPercentage 1')
    await stage.command('time set 13000')
    await stage.until('it is night', () => bot.time.timeOfDay >= 13000)
    const { day } = bot.time
    const woken = once(bot, 'wake')
    await bot.activateBlock(stage.block(stage.at(2, 0)))
    await woken
    await stage.until('it is morning', () => bot.time.day === day + 1)
    await stage.command(`tp ConformA 9 151 9`)
    const back = once(bot, 'spawn')
    await stage.command('kill ConformA')
    await back
    ensure(bot.entity.position.distanceTo(stage.at(3, 0)) < 3, 'it came back elsewhere')
    await stage.command('gamerule playersSleepingPercentage 100')
  }),
  check('house', 'a sign keeps its text, and another bot reads it', async (stage) => {
    const place = stage.at(2, 0)
    await stage.give('oak_sign')
    await stage.bot.equip(stage.item('oak_sign'), 'hand')
    const editor = once(stage.bot, 'signOpen')
    await stage.bot.placeBlock(stage.block(stage.at(2, 0, -1)), new Vec3(0, 1, 0))
    const [, isFront] = await editor
    stage.bot.updateSign(stage.block(place), "who digs, shares\nit's agreed", !isFront)
    const side = isFront ? 0 : 1
    await stage.until('the other reads it', () => {
      const texts = /** @type {any} */ (stage.block(place, stage.other)).getSignText?.() ?? []
      return texts[side]?.includes("who digs, shares\nit's agreed")
    })
    const data = await stage.command(`data get block ${stage.where(place)}`)
    ensure(data.includes('who digs, shares'), data)
    stage.bot.updateSign(stage.block(place), 'by nobody', !isFront)
    await stage.bot.waitForTicks(10)
    const texts = /** @type {any} */ (stage.block(place, stage.other)).getSignText?.() ?? []
    ensure(!texts[side]?.includes('by nobody'), 'a sign was written on without its editor')
  }),
  check('house', 'a book is written and signed', async (stage) => {
    const { bot } = stage
    await stage.give('writable_book')
    await bot.writeBook(36, ['first', 'second'])
    ensure(JSON.stringify(bot.inventory.slots[36]?.nbt).includes('second'), 'the page is gone')
    await /** @type {any} */ (bot).signBook(36, ['first', 'second'], bot.username, 'Norms')
    const { nbt, name } = stage.item('written_book')
    ensure(name === 'written_book' && /Norms/.test(JSON.stringify(nbt)), 'it is not signed')
    ensure(/ConformA/.test(JSON.stringify(nbt)), 'the author is another')
  }),
  check('house', 'by day a bed only sets the spawn point', async (stage) => {
    await makeBed(stage)
    await stage.command('time set noon')
    await refused(stage, 'no_sleep')
  }),
  check('house', 'monsters near a bed keep all but creative players awake', async (stage) => {
    const { bot, other } = stage
    await makeBed(stage)
    await stage.command('gamerule playersSleepingPercentage 100')
    await stage.command('time set 13000')
    await stage.until('it is night', () => bot.time.timeOfDay >= 13000)
    await still(stage, 'zombie', -3.5, 0.5)
    await refused(stage, 'not_safe')
    await stage.command('gamemode creative ConformA')
    await stage.until('it is in creative mode', () => bot.game.gameMode === 'creative')
    const counted = once(other, 'message', ({ translate }, kind) => {
      return kind === 'game_info' && translate === 'sleep.players_sleeping'
    })
    await asleep(stage)
    await counted
    await bot.wake()
    await stage.command('gamemode survival ConformA')
    await stage.command('kill @e[type=zombie]')
    const beyond = await still(stage, 'zombie', -5.5, 0.5) // its box ends 8.7 blocks from the bed
    await asleep(stage)
    ensure(beyond.isValid, 'the monster is gone')
    await stage.command(`tp ConformA ${other.username}`)
    await stage.until('a teleport has woken it', () => !bot.isSleeping)
    await stage.command('time set noon')
  })
]
