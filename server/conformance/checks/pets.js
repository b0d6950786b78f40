/** Animals that have an owner. */
import { ensure } from '../stage.js'
import { check, hold, once, still, ticks } from './helpers.js'

/** @import { Entity } from 'prismarine-entity' */
/** @typedef {import('../stage.js').Stage} Stage */

/** Metadata keys of pets in 1.20.4, and their flags; all living entities have health. */
const KEY = { health: 9, flags: 17, owner: 18, collar: 20 }
const FLAG = { sitting: 1, tame: 4 }
const TAME_HORSE = 2
/** Entity status that shows the result of a taming attempt. */
const STATUS = { smoke: 6, hearts: 7 }
const TRIES = 60

/**
 * Feed an animal until it is tame.
 * @param {Stage} stage @param {Entity} animal @param {string} food
 */
async function tame(stage, animal, food) {
  const { bot } = stage
  await stage.give(`${food} 64`)
  await bot.equip(stage.item(food), 'hand')
  let isTame = false
  for (let tries = 0; tries < TRIES && !isTame; tries++) {
    const shown = once(bot._client, 'entity_status', ({ entityId, entityStatus }) => {
      return entityId === animal.id && Object.values(STATUS).includes(entityStatus)
    })
    bot.activateEntity(animal)
    const [{ entityStatus }] = await shown
    isTame = entityStatus === STATUS.hearts
  }
  ensure(isTame, `${TRIES} of ${food} did not tame it`)
  await stage.until('it is paid for', () => stage.count(food) < 64)
  await stage.command('clear ConformA')
  await stage.holds(food, 0)
}

/** @param {Entity} animal @param {number} key @returns {any} */
const told = (animal, key) => animal.metadata[key]

export const checks = [
  check('pets', 'bones tame a wolf, which sits, heals and wears a collar', async (stage) => {
    const { bot } = stage
    const wolf = await still(stage, 'wolf', 1.5, 2.5)
    await tame(stage, wolf, 'bone')
    await stage.until('it sits', () => told(wolf, KEY.flags) === (FLAG.tame | FLAG.sitting))
    ensure(told(wolf, KEY.owner) === bot.player.uuid, `it is of ${told(wolf, KEY.owner)}`)
    ensure(told(wolf, KEY.health) === 20, `its health is ${told(wolf, KEY.health)}`)
    bot.activateEntity(wolf)
    await stage.until('it stands', () => told(wolf, KEY.flags) === FLAG.tame)
    await hold(stage, 'blue_dye')
    bot.activateEntity(wolf)
    await stage.until('its collar is blue', () => told(wolf, KEY.collar) === 11)
    await stage.command('damage @e[type=wolf,limit=1] 10')
    await stage.until('it is hurt', () => told(wolf, KEY.health) === 10)
    await hold(stage, 'cooked_beef')
    bot.activateEntity(wolf)
    await stage.until('it is fed', () => told(wolf, KEY.health) === 18)
  }),
  check('pets', 'fish tames a cat, which ignores strangers', async (stage) => {
    const cat = await still(stage, 'cat', 1.5, 2.5)
    await tame(stage, cat, 'cod')
    await stage.until('it sits', () => told(cat, KEY.flags) === (FLAG.tame | FLAG.sitting))
    await stage.command(`tp ConformB ${stage.where(stage.at(2.5, 0.5))}`)
    const seen = () => stage.other.nearestEntity(({ name }) => name === 'cat')
    await stage.until('B sees it', seen)
    stage.other.activateEntity(/** @type {Entity} */ (seen()))
    await ticks(stage, 10)
    ensure(told(cat, KEY.flags) === (FLAG.tame | FLAG.sitting), 'it obeyed a stranger')
  }),
  check('pets', 'a tame wolf that stands follows its owner', async (stage) => {
    const { bot } = stage
    const seen = once(bot, 'entitySpawn', (entity) => entity.name === 'wolf')
    const hex = bot.player.uuid.replaceAll('-', '')
    const parts = [0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16) | 0)
    const owner = parts.join(',')
    await stage.command(`summon wolf ${stage.where(stage.at(10.5, 10.5))} {Owner:[I;${owner}]}`)
    const [wolf] = await seen
    await stage.until('it is near', () => {
      return wolf.position.distanceTo(bot.entity.position) < 8
    })
  }),
  check('pets', 'cats of one owner breed', async (stage) => {
    const { bot } = stage
    const cats = [await still(stage, 'cat', 1.5, 2.5), await still(stage, 'cat', 2.5, 2.5)]
    for (const cat of cats) await tame(stage, cat, 'salmon')
    await stage.give('cod 2')
    await bot.equip(stage.item('cod'), 'hand')
    const born = once(bot, 'entitySpawn', (entity) => entity.name === 'cat')
    for (const cat of cats) bot.activateEntity(cat)
    const [young] = await born
    await stage.until("it is its owner's", () => told(young, KEY.owner) === bot.player.uuid)
    await stage.holds('cod', 0)
  }),
  check(
    'pets',
    'a wild horse throws its rider off; a calm one is tamed by riding',
    async (stage) => {
      const { bot } = stage
      const wild = await still(stage, 'horse', 2, 2)
      const thrown = once(bot._client, 'entity_status', ({ entityId, entityStatus }) => {
        return entityId === wild.id && entityStatus === STATUS.smoke
      })
      bot.activateEntity(wild)
      await thrown
      ensure(!(Number(told(wild, KEY.flags)) & TAME_HORSE), 'it is tame')
      await stage.command('kill @e[type=horse]')
      const calm = await still(stage, 'horse', 2, 2, 'Temper:100')
      bot.activateEntity(calm)
      await stage.until('it is tame', () => Number(told(calm, KEY.flags)) & TAME_HORSE)
      await stage.command('ride ConformA dismount')
    }
  )
]
