/** What clients receive of block changes. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import * as changes from '../../blocks/block-changes.js'

const { dirt, torch } = registry.blocksByName

test('clients receive each state of a block in order, and answers after earlier changes', async () => {
  const place = new Vec3(1, 64, 2)
  let state = 0
  /** @type {number[]} */
  const received = []
  const write = (/** @type {string} */ _, /** @type {any} */ { type }) => received.push(type)
  const player = { chunks: new Set(['0,0']), _client: { write } }
  const serv = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      players: [player],
      overworld: { getLoadedColumn: () => ({ getBlockStateId: () => state }) },
      send: (/** @type {any} */ _, /** @type {any} */ name, /** @type {any} */ fields) =>
        write(name, fields)
    })
  )
  changes.server(serv)
  const change = (/** @type {number} */ next) => {
    state = next
    serv.emit('blockChanged', place, 0, next)
  }
  for (const next of [dirt.defaultState, 0, torch.defaultState, torch.defaultState]) change(next)
  serv.sendBlock(player, place)
  change(0)
  await new Promise((resolve) => setImmediate(resolve))
  const { defaultState: torchState } = torch
  assert.deepEqual(received, [dirt.defaultState, 0, torchState, torchState, 0])
})
