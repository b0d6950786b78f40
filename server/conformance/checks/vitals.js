/** Health of other players, and effects. */
import { ensure } from '../stage.js'
import { check, harm, hold, once, standBeside, still, ticks } from './helpers.js'

/** @import { Entity } from 'prismarine-entity' */
/** @typedef {import('../stage.js').Stage} Stage */

/** Metadata keys in 1.20.4. */
const KEY = { flags: 0, health: 9, absorption: 15 }
const INVISIBLE = 0x20
/** A bare hand strikes with full strength after five ticks. */
const CHARGE_TICKS = 10

/** @param {Entity | undefined} entity @param {number} key */
const told = (entity, key) => Number(entity?.metadata[key])

/** Return the damage that a bare hand does to a cow, in half hearts. @param {Stage} stage */
async function blow(stage) {
  await stage.command('kill @e[type=cow]')
  const cow = await still(stage, 'cow', 1.5, 2.5, 'Health:100f')
  await ticks(stage, CHARGE_TICKS)
  stage.bot.attack(cow)
  await stage.until('its health is told', () => told(cow, KEY.health) < 100)
  return 100 - told(cow, KEY.health)
}

/** @param {Stage} stage */
const seenByB = ({ other }) => other.players.ConformA?.entity

export const checks = [
  check('vitals', 'living entities appear with their attributes', async (stage) => {
    const heard = once(stage.bot, 'entityAttributes', (entity) => entity.name === 'zombie')
    await still(stage, 'zombie', 2.5, 2.5)
    await heard
  }),
  check('vitals', 'clients see the health of a struck animal', async (stage) => {
    ensure((await blow(stage)) === 1, 'a hand takes half a heart')
  }),
  check('vitals', 'strength strikes harder, weakness less', async (stage) => {
    await stage.command('effect give ConformA strength 60 1')
    const strong = await blow(stage)
    ensure(strong === 7, `with strength it is ${strong}`)
    await stage.command('effect clear ConformA')
    await stage.command('effect give ConformA weakness 60')
    const cow = await still(stage, 'cow', 1.5, 2.5, 'Health:100f')
    await ticks(stage, CHARGE_TICKS)
    stage.bot.attack(cow)
    await ticks(stage, CHARGE_TICKS)
    ensure(!(told(cow, KEY.health) < 100), 'with weakness it still hurts')
  }),
  check('vitals', 'others see the health of a player', async (stage) => {
    await standBeside(stage)
    await stage.command('gamerule naturalRegeneration false')
    await harm(stage, 5)
    await stage.until('B sees it', () => told(seenByB(stage), KEY.health) === 15)
  }),
  check('vitals', 'absorption hearts are lost first', async (stage) => {
    await standBeside(stage)
    await stage.command('effect give ConformA absorption 60')
    await stage.until('B sees them', () => told(seenByB(stage), KEY.absorption) === 4)
    await harm(stage, 3)
    await stage.until('they are fewer', () => told(seenByB(stage), KEY.absorption) === 1)
    ensure(stage.bot.health === 20, `its health is ${stage.bot.health}`)
    await harm(stage, 3)
    await stage.until('it is hurt', () => stage.bot.health === 18)
  }),
  check('vitals', 'invisible players are marked as invisible', async (stage) => {
    await standBeside(stage)
    const isHidden = () => (told(seenByB(stage), KEY.flags) & INVISIBLE) > 0
    await stage.command('effect give ConformA invisibility 60')
    await stage.until('B is told', isHidden)
    await stage.command('effect clear ConformA')
    await stage.until('B is told again', () => !isHidden())
  }),
  check('vitals', 'slow falling and jump boost reduce fall damage', async (stage) => {
    await stage.command('effect give ConformA slow_falling 60')
    const place = stage.at(0.5, 0.5, 8)
    await stage.command(`tp ConformA ${stage.where(place)}`)
    await stage.until('it has landed', () => {
      return stage.bot.entity.onGround && stage.bot.entity.position.y < place.y - 7
    })
    await ticks(stage, CHARGE_TICKS)
    ensure(stage.bot.health === 20, `its health is ${stage.bot.health}`)
  }),
  check('vitals', 'using armour puts it on', async (stage) => {
    await hold(stage, 'iron_boots')
    stage.bot.activateItem()
    await stage.until('it is worn', () => stage.bot.inventory.slots[8]?.name === 'iron_boots')
    await stage.holds('iron_boots', 0) // one of the carried items
    await hold(stage, 'diamond_boots')
    stage.bot.activateItem()
    await stage.until('it is worn', () => stage.bot.inventory.slots[8]?.name === 'diamond_boots')
    await stage.holds('iron_boots', 1)
  }),
  check('vitals', 'every fifth level plays a sound', async (stage) => {
    const { soundsByName } = /** @type {any} */ (stage.bot.registry)
    const { id } = soundsByName['entity.player.levelup']
    const heard = once(stage.bot._client, 'sound_effect', ({ sound }) => sound.soundId === id)
    await stage.command('xp set ConformA 0 levels')
    await stage.command('xp add ConformA 5 levels')
    await heard
    await stage.command('xp set ConformA 0 levels')
  })
]
