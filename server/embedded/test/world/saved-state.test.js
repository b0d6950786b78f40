/** State of a world apart from its columns: saved, and restored in place of any other state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vec3 } from '../../minecraft/index.js'
import { stateAt } from '../../blocks/blocks.js'
import { restoreState, stateNow } from '../../world/world-state.js'
import { potionOf } from '../../workshops/brewing.js'
import { startManualServer } from '../by-hand.js'

const LINES = [
  'scoreboard objectives add dug minecraft.mined:minecraft.stone {"text":"Dug","color":"red"}',
  'scoreboard objectives modify dug numberformat styled {"color":"gold"}',
  'scoreboard objectives add ask trigger',
  'scoreboard objectives setdisplay sidebar.team.red dug',
  'scoreboard players set Ann dug -3',
  'scoreboard players display name Ann dug {"text":"A."}',
  'scoreboard players enable Ann ask',
  'team add reds "Reds"',
  'team join reds Ann',
  'team modify reds color red',
  'bossbar add town:trial "Trial"',
  'bossbar set town:trial value 30',
  'data merge storage town:laws {tax:{rate:3b}}'
]

/**
 * Return the saved state, which must survive other changes.
 * @param {import('../../types/index.d.ts').Server} serv
 */
const keptOf = (serv) => JSON.parse(JSON.stringify(stateNow(serv)))

test('scoreboards, teams, boss bars, storage and statistics are saved', async (t) => {
  const { serv, run, close } = await startManualServer()
  t.after(close)
  await run(...LINES)
  serv.statistics.set('Ann', new Map([['0,1', 3]]))
  const kept = keptOf(serv)
  await run('scoreboard objectives remove dug', 'team add blues', 'data merge storage town:laws {tax:1}') // prettier-ignore
  serv.statistics.clear()
  restoreState(serv, structuredClone(kept))
  assert.deepEqual(keptOf(serv), kept)
  assert.equal(serv.objectives.get('dug')?.scores.get('Ann'), -3)
  assert.equal(serv.statistics.get('Ann')?.get('0,1'), 3)
  assert.deepEqual([...serv.teams.keys()], ['reds'])
})

const POTION = '{Slot:0b,id:"minecraft:potion",Count:1b,tag:{Potion:"minecraft:water"}}'
const [WART, POWDER] = ['nether_wart', 'blaze_powder'].map(
  (name, at) => `{Slot:${3 + at}b,id:"minecraft:${name}",Count:1b}`
)
/** Processes, and commands that show their progress. */
const GOING_ON = [
  'setblock 0 100 0 furnace{Items:[{Slot:0b,id:"minecraft:raw_iron",Count:3b},{Slot:1b,id:"minecraft:coal",Count:2b}]}',
  `setblock 2 100 0 brewing_stand{Items:[${POTION},${WART},${POWDER}]}`,
  'setblock 4 100 0 campfire{Items:[{Slot:1b,id:"minecraft:beef",Count:1b}]}',
  'setblock 6 100 0 lectern[has_book=true]{Book:{id:"minecraft:written_book",Count:1b,tag:{pages:[\'"a"\',\'"b"\']}},Page:1}',
  'setblock 8 100 0 brewing_stand{Fuel:7b}',
  'weather thunder 1000t',
  'forceload add 100 100 120 100',
  'execute in minecraft:the_nether run forceload add 8 8',
  'setworldspawn 3 100 4 90'
]
const TELLING = [
  ...[0, 2, 4, 6, 8].map((x) => `data get block ${x} 100 0`),
  'forceload query',
  'execute in minecraft:the_nether run forceload query 0 0'
]

test('fires, brews, food, pages, weather and forced columns continue where they stopped', async (t) => {
  const [one, other] = [await startManualServer(), await startManualServer()]
  t.after(one.close)
  t.after(other.close)
  await one.run(...GOING_ON)
  one.tick(250)
  const told = await Promise.all(TELLING.map(one.ask))
  const words = told.map((answer) => answer.words.join())
  assert.match(words[0], /BurnTime: 1351s.*CookTime: 50s/)
  assert.match(words[2], /CookingTimes: \[I; 0, 250, 0, 0\]/)
  assert.match(words[3], /Page: 1/)
  const {
    0: furnace,
    2: stand,
    4: campfire,
    6: lectern,
    8: empty
  } = Object.fromEntries(
    [0, 2, 4, 6, 8].map((x) => [x, stateAt(one.serv.overworld, new Vec3(x, 100, 0))])
  )
  other.serv.loadBox(new Vec3(0, 0, 0), new Vec3(8, 0, 0))
  for (const [x, state] of [
    [0, furnace],
    [2, stand],
    [4, campfire],
    [6, lectern],
    [8, empty]
  ])
    // prettier-ignore
    other.serv.setBlock(new Vec3(x, 100, 0), state)
  restoreState(other.serv, keptOf(one.serv))
  assert.deepEqual(await Promise.all(TELLING.map(other.ask)), told)
  assert.deepEqual(other.serv.weather, { kind: 'thunder', left: 750 })
  assert.equal(other.serv.spawnAngle, 90)
  for (const { tick } of [one, other]) tick(750)
  assert.deepEqual(
    await Promise.all(TELLING.map(other.ask)),
    await Promise.all(TELLING.map(one.ask))
  )
  assert.equal(other.serv.weather.kind, 'clear')
  assert.equal(potionOf(other.serv.standAt(new Vec3(2, 100, 0))?.store.slots[0] ?? null), 'awkward')
})
