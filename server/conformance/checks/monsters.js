/** Monsters by day and by night. */
import { ensure } from '../stage.js'
import { check } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

/** @param {Stage} stage @param {string} name @returns {import('prismarine-entity').Entity | null} */
const monster = (stage, name) => stage.bot.nearestEntity((entity) => entity.name === name)

/**
 * Summon a monster at a given time of day.
 * @param {Stage} stage @param {string} name @param {import('../stage.js').Position} place
 * @param {string} time
 */
async function summon(stage, name, place, time) {
  await stage.command(`time set ${time}`)
  await stage.command(`summon ${name} ${stage.where(place.offset(0.5, 0, 0.5))}`)
  await stage.until(`a ${name} is there`, () => monster(stage, name))
}

/** @param {Stage} stage @param {string} name */
const burns = (stage, name) =>
  Boolean(Number(/** @type {any} */ (monster(stage, name)?.metadata[0] ?? 0)) & 1)

/**
 * Build a fence across the platform, with a gap at one end or no gap.
 * @param {Stage} stage @param {number} end
 */
async function fence(stage, end) {
  const [from, to] = [stage.at(4, -12), stage.at(4, end)]
  await stage.command(`fill ${stage.where(from)} ${stage.where(to)} oak_fence`)
}

/**
 * Summon a monster at noon with a fence around it, so that it cannot wander into the shade.
 * @param {Stage} stage @param {string} name @param {import('../stage.js').Position} place
 */
async function inCell(stage, name, place) {
  const cell = [place.offset(-1, 0, -1), place.offset(1, 0, 1)].map((corner) => stage.where(corner))
  await stage.command(`fill ${cell.join(' ')} oak_fence outline`)
  await stage.place(place, 'air')
  await summon(stage, name, place, 'noon')
}

/** @type {import('./index.js').Check[]} */
const checks = [
  check('monsters', 'a zombie goes around a fence', async (stage) => {
    await stage.command(`tp ${stage.other.username} -10.5 151 -10.5`)
    await fence(stage, 5)
    await summon(stage, 'zombie', stage.at(7, -4), 'midnight')
    await stage.until('it strikes', () => stage.bot.health < 20)
  }),
  check(
    'monsters',
    'a spider climbs a fence by night, and is peaceful by day unless attacked',
    async (stage) => {
      await stage.command(`tp ${stage.other.username} -10.5 151 -10.5`)
      await summon(stage, 'spider', stage.at(1, 0), 'noon')
      await stage.bot.waitForTicks(60)
      ensure(stage.bot.health === 20, 'by day it is peaceful')
      await stage.command('kill @e[type=spider]')
      await fence(stage, 12)
      await summon(stage, 'spider', stage.at(7, 0), 'midnight')
      await stage.until('it bites', () => stage.bot.health < 20)
    }
  ),
  check('monsters', 'a skeleton shoots arrows', async (stage) => {
    await summon(stage, 'skeleton', stage.at(-8, 0), 'midnight')
    await stage.until('an arrow flies', () => monster(stage, 'arrow'))
    await stage.until('it hits', () => stage.bots.some((bot) => bot.health < 20))
  }),
  check(
    'monsters',
    'zombies and skeletons burn by day, husks and those under a roof do not',
    async (stage) => {
      for (const bot of stage.bots) await stage.command(`gamemode creative ${bot.username}`)
      const roof = [stage.at(-12, -12, 4), stage.at(-4, 12, 4)].map((place) => stage.where(place))
      await stage.command(`fill ${roof.join(' ')} stone`)
      await inCell(stage, 'husk', stage.at(3, 3))
      await inCell(stage, 'zombie', stage.at(-8, 0))
      await inCell(stage, 'skeleton', stage.at(3, -3))
      await stage.until('the skeleton burns', () => burns(stage, 'skeleton'))
      await stage.until('it is gone', () => !monster(stage, 'skeleton'))
      ensure(
        Boolean(monster(stage, 'zombie')) && !burns(stage, 'zombie'),
        'nor the one under the roof'
      )
      ensure(Boolean(monster(stage, 'husk')) && !burns(stage, 'husk'), 'the husk does not burn')
    }
  )
]

/**
 * Each check ends at the time of day at which the other checks begin.
 * @type {import('./index.js').Check[]}
 */
const atNoon = checks.map(([group, name, run]) => [
  group,
  name,
  async (stage) => {
    try {
      await run(stage)
    } finally {
      await stage.command('time set 1000')
    }
  }
])
export { atNoon as checks }
