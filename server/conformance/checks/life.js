/** Eating, falling, dying, and animals. */
import { ensure, FLOOR_Y } from '../stage.js'
import { check, itemSeenBy, near, once, pickedUp, standBeside, ticks } from './helpers.js'

/** @import { Entity } from 'prismarine-entity' */

/** A sword that was just taken in hand is at full strength after 12.5 ticks. */
const CHARGE_TICKS = 20

export const checks = [
  check('life', 'armour reduces damage, and wears', async (stage) => {
    const { bot, other } = stage
    await stage.give('diamond_sword')
    await bot.equip(stage.item('diamond_sword'), 'hand')
    const parts = { head: 'helmet', chest: 'chestplate', legs: 'leggings', feet: 'boots' }
    for (const [slot, part] of Object.entries(parts)) {
      await stage.command(`item replace entity ConformB armor.${slot} with iron_${part}`)
    }
    await stage.command('gamerule naturalRegeneration false')
    await standBeside(stage)
    const before = other.health
    await ticks(stage, CHARGE_TICKS)
    bot.attack(/** @type {any} */ (bot.players.ConformB.entity))
    await stage.until('B is hit', () => other.health < before)
    // 7 with 15 points of armour: 7 × (1 − (15 − 7 / 2) / 25)
    ensure(Math.abs(before - other.health - 3.78) < 0.01, `it cost ${before - other.health}`)
    await stage.until('the armour wears', () => other.inventory.slots[6]?.durabilityUsed === 1)
  }),
  check('life', 'eating fills', async (stage) => {
    await stage.command('effect give ConformA hunger 30 255')
    await stage.until('it is hungry', () => stage.bot.food < 18, 60_000)
    await stage.command('effect clear ConformA')
    await stage.give('bread 2')
    await stage.bot.equip(stage.item('bread'), 'hand')
    const before = stage.bot.food
    await stage.until('it is fuller', async () => {
      // a slow server may take longer than Mineflayer waits
      await stage.bot.consume().catch(() => {})
      return stage.bot.food > before && stage.count('bread') < 2
    })
  }),
  check('life', 'a deep fall hurts', async (stage) => {
    await stage.command('gamerule naturalRegeneration false')
    await stage.command(`tp ConformA 0.5 ${FLOOR_Y + 11} 0.5`)
    await stage.until('it is hurt', () => stage.bot.health > 0 && stage.bot.health <= 14)
    await stage.command('effect give ConformA instant_health 1 5')
    await stage.until('it is healed', () => stage.bot.health === 20)
  }),
  check('life', 'dead players drop their items, and respawn', async (stage) => {
    await stage.command('gamerule keepInventory false')
    await stage.give('diamond 4')
    const back = once(stage.bot, 'spawn')
    await stage.command('kill ConformA')
    await back
    await stage.until('it is alive', () => stage.bot.health === 20)
    ensure(stage.count('diamond') === 0 || (await pickedUp(stage)), 'it kept its diamonds')
    await stage.walkTo(stage.at(0, 0))
    await stage.holds('diamond', 4)
  }),
  check('life', 'a late answer to a respawn does not undo a teleport', async (stage) => {
    const { bot } = stage
    const back = once(bot, 'spawn')
    await stage.command('kill ConformA')
    await back
    const place = stage.at(5.5, 0.5)
    const there = once(bot, 'forcedMove')
    await stage.command(`tp ConformA ${stage.where(place)}`)
    await there
    let isMoved = false
    const note = () => void (isMoved = true)
    bot._client.on('position', note)
    await once(bot, 'forcedMove') // Mineflayer answers the respawn only now
    await ticks(stage, 2)
    bot._client.off('position', note)
    ensure(!isMoved, 'it is teleported once more')
    ensure(bot.entity.position.distanceTo(place) < 0.1, `it is at ${bot.entity.position}`)
  }),
  check('life', 'with keepInventory dead players keep their items', async (stage) => {
    await stage.give('diamond 4')
    const back = once(stage.bot, 'spawn')
    await stage.command('kill ConformA')
    await back
    await stage.holds('diamond', 4)
  }),
  check('life', 'a killed animal drops meat', async (stage) => {
    await stage.give('diamond_sword')
    // the animal would run away
    const pen = `${stage.where(stage.at(1, -1))} ${stage.where(stage.at(3, 1, 1))}`
    await stage.command(`fill ${pen} glass`)
    const inside = [stage.at(2, 0), stage.at(2, 0, 1)].map((place) => stage.where(place)).join(' ')
    await stage.command(`fill ${inside} air`)
    await stage.command(`summon cow ${stage.where(stage.at(2.5, 0.5))}`)
    const isCow = (/** @type {Entity} */ e) => e.name === 'cow'
    await stage.until('it is seen', () => stage.bot.nearestEntity(isCow))
    await stage.bot.equip(stage.item('diamond_sword'), 'hand')
    await stage.until(
      'it is dead',
      async () => {
        const cow = stage.bot.nearestEntity(isCow)
        if (!cow) return true
        stage.bot.attack(cow)
        await stage.bot.waitForTicks(13)
        return false
      },
      60_000
    )
    await stage.command(`fill ${pen} air`)
    await stage.until('it has beef', async () => {
      const drop = itemSeenBy(stage.bot)
      if (drop) await near(stage, drop.position)
      return stage.count('beef') > 0
    })
  })
]
