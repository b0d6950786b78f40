/** Light as an unmodified client receives it, and its effects. */
import { ensure, Vec3 } from '../stage.js'
import { check } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */
/** @typedef {import('../stage.js').Position} Position */

/**
 * Return the position at which prismarine-chunk stores the light of a position. It reads each eight
 * bytes of a packet's light with the last byte first, so the pairs of cells in each row of sixteen
 * are in reverse order.
 * @param {Position} place
 */
function kept({ x, y, z }) {
  const across = x & 15
  return new Vec3(x - across + (14 - (across & 14)) + (across & 1), y, z)
}

/**
 * @param {Stage} stage @param {Position} place @param {'light' | 'skyLight'} kind
 * @param {number} level
 */
const shines = (stage, place, kind, level) =>
  stage.until(
    `${kind} at ${place} is ${level}`,
    () => stage.bot.blockAt(kept(place))?.[kind] === level
  )

/**
 * Build a box of stone, seven by seven blocks and five high, closed or open at the top.
 * @param {Stage} stage @param {string} [roof]
 */
async function box(stage, roof = 'stone') {
  const [low, high] = [stage.at(-9, 3), stage.at(-3, 9, 4)]
  await stage.command(`fill ${stage.where(low)} ${stage.where(high)} stone hollow`)
  const top = stage.at(-9, 3, 4)
  await stage.command(`fill ${stage.where(top)} ${stage.where(high)} ${roof}`)
}

export const checks = [
  check('light', 'the sky lights open land, and not the inside of a closed box', async (stage) => {
    const inside = stage.at(-6, 6, 1)
    await shines(stage, inside, 'skyLight', 15)
    await box(stage)
    await shines(stage, inside, 'skyLight', 0)
    await stage.place(stage.at(-6, 6, 4), 'glass')
    await shines(stage, inside, 'skyLight', 15)
    await shines(stage, stage.at(-5, 6, 1), 'skyLight', 14)
    await stage.place(stage.at(-6, 6, 4), 'oak_leaves')
    await shines(stage, stage.at(-6, 6, 3), 'skyLight', 13)
    await shines(stage, inside, 'skyLight', 11)
  }),
  check(
    'light',
    'a torch lights its surroundings across a column border until it is removed',
    async (stage) => {
      const place = stage.at(0, 3)
      await stage.place(place, 'torch')
      for (const [away, level] of [
        [0, 14],
        [-1, 13],
        [-5, 9]
      ]) {
        await shines(stage, stage.at(away, 3), 'light', level)
      }
      const known = stage.bot.world.getBlockLight(kept(stage.at(-1, 3)))
      ensure(known === 13, 'the world knows it, too')
      await stage.place(place, 'air')
      for (const away of [0, -1, -5]) await shines(stage, stage.at(away, 3), 'light', 0)
    }
  ),
  check('light', 'a furnace shines while it burns', async (stage) => {
    const place = stage.at(2, 0)
    await stage.place(place, 'furnace')
    for (const item of ['raw_iron', 'stick']) await stage.give(item)
    const furnace = await stage.bot.openFurnace(stage.block(place))
    await furnace.putInput(stage.item('raw_iron').type, null, 1)
    await furnace.putFuel(stage.item('stick').type, null, 1)
    await shines(stage, place, 'light', 13)
    furnace.close()
    await shines(stage, place, 'light', 0)
  }),
  check(
    'light',
    'wheat and saplings survive in light of 8, and grow in light of 9',
    async (stage) => {
      await box(stage)
      const [soil, place, sprout] = [stage.at(-8, 4), stage.at(-8, 4, 1), stage.at(-8, 5, 1)]
      await stage.place(stage.at(-5, 7, 1), 'torch')
      await stage.place(soil, 'farmland')
      await stage.place(place, 'wheat[age=0]')
      await stage.place(stage.at(-8, 5), 'dirt')
      await stage.place(sprout, 'oak_sapling')
      await shines(stage, place, 'light', 8)
      const age = () => Number(stage.block(place).getProperties().age)
      await stage.command('gamerule randomTickSpeed 4000')
      try {
        await stage.bot.waitForTicks(40)
        ensure(age() === 0, 'the wheat does not grow')
        ensure(Number(stage.block(sprout).getProperties().stage) === 0, 'the sapling does not grow')
        await stage.place(stage.at(-7, 7, 1), 'torch')
        await stage.until('the wheat grows', () => age() > 0)
        await stage.until(
          'the sapling does',
          () => Number(stage.block(sprout).getProperties().stage) !== 0
        )
      } finally {
        await stage.command('gamerule randomTickSpeed 3')
      }
    }
  )
]
