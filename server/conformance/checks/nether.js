/** The Nether: portals there and back. */
import { ensure, FLOOR_Y } from '../stage.js'
import { check, ticks } from './helpers.js'

const Y = FLOOR_Y + 1
/** The lowest cells of the portal's opening. */
const [X, Z] = [6, 5]

/** @type {import('./index.js').Check[]} */
export const checks = [
  check('nether', 'a lit portal leads there, and another one back', async (stage) => {
    const { bot } = stage
    await stage.command(`fill ${X - 1} ${Y} ${Z} ${X + 2} ${Y + 4} ${Z} obsidian`)
    await stage.command(`fill ${X} ${Y + 1} ${Z} ${X + 1} ${Y + 3} ${Z} air`)
    await stage.command(`setblock ${X} ${Y + 1} ${Z} fire`)
    await stage.blockIs(stage.at(X + 1, Z, 3), 'nether_portal')
    await stage.command('gamemode creative ConformA') // creative players travel without waiting
    await ticks(stage, 20) // away from portals: the bot may have joined in one
    await stage.command(`tp ConformA ${X + 0.5} ${Y + 1} ${Z + 0.5}`)
    const isIn = (/** @type {string} */ dimension) => () => bot.game.dimension === dimension
    await stage.until('it is in the Nether', isIn('the_nether'))
    const name = (/** @type {number} */ aside) =>
      bot.blockAt(bot.entity.position.offset(0, 0, aside))?.name
    await stage.until('it stands in a portal', () => name(0) === 'nether_portal')
    const { x, y, z } = bot.entity.position
    ensure(Math.abs(x) < 20 && Math.abs(z) < 20 && y > 0 && y < 127, `it is at ${x}, ${y}, ${z}`)
    await stage.command('execute at ConformA run setblock ~ ~ ~3 gold_block')
    await stage.until('it sees what changes there', () => name(3) === 'gold_block')
    await stage.command('execute at ConformA run tp ConformA ~ ~ ~5')
    await ticks(stage, 20) // away from portals
    await stage.command(`execute in the_nether run tp ConformA ${x} ${y} ${z}`)
    await stage.until('it is back', isIn('overworld'))
    await stage.until('it is where it went in', () => {
      return bot.entity.position.distanceTo(stage.at(X + 0.5, Z + 0.5, 1)) < 3
    })
  })
]
