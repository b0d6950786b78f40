/** Joining, chat, commands and walking. */
import { ensure, FLOOR_Y, join, onEnd, Vec3 } from '../stage.js'
import { answers, check, once } from './helpers.js'

const LINES = 12

/**
 * Let guests join at the same time, run some work with them, and wait until they have left.
 * @param {import('../stage.js').Stage} stage @param {string[]} names
 * @param {(guests: import('mineflayer').Bot[]) => Promise<void>} work
 */
async function withGuests(stage, names, work) {
  const joins = await Promise.allSettled(names.map((name) => join(name, stage.address)))
  const guests = joins.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  try {
    for (const one of joins) if (one.status === 'rejected') throw one.reason
    await work(guests)
  } finally {
    for (const guest of guests) guest.quit()
    await stage.until('the guests have left', () => names.every((name) => !stage.bot.players[name]))
  }
}

/** Limits on clients that a server must not set too low; testing them does not change the world. */
export const limits = [
  check('join', 'two bots can join within a second', (stage) =>
    withGuests(stage, ['ConformC', 'ConformD'], async () => {})
  ),
  check('chat', 'twelve lines in a second do not get a bot kicked', (stage) =>
    withGuests(stage, ['ConformC'], async ([guest]) => {
      let [heard, end] = [0, '']
      stage.bot.on('chat', (name) => void (heard += name === guest.username ? 1 : 0))
      onEnd(guest, (why) => void (end ||= why))
      for (let line = 1; line <= LINES; line++) guest.chat(`line ${line}`)
      await stage.until('all lines are heard', () => end || heard === LINES)
      ensure(!end, end)
    })
  )
]

export const checks = [
  ...limits,
  check('join', 'a bot sees the other as a player', async (stage) => {
    await stage.until('ConformB is seen', () => stage.bot.players.ConformB?.entity)
  }),
  check('join', 'a teleport holds, and the bot turns', async (stage) => {
    await stage.command(`tp ConformA 3.5 ${FLOOR_Y + 1} -3.5 90 0`)
    await stage.until(
      'it is there',
      () => stage.bot.entity.position.distanceTo(stage.at(3.5, -3.5)) < 0.1
    )
    await stage.bot.waitForTicks(20)
    ensure(stage.bot.entity.position.distanceTo(stage.at(3.5, -3.5)) < 0.1, 'it was moved back')
  }),
  check('chat', 'a bot hears the other, with its name', async (stage) => {
    const heard = once(
      stage.other,
      'chat',
      (name, text) => name === 'ConformA' && text === 'hello there'
    )
    stage.bot.chat('hello there')
    await heard
  }),
  check('chat', 'the server speaks with /say and /tellraw', async (stage) => {
    for (const line of ['say from the console', 'tellraw @a {"text":"from the console"}']) {
      const heard = once(stage.bot, 'messagestr', (text) => text.includes('from the console'))
      await stage.command(line)
      await heard
    }
  }),
  check('commands', 'setblock, fill and clone answer as vanilla', async (stage) => {
    const y = FLOOR_Y + 3
    await answers(stage, [
      [`setblock 5 ${y} 5 stone`, `Changed the block at 5, ${y}, 5`],
      [`setblock 5 ${y} 5 stone`, 'Could not set the block'],
      [`fill 5 ${y} 5 7 ${y} 7 glass replace stone`, 'Successfully filled 1 block(s)'],
      [`fill 5 ${y} 5 7 ${y} 7 dirt keep`, 'Successfully filled 8 block(s)'],
      [`clone 5 ${y} 5 7 ${y} 7 5 ${y + 1} 5`, 'Successfully cloned 9 block(s)'],
      [`fill 5 ${y} 5 7 ${y + 1} 7 air`, 'Successfully filled 18 block(s)'],
      [`fill 5 ${y} 5 7 ${y} 7 air`, 'No blocks were filled']
    ])
  }),
  check('commands', 'hollow and outline', async (stage) => {
    const y = FLOOR_Y + 1
    await stage.command(`fill 4 ${y} 4 8 ${y + 4} 8 stone hollow`)
    await stage.blockIs(new Vec3(4, y, 4), 'stone')
    await stage.blockIs(new Vec3(6, y + 2, 6), 'air')
    await stage.command(`setblock 6 ${y + 2} 6 dirt`)
    await stage.command(`fill 4 ${y} 4 8 ${y + 4} 8 glass outline`)
    await stage.blockIs(new Vec3(4, y, 4), 'glass')
    await stage.blockIs(new Vec3(6, y + 2, 6), 'dirt')
  }),
  check('commands', 'a malformed command changes nothing', async (stage) => {
    for (const line of [
      'no_such_command',
      'setblock 5 155',
      'give ConformA no_such_item',
      'fill 1 2 3'
    ]) {
      const answer = await stage.command(line)
      ensure(/unknown|incorrect|incomplete|expected/i.test(answer), `${line}: ${answer}`)
    }
    ensure(stage.bot.inventory.items().length === 0, 'something was given')
  }),
  check('commands', 'give, clear and selectors', async (stage) => {
    await stage.give('oak_log 70')
    await answers(stage, [
      ['clear ConformA oak_log 10', 'Removed 10 item(s) from player ConformA'],
      ['clear @a[name=ConformA] oak_log 0', 'Found 60 matching item(s) on player ConformA'],
      ['clear @a', 'Removed 60 item(s) from 2 players'],
      ['give @p[name=Nobody] stone', 'No player was found'],
      ['kill @e[type=item,distance=..1]', 'No entity was found']
    ])
  }),
  check('commands', 'data get reads health, place and inventory', async (stage) => {
    await stage.give('diamond 3')
    const read = (/** @type {string} */ path) => stage.command(`data get entity ConformA ${path}`)
    ensure((await read('Health')).endsWith('20.0f'), 'health')
    ensure(/0\.5d, 151\.0d?, 0\.5d/.test(await read('Pos')), `place: ${await read('Pos')}`)
    ensure(/id: "minecraft:diamond"/.test(await read('Inventory')), 'inventory')
  }),
  check('commands', 'data is read by paths, with tags, and changed', async (stage) => {
    const y = FLOOR_Y + 1
    const sword = '{Slot:3b,id:"minecraft:iron_sword",Count:1b,tag:{Damage:7}}'
    const [block, storage] = [`block 2 ${y} 0`, 'storage conform:laws']
    const [tells, holds] = [
      `2, ${y}, 0 has the following block data:`,
      'Storage conform:laws has the following contents:'
    ]
    await stage.command(`setblock 2 ${y} 0 chest{Items:[${sword}]}`)
    await stage.command(`data remove ${storage} tax`)
    await answers(stage, [
      [`data get ${block} Items[{Slot:3b}].tag.Damage`, `${tells} 7`],
      [`data get ${block} Items[0].Count 2`, `Items[0].Count on block 2, ${y}, 0 after scale factor of 2.00 is 2`], // prettier-ignore
      [`data get ${block} Items[1].id`, 'Found no elements matching Items[1]'],
      [`data modify ${block} Items[0].tag.Damage set value 9`, `Modified block data of 2, ${y}, 0`],
      [`data get ${block} Items[-1].tag.Damage`, `${tells} 9`],
      ['data get entity ConformA Pos[1]', 'ConformA has the following entity data: 151.0d'],
      ['data merge entity ConformA {Health:1f}', 'Unable to modify player data'],
      [`data merge ${storage} {tax:{rate:3,of:["a"]}}`, 'Modified storage conform:laws'],
      [`data merge ${storage} {tax:{rate:3}}`, 'Nothing changed. The specified properties already have these values'], // prettier-ignore
      [`data modify ${storage} tax.of append from entity ConformA Dimension`, 'Modified storage conform:laws'], // prettier-ignore
      [`data get ${storage} tax.of`, `${holds} ["a", "minecraft:overworld"]`],
      [`data remove ${storage} tax.of[0]`, 'Modified storage conform:laws'],
      [`data get ${storage} tax.of`, `${holds} ["minecraft:overworld"]`]
    ])
    await stage.command(`summon cow 3 ${y} 3 {NoAI:1b,Age:-100}`)
    const cow = '@e[type=cow,limit=1,sort=nearest]'
    const changed = `data merge entity ${cow} {CustomName:'"Bess"',Health:3.5f}`
    ensure(
      (await stage.command(changed)) === 'Modified entity data of Bess',
      'the cow is as it was'
    )
    const told = await stage.command(`data get entity ${cow} Health`)
    ensure(told === 'Bess has the following entity data: 3.5f', told)
    await stage.command('kill @e[type=cow]')
  }),
  check('commands', 'time, difficulty, gamerule, weather, seed, list', async (stage) => {
    await stage.command('gamerule doDaylightCycle false')
    await answers(stage, [
      ['time set noon', 'Set the time to 6000'],
      ['time query daytime', 'The time is 6000'],
      ['gamerule keepInventory', 'Gamerule keepInventory is currently set to: true'],
      ['difficulty', 'The difficulty is Normal'],
      ['weather clear', 'Set the weather to clear']
    ])
    await stage.until('the bot knows the time', () => stage.bot.time.timeOfDay === 6000)
    ensure(/^Seed: \[-?\d+\]$/.test(await stage.command('seed')), 'seed')
    ensure(/2 of a max of \d+ players online/.test(await stage.command('list')), 'list')
  }),
  check('commands', 'effects come and go', async (stage) => {
    await stage.command('effect give ConformA speed 30 1')
    await stage.until('the bot is fast', () => Object.keys(stage.bot.entity.effects).length === 1)
    await stage.command('effect clear ConformA')
    await stage.until('it is over', () => Object.keys(stage.bot.entity.effects).length === 0)
  }),
  check('commands', 'spreadplayers puts a player onto the ground near a place', async (stage) => {
    await stage.command('spreadplayers 5 5 0 2 false ConformA')
    await stage.until('it is there', () => {
      const { x, y, z } = stage.bot.entity.position
      return Math.abs(x - 5) <= 3 && Math.abs(z - 5) <= 3 && Math.abs(y - FLOOR_Y - 1) < 0.1
    })
  }),
  check('commands', 'in adventure mode digging and placing fail', async (stage) => {
    const place = stage.at(2, 0)
    await stage.place(place, 'dirt')
    await stage.command('gamemode adventure ConformA')
    await stage.until('the bot knows', () => stage.bot.game.gameMode === 'adventure')
    await Promise.race([
      stage.bot.dig(stage.block(place), true).catch(() => {}),
      stage.bot.waitForTicks(60)
    ])
    stage.bot.stopDigging()
    const there = await stage.command(`setblock ${place.x} ${place.y} ${place.z} dirt`)
    ensure(there === 'Could not set the block', 'the block was dug')
  }),
  check('walking', 'a path around a wall', async (stage) => {
    const y = FLOOR_Y + 1
    await stage.command(`fill 2 ${y} -4 2 ${y + 2} 4 stone`)
    await stage.blockIs(stage.at(2, 0), 'stone')
    await stage.walkTo(stage.at(4, 0))
    ensure(stage.bot.entity.position.distanceTo(stage.at(4.5, 0.5)) < 1.5, 'it is not there')
  }),
  check('walking', 'a bot walks up and down steps', async (stage) => {
    await stage.place(stage.at(2, 0), 'stone')
    await stage.place(stage.at(3, 0), 'stone')
    await stage.place(stage.at(3, 0, 1), 'stone')
    await stage.walkTo(stage.at(3, 0, 2))
    ensure(Math.abs(stage.bot.entity.position.y - (FLOOR_Y + 3)) < 0.1, 'it is not up there')
    await stage.walkTo(stage.at(0, 3))
  })
]
