/** Blocks that move items: hoppers, droppers, dispensers. */
import { check, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

/**
 * Wait until a slot in a container has this number of an item.
 * @param {Stage} stage @param {import('../stage.js').Position} place @param {string} name
 * @param {number} count
 */
async function comesTo(stage, place, name, count) {
  const window = await stage.bot.openContainer(stage.block(place))
  const held = () => window.containerItems().find((item) => item.name === name)?.count ?? 0
  await stage.until(`it holds ${count} ${name}`, () => held() === count)
  await window.close()
}

/**
 * @param {Stage} stage @param {import('../stage.js').Position} place @param {string} name
 * @param {number} count
 */
async function putInto(stage, place, name, count) {
  await stage.give(`${name} ${count}`)
  const window = await stage.bot.openContainer(stage.block(place))
  await window.deposit(stage.item(name).type, null, count)
  await window.close()
}

export const checks = [
  check(
    'containers',
    'a hopper moves items from the chest above to the one beside',
    async (stage) => {
      await stage.place(stage.at(2, 1), 'barrel')
      await stage.place(stage.at(2, 0), 'hopper[facing=south]')
      await stage.place(stage.at(2, 0, 1), 'chest')
      await putInto(stage, stage.at(2, 0, 1), 'dirt', 5)
      await comesTo(stage, stage.at(2, 1), 'dirt', 5)
    }
  ),
  check(
    'containers',
    'a hopper collects items thrown onto it, unless a lever stops it',
    async (stage) => {
      await stage.place(stage.at(2, 0), 'hopper')
      await stage.place(stage.at(3, 0), 'lever[face=floor]')
      await stage.bot.activateBlock(stage.block(stage.at(3, 0)))
      await stage.until('it is off', () => {
        return stage.block(stage.at(2, 0)).getProperties().enabled === false
      })
      await stage.command(
        `summon item ${stage.where(stage.at(2, 0, 1))} {Item:{id:"minecraft:emerald",Count:4b}}`
      )
      await stage.bot.waitForTicks(20)
      await comesTo(stage, stage.at(2, 0), 'emerald', 0)
      await stage.bot.activateBlock(stage.block(stage.at(3, 0)))
      await comesTo(stage, stage.at(2, 0), 'emerald', 4)
    }
  ),
  check('containers', 'a dropper beside a button moves one item per press', async (stage) => {
    await stage.place(stage.at(2, 0), 'dropper[facing=south]')
    await stage.place(stage.at(2, 1), 'barrel')
    await putInto(stage, stage.at(2, 0), 'apple', 3)
    await stage.place(stage.at(2, 0, 1), 'stone_button[face=floor]')
    for (const count of [1, 2]) {
      await stage.bot.activateBlock(stage.block(stage.at(2, 0, 1)))
      await comesTo(stage, stage.at(2, 1), 'apple', count)
      await stage.until('the button is back', () => {
        return stage.block(stage.at(2, 0, 1)).getProperties().powered === false
      })
    }
  }),
  check('containers', 'a dispenser beside a lever shoots an arrow', async (stage) => {
    await stage.place(stage.at(2, 0), 'dispenser[facing=south]')
    await putInto(stage, stage.at(2, 0), 'arrow', 1)
    await stage.place(stage.at(2, 0, 1), 'lever[face=floor]')
    const shot = once(stage.bot, 'entitySpawn', (entity) => entity.name === 'arrow')
    await stage.bot.activateBlock(stage.block(stage.at(2, 0, 1)))
    await shot
    await comesTo(stage, stage.at(2, 0), 'arrow', 0)
  })
]
