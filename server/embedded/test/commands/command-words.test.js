/** Parsing of commands, and their answers. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import { tagged, tagPacket } from '../../minecraft/tags.js'
import { startManualServer } from '../by-hand.js'

const { serv, tick, ask, run, close } = await startManualServer()
after(close)

/** @param {Record<string, string>} expected answers by command */
async function answers(expected) {
  for (const [line, words] of Object.entries(expected))
    assert.equal((await ask(line)).words[0] ?? '', words, line)
}

/** Return all dropped items, and remove them. */
function lying() {
  const found = [...serv.drops.values()].map(({ item }) => `${item.name} ${item.count}`)
  for (const drop of [...serv.drops.values()]) serv.removeDrop(drop)
  return found.sort()
}

test('tags of blocks, items and types are accepted, but refused where a single one is required', async () => {
  await run('setblock 0 100 0 oak_log[axis=x]', 'summon stray 0 101 0 {NoAI:1b}')
  await run('fill 1 100 0 3 100 0 chest{Items:[{Slot:0b,id:"minecraft:stick",Count:2b}]}')
  await answers({
    'execute if block 0 100 0 #minecraft:logs': 'Test passed',
    'execute if block 0 100 0 #logs[axis=y]': 'Test failed',
    'execute if block 0 100 0 #wool': 'Test failed',
    'execute if block 0 100 0 #no_such': "Unknown block tag 'minecraft:no_such'",
    'execute if block 1 100 0 chest{Items:[{id:"minecraft:stick"}]}': 'Test passed',
    'execute if block 1 100 0 chest{Items:[{id:"minecraft:dirt"}]}': 'Test failed',
    'setblock 0 100 0 #logs': "Tags aren't allowed here, only actual blocks",
    'give @a #planks': "Tags aren't allowed here, only actual items",
    'clear @a #no_such': "Unknown item tag 'minecraft:no_such'",
    'clear @a #minecraft:planks': 'No player was found',
    'execute if entity @e[type=#minecraft:skeletons]': 'Test passed, count: 1',
    'execute if entity @e[type=!#skeletons]': 'Test failed',
    'clone 0 100 0 3 100 0 0 110 0 filtered #logs': 'Successfully cloned 1 block(s)',
    'clone 0 100 0 3 100 0 0 110 0': 'Successfully cloned 4 block(s)',
    'execute if block 1 110 0 chest{Items:[{id:"minecraft:stick",Count:2b}]}': 'Test passed',
    'fill 0 100 0 3 100 0 air replace #logs': 'Successfully filled 1 block(s)',
    'clone from minecraft:overworld 1 110 0 1 110 0 to minecraft:the_nether 1 110 0':
      'Successfully cloned 1 block(s)',
    'execute in minecraft:the_nether if block 1 110 0 chest': 'Test passed'
  })
  const names = (/** @type {import('../../minecraft/tags.js').TagKind} */ kind) =>
    tagged(kind, 'minecraft:undead')
  assert.ok(names('entity_type')?.has('zombie'))
  const items = tagPacket().tags.find(({ tagType }) => tagType === 'minecraft:item')
  const planks = items?.tags.find(({ tagName }) => tagName === 'minecraft:planks')
  assert.ok(planks?.entries.includes(registry.itemsByName.oak_planks.id))
  await run('kill @e')
})

test('syntax errors are reported before missing targets', async () => {
  await answers({
    'effect give @a speed 1000001': 'Integer must not be more than 1000000, found 1000001',
    'effect clear @a nope': "Can't find element 'minecraft:nope' of type 'minecraft:mob_effect'",
    'enchant @a sharpness 9x': "Invalid integer '9x'",
    'title @a title "x':
      'Invalid chat component: Unterminated string in JSON at position 2 (line 1 column 3)',
    'scoreboard players get @a none': "Unknown scoreboard objective 'none'",
    'give @a stone 1 2': 'Incorrect argument for command',
    'give @a stone': 'No player was found',
    'kill @e[type=cow]': 'No entity was found',
    'tell @a hello': 'No player was found',
    'setblock 0.5 100 0 stone': "Invalid integer '0.5'"
  })
})

test('positions and angles are shown in the dimension’s coordinates', async () => {
  await run('summon pig 0 100 0 {NoAI:1b}', 'setblock 9 120 9 oak_leaves')
  const { worldSpawn } = serv
  await answers({
    'execute in minecraft:the_nether run setworldspawn 0 64 0 45':
      'Set the world spawn point to 0, 64, 0 [45.0]',
    'tp @e[type=pig] 0 100 0 999 -999': 'Teleported Pig to 0.500000, 100.000000, 0.500000',
    'data get entity @e[type=pig,limit=1] Rotation':
      'Pig has the following entity data: [-81.0f, 81.0f]',
    'execute in minecraft:the_nether run item replace block 0 64 0 container.0 with stone':
      'Target position 0, 64, 0 is not a container'
  })
  assert.deepEqual(serv.worldSpawn, worldSpawn)
  const tops = { motion_blocking_no_leaves: -60, world_surface: 121 }
  for (const [kind, y] of Object.entries(tops))
    await answers({
      [`execute positioned 9 0 9 positioned over ${kind} run setblock ~ ~ ~ stone keep`]: `Changed the block at 9, ${y}, 9`
    })
  await run('kill @e')
})

test('a member of a compound can have any name', async () => {
  await run(
    'data modify storage q:q __proto__.x set value 1',
    'data merge storage m:m {__proto__:{k:1}}'
  )
  await answers({
    'data get storage q:q': 'Storage q:q has the following contents: {__proto__: {x: 1}}',
    'data get storage m:m __proto__.k': 'Storage m:m has the following contents: 1'
  })
  assert.equal(/** @type {any} */ ({}).k, undefined)
})

test('containers drop their items when broken: shulker boxes as one item, others separately', async () => {
  const box = 'shulker_box{Items:[{Slot:0b,id:"minecraft:diamond",Count:64b}]}'
  lying()
  await run(`setblock 43 100 5 ${box}`, 'setblock 43 100 5 air destroy')
  const [drop] = [...serv.drops.values()]
  assert.match(JSON.stringify(drop.item.nbt), /diamond/)
  assert.deepEqual(lying(), ['shulker_box 1'])
  await run(`setblock 43 100 5 ${box}`, 'summon tnt 44.5 100 5.5 {fuse:1}')
  tick(3)
  assert.deepEqual(lying(), ['shulker_box 1'])
  await run(`setblock 43 100 5 ${box}`, 'setblock 43 100 5 air')
  assert.deepEqual(lying(), [])
  await run('setblock 43 100 5 stone', 'setblock 43 100 5 air destroy')
  assert.deepEqual(lying(), ['cobblestone 1'])
  await run(
    'gamerule doTileDrops false',
    `setblock 43 100 5 ${box}`,
    'setblock 43 100 5 air destroy'
  )
  assert.deepEqual(lying(), [])
  await run('gamerule doTileDrops true')
})

test('a broken furnace drops the experience for its products', async () => {
  const place = new Vec3(43, 100, 5)
  const items = '{Slot:0b,id:"minecraft:raw_gold",Count:4b},{Slot:1b,id:"minecraft:coal",Count:1b}'
  await run(`setblock 43 100 5 furnace{Items:[${items}]}`)
  tick(4 * 200)
  serv.setBlock(place, 0)
  const orbs = [...serv.things.values()].filter(({ name }) => name === 'experience_orb')
  assert.equal(
    orbs.reduce((sum, { objectData = 0 }) => sum + objectData, 0),
    4
  )
  await run('kill @e')
})

test('display slots have the names of 1.20.4', async () => {
  const { words } = await ask('scoreboard objectives setdisplay belowName')
  assert.equal(words[0], "Unknown display slot 'belowName'")
  assert.equal((await ask('scoreboard objectives setdisplay below_name')).words[0], 'Nothing changed. That display slot is already empty') // prettier-ignore
})
