/** What a world keeps besides its columns: it is there again, whatever was there instead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../commands/index.js'
import { restoreState, stateNow } from '../plugins/world-state.js'
import { startByHand } from './by-hand.js'

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

test('scoreboards, teams, bossbars, storage and statistics are kept', async (t) => {
  const { serv, close } = await startByHand()
  t.after(close)
  const run = async (/** @type {string} */ line) => {
    const { isRefused, texts } = await runCommand(serv, line, {
      title: { text: 'test' },
      level: 'op'
    })
    assert.ok(!isRefused, `${line}: ${JSON.stringify(texts)}`)
  }
  for (const line of LINES) await run(line)
  serv.statistics.set('Ann', new Map([['0,1', 3]]))
  const kept = JSON.parse(JSON.stringify(stateNow(serv)))
  for (const line of ['scoreboard objectives remove dug', 'team add blues', 'data merge storage town:laws {tax:1}']) await run(line) // prettier-ignore
  serv.statistics.clear()
  restoreState(serv, structuredClone(kept))
  assert.deepEqual(JSON.parse(JSON.stringify(stateNow(serv))), kept)
  assert.equal(serv.objectives.get('dug')?.scores.get('Ann'), -3)
  assert.equal(serv.statistics.get('Ann')?.get('0,1'), 3)
  assert.deepEqual([...serv.teams.keys()], ['reds'])
})
