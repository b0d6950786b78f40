/** Vanilla's messages: their keys, who receives them, and commands that affect clients. */
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { ensure, FLOOR_Y, join } from '../stage.js'
import { answers, check, harm, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */

const require = createRequire(import.meta.url)
const { createClient, ping } = require('minecraft-protocol')

/**
 * Wait until the first bot receives a text with this key.
 * @param {Stage} stage @param {string} key @returns {Promise<any>} the text as JSON
 */
async function heard(stage, key) {
  const holds = (/** @type {any} */ part) =>
    part?.translate === key || [...(part?.with ?? []), ...(part?.extra ?? [])].some(holds)
  const [message] = await once(stage.bot, 'message', ({ json }) => holds(json))
  return message.json
}

/**
 * Give a bot a tag and an effect.
 * @param {(words: string) => Promise<string>} line @param {import('mineflayer').Bot} bot
 */
async function begin(line, bot) {
  await line('tag ConformC add chief')
  await line('effect give ConformC speed 600')
  return bot
}

/**
 * Commands that show something to the client: [name, commands, the bot's event, test of the event's
 * values].
 * @type {[name: string, lines: string[], event: string, isIt: (...values: any[]) => boolean, after?: string[]][]}
 */
const SHOWN = [
  [
    'the client receives experience',
    ['xp set ConformA 0 levels', 'xp set ConformA 0', 'xp add ConformA 20'],
    'experience',
    () => true,
    ['xp set ConformA 0 levels']
  ],
  [
    'a bossbar is shown with its value',
    [
      'bossbar add conform:bar {"text":"trial"}',
      'bossbar set conform:bar value 50',
      'bossbar set conform:bar players ConformA'
    ],
    'bossBarCreated',
    (bar) => bar.title.toString() === 'trial' && bar.health === 0.5,
    ['bossbar remove conform:bar']
  ],
  [
    'a team is made, and joined',
    ['team add conform', 'team modify conform color red', 'team join conform ConformA'],
    'teamMemberAdded',
    (team) => team.team === 'conform' && team.members.includes('ConformA'),
    ['team remove conform']
  ],
  [
    'a sound is heard',
    ['execute as ConformA at @s run playsound minecraft:entity.cow.ambient master @s'],
    'soundEffectHeard',
    (name) => /entity\.cow\.ambient/.test(name)
  ],
  [
    'a particle is seen',
    ['execute at ConformA run particle minecraft:flame ~ ~1 ~ 0 0 0 0 7'],
    'particle',
    ({ id, count }) => id === 30 && count === 7
  ],
  [
    'a title has its times',
    ['title ConformA times 1 20 2'],
    'title_times',
    (fadeIn, stay, fadeOut) => fadeIn === 1 && stay === 20 && fadeOut === 2
  ],
  [
    'a title is a text',
    ['title ConformA title {"text":"look"}'],
    'title',
    (text) => text === 'look'
  ],
  [
    'an objective is displayed',
    [
      'scoreboard objectives add conform dummy',
      'scoreboard players set ConformA conform 3',
      'scoreboard objectives setdisplay sidebar conform'
    ],
    'scoreboardPosition',
    (position, { name }) => position === 1 && name === 'conform',
    ['scoreboard objectives remove conform']
  ]
]

/** @type {import('./index.js').Check[]} */
const shown = SHOWN.map(([name, lines, event, isIt, after = []]) => [
  'commands',
  name,
  async (stage) => {
    const seen = once(stage.bot, event, isIt)
    for (const line of lines) await stage.command(line)
    await seen
    for (const line of after) await stage.command(line)
  }
])

export const checks = [
  ...shown,
  check('words', 'a new operator is notified, and may use commands', async (stage) => {
    await stage.command('deop ConformA')
    const told = heard(stage, 'commands.op.success')
    ensure((await stage.command('op ConformA')).includes('Made ConformA a server operator'), 'op')
    await told
    const cleared = heard(stage, 'commands.clear.success.single')
    await stage.give('stone 2')
    stage.bot.chat('/clear')
    await cleared
    const changed = heard(stage, 'commands.gamemode.success.self')
    stage.bot.chat('/gamemode creative')
    await changed
    await stage.command('deop ConformA')
  }),
  check('words', 'other players are refused commands in vanilla’s words', async (stage) => {
    const refused = heard(stage, 'command.unknown.command')
    stage.bot.chat('/gamemode creative')
    await refused
    ensure(stage.bot.game.gameMode === 'survival', 'the mode changed')
  }),
  check('words', 'a death message has its key', async (stage) => {
    const told = heard(stage, 'death.attack.genericKill')
    await stage.command('kill ConformB')
    await told
  }),
  check('words', 'tellraw keeps keys and arguments', async (stage) => {
    const told = heard(stage, 'commands.op.success')
    await stage.command('tellraw @a {"translate":"commands.op.success","with":["Ada"]}')
    ensure(JSON.stringify(await told).includes('Ada'), 'the argument is gone')
  }),
  check('words', 'whispers reach one', async (stage) => {
    const told = heard(stage, 'commands.message.display.incoming')
    stage.other.chat('/tell ConformA between us')
    ensure(JSON.stringify(await told).includes('between us'), 'the text is gone')
  }),
  check(
    'commands',
    'execute runs as other entities, elsewhere, under conditions',
    async (stage) => {
      const y = FLOOR_Y + 1
      await stage.command('scoreboard objectives add conform dummy')
      await answers(stage, [
        [`execute positioned 3 ${y} 3 run setblock ~ ~ ~ stone`, `Changed the block at 3, ${y}, 3`],
        [`execute if block 3 ${y} 3 stone`, 'Test passed'],
        [`execute unless block 3 ${y} 3 stone`, 'Test failed'],
        ['execute as ConformA at @s run setblock ~3 ~ ~ dirt', `Changed the block at 3, ${y}, 0`],
        ['execute if entity @a[gamemode=creative]', 'Test failed'],
        ['execute store result score total conform if entity @a', 'Test passed, count: 2'],
        ['scoreboard players get total conform', 'total has 2 [conform]'],
        [`execute if score total conform matches 3.. run setblock 3 ${y} 3 air`, '']
      ])
      await stage.command('scoreboard objectives remove conform')
    }
  ),
  check('commands', 'selectors take arguments', async (stage) => {
    await answers(stage, [
      ['execute if entity @a[x=0,y=150,z=0,distance=..3]', 'Test passed, count: 1'],
      ['execute if entity @a[name=!ConformA,gamemode=survival]', 'Test passed, count: 1'],
      ['execute if entity @a[scores={nothing=1..}]', 'Test failed'],
      ['execute if entity @a[x=-1,y=150,z=-1,dx=3,dy=3,dz=3]', 'Test passed, count: 1'],
      ['execute if entity @a[limit=1,sort=furthest,level=0]', 'Test passed, count: 1']
    ])
  }),
  check('commands', 'entities are tagged, harmed, and their tools enchanted', async (stage) => {
    await answers(stage, [
      ['tag ConformA add chief', "Added tag 'chief' to ConformA"],
      ['tag ConformA add chief', 'Target either already has the tag or has too many tags'],
      ['tag ConformA list', 'ConformA has 1 tags: chief'],
      ['execute if entity @a[tag=chief]', 'Test passed, count: 1'],
      ['tag @a remove chief', "Removed tag 'chief' from 2 entities"],
      ['tag ConformA list', 'ConformA has no tags'],
      ['damage ConformA 5', 'Applied 5.0 damage to ConformA'],
      ['enchant ConformA unbreaking', 'ConformA is not holding any item']
    ])
    await stage.until('it is harmed', () => stage.bot.health <= 16)
    stage.bot.setQuickBarSlot(0) // the server keeps the slot of an earlier visit
    await stage.give('iron_pickaxe')
    await answers(stage, [
      ['enchant ConformA efficiency 3', "Applied enchantment Efficiency III to ConformA's item"],
      ['enchant ConformA sharpness', 'Iron Pickaxe cannot support that enchantment'],
      [
        'enchant ConformA efficiency 9',
        '9 is higher than the maximum level of 5 supported by that enchantment'
      ]
    ])
    await stage.until('it is enchanted', () => {
      const [enchant] = stage.bot.heldItem?.enchants ?? []
      return enchant?.name === 'efficiency' && enchant.lvl === 3
    })
  }),
  check('commands', 'scoreboards count states and actions of players', async (stage) => {
    const criteria = {
      hp: 'health',
      deaths: 'deathCount',
      zombies: 'minecraft.killed:minecraft.zombie',
      jumps: 'minecraft.custom:minecraft.jump',
      sums: 'dummy',
      asks: 'trigger'
    }
    for (const [name, criterion] of Object.entries(criteria))
      await stage.command(`scoreboard objectives add ${name} ${criterion}`)
    const has = (/** @type {string} */ name, /** @type {number} */ score) =>
      stage.until(`${name} is ${score}`, async () =>
        (await stage.command(`scoreboard players get ConformA ${name}`)).startsWith(
          `ConformA has ${score} `
        )
      )
    await stage.command('gamerule naturalRegeneration false')
    await harm(stage, 5)
    await has('hp', 15)
    stage.bot.setControlState('jump', true)
    await has('jumps', 1)
    stage.bot.setControlState('jump', false)
    await stage.command(`summon zombie 3 ${FLOOR_Y + 1} 3 {NoAI:1b}`)
    await stage.command(
      'damage @e[type=zombie,limit=1,sort=nearest] 100 minecraft:player_attack by ConformA'
    )
    await has('zombies', 1)
    await answers(stage, [
      ['scoreboard players set ConformA sums 2147483647', 'Set [sums] for ConformA to 2147483647'],
      [
        'scoreboard players add ConformA sums 1',
        'Added 1 to [sums] for ConformA (now -2147483648)'
      ],
      ['scoreboard players operation ConformA sums %= ConformA zombies', 'Set [sums] for ConformA to 0'], // prettier-ignore
      ['scoreboard players set ConformA hp 3', "Scoreboard objective 'hp' is read-only"],
      ['scoreboard players enable ConformA asks', 'Enabled trigger [asks] for ConformA']
    ])
    stage.bot.chat('/trigger asks add 3')
    await has('asks', 3)
    const refused = heard(stage, 'commands.trigger.failed.unprimed')
    stage.bot.chat('/trigger asks')
    await refused
    for (const name of Object.keys(criteria))
      await stage.command(`scoreboard objectives remove ${name}`)
  }),
  check('commands', 'days are counted', async (stage) => {
    await stage.command('gamerule doDaylightCycle false')
    await stage.command('time set 30000')
    await stage.until('it is the second day', () => stage.bot.time.day === 1)
    await answers(stage, [
      ['time query daytime', 'The time is 6000'],
      ['time query day', 'The time is 1']
    ])
    await stage.command('time add 1d')
    await stage.until('it is the third day', () => stage.bot.time.day === 2)
    ensure(stage.bot.time.timeOfDay === 6000, 'the time of day changed')
  }),
  check('commands', 'the effect of a command arrives before later messages', async (stage) => {
    const { bot, other } = stage
    await stage.command('op ConformA')
    let had = 0
    const heard = once(other, 'message', (text) => {
      had = stage.count('dirt', other)
      return text.toString().includes('that is yours')
    })
    bot.chat(`/give ConformB dirt{display:{Name:'"Good Soil"'}} 7`)
    bot.chat('that is yours')
    await heard
    ensure(had === 7, `it has ${had} by then`)
    await stage.command('deop ConformA')
    const line = `give ConformA dirt{display:{Name:'"Good Soil"'}}`
    await answers(stage, [[line, 'Gave 1 [Good Soil] to ConformA']])
  }),
  check('commands', 'items that do not fit fall to the ground in stacks', async (stage) => {
    await stage.command('give ConformA dirt 2432') // 36 stacks, and two more
    await stage.holds('dirt', 36 * 64)
    const stacks = 'execute if entity @e[type=item,nbt={Item:{id:"minecraft:dirt",Count:64b}}]'
    await answers(stage, [[stacks, 'Test passed, count: 2']])
  }),
  check('commands', 'tags name several blocks, items and entity types', async (stage) => {
    const place = stage.where(stage.at(3, 3))
    await stage.place(stage.at(3, 3), 'oak_log')
    await stage.give('oak_planks 3')
    await answers(stage, [
      [`execute if block ${place} #minecraft:logs`, 'Test passed'],
      [`fill ${place} ${place} air replace #logs`, 'Successfully filled 1 block(s)'],
      ['clear ConformA #minecraft:planks', 'Removed 3 item(s) from player ConformA'],
      ['execute if entity @e[type=#minecraft:skeletons]', 'Test failed']
    ])
    await stage.command(`summon skeleton ${place} {NoAI:1b}`)
    await answers(stage, [
      ['execute if entity @e[type=#minecraft:skeletons]', 'Test passed, count: 1']
    ])
  }),
  check('commands', 'a text can show data from storage', async (stage) => {
    await stage.command('data merge storage conform:law {tax:3b,who:["Ann","Ben"]}')
    const told = once(stage.bot, 'messagestr', (text) => text.includes('Ann'))
    await stage.command('tellraw @a {"nbt":"who[]","storage":"conform:law"}')
    const [text] = await told
    ensure(text.includes('Ann, Ben'), text)
  }),
  check('commands', 'given items go into the first free slot', async (stage) => {
    stage.bot.setQuickBarSlot(3)
    await stage.give('stone 1')
    await stage.give('dirt 1')
    ensure(stage.bot.inventory.slots[36]?.name === 'stone', 'stone is not in the first slot')
    ensure(stage.bot.inventory.slots[37]?.name === 'dirt', 'dirt is not in the second')
    stage.bot.setQuickBarSlot(0)
  }),
  check('commands', 'the server completes commands that the client may use', async (stage) => {
    const found = async (/** @type {string} */ text) =>
      (await stage.bot.tabComplete(text)).map((/** @type {any} */ { match }) => match)
    ensure(!(await found('/gamem')).length, 'who is no operator is offered commands')
    await stage.command('op ConformA')
    ensure((await found('/gamem')).includes('gamemode'), 'gamemode is not offered')
    ensure((await found('/give Conf')).includes('ConformB'), 'players are not offered')
    const items = await found('/give @a minecraft:diamond_p')
    ensure(items.includes('minecraft:diamond_pickaxe'), 'items are not offered')
    ensure((await found('/enchant ConformA sharp')).includes('minecraft:sharpness'), 'enchant')
    const criteria = await found('/scoreboard objectives add x de')
    ensure(criteria.includes('deathCount'), 'criteria are not offered')
    ensure((await found('/execute as @a run tim')).includes('time'), 'execute run is not completed')
    await stage.command('deop ConformA')
  }),
  check('join', 'a player who returns has its tags and effects', async (stage) => {
    const line = (/** @type {string} */ words) => stage.command(words)
    const leave = async (/** @type {import('mineflayer').Bot} */ bot) => {
      bot.quit()
      await stage.until('it has left', async () => !(await line('list')).includes('ConformC'))
    }
    await leave(await begin(line, await join('ConformC', stage.address)))
    const bot = await join('ConformC', stage.address)
    await answers(stage, [['tag ConformC list', 'ConformC has 1 tags: chief']])
    await stage.until('it is fast', () => Object.keys(bot.entity.effects ?? {}).length === 1)
    await line('tag ConformC remove chief')
    await line('effect clear ConformC')
    await leave(bot)
  }),
  check('join', 'a ping returns the version and the players', async (stage) => {
    const status = /** @type {any} */ (await ping(stage.address))
    ensure(status.version.name.includes('1.20.4'), 'the version')
    ensure(status.players.online >= 2, 'the players')
  }),
  check('join', 'a client of before 1.7 reads a line of the server', async ({ address }) => {
    const socket = connect(address)
    socket.on('error', () => {})
    socket.write(Buffer.from([0xfe, 0x01]))
    /** @type {Buffer[]} */
    const parts = []
    socket.on('data', (part) => parts.push(part))
    await once(socket, 'end')
    const answer = Buffer.concat(parts)
    const text = Buffer.from(answer.subarray(3)).swap16().toString('utf16le')
    ensure(answer[0] === 0xff && answer.readUInt16BE(1) === text.length, `no answer: ${text}`)
    ensure(text.startsWith(['\u00a71', 127, '1.20.4', ''].join('\0')), text)
  }),
  check('join', 'a client of another version is refused with the reason', async (stage) => {
    const { host, port } = stage.address
    const client = createClient({
      host,
      port,
      username: 'Old',
      version: '1.20.1',
      auth: 'offline'
    })
    client.on('error', () => {})
    const [{ reason }] = await once(client, 'disconnect')
    client.end('')
    ensure(/multiplayer\.disconnect\.(incompatible|outdated_client)/.test(reason), reason)
  })
]
