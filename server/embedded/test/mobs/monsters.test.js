/** Spawning of monsters, on dark land without a server. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Column, registry, Vec3, World } from '../../minecraft/index.js'
import { SURVIVAL } from '../../players/game-modes.js'
import * as spawning from '../../mobs/monster-spawning.js'

/** @import { Options, Server } from '../../types/index.d.ts' */

const BOTTOM = -64

/**
 * Return how many monsters spawn in half a minute around a player in the dark.
 * @param {boolean} monsters option of the server @param {boolean} doMobSpawning
 */
function comers(monsters, doMobSpawning) {
  const column = new Column()
  for (let x = 0; x < 16; x++) {
    for (let z = 0; z < 16; z++)
      column.setBlockStateId({ x, y: BOTTOM, z }, registry.blocksByName.stone.defaultState)
  }
  const world = new World(() => column, null)
  for (let x = -8; x <= 8; x++)
    for (let z = -8; z <= 8; z++) world.setLoadedColumn(x, z, column, false)
  let count = 0
  let seed = 1
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        overworld: world,
        tickCount: 0,
        difficulty: 2,
        gamerules: { doMobSpawning },
        animals: new Map(),
        players: [{ spawned: true, gameMode: SURVIVAL, position: new Vec3(8, BOTTOM + 1, 8) }],
        worldSpawn: new Vec3(500, 0, 500),
        random: () => (seed = (seed * 48271) % (2 ** 31 - 1)) / (2 ** 31 - 1),
        openHeightAt: () => BOTTOM + 1,
        blockLightAt: () => 0,
        skyLightAt: () => 0,
        brightnessAt: () => 0,
        spawnAnimal: () => (count += 1)
      })
    )
  )
  spawning.server(serv, /** @type {Options} */ ({ monsters }))
  for (let tick = 0; tick < 600; tick++) serv.emit('tick', 0.05, ++serv.tickCount)
  return count
}

test('monsters spawn in the dark, unless the server or the game rule forbids it', () => {
  assert.ok(comers(true, true) > 10)
  assert.equal(comers(false, true), 0)
  assert.equal(comers(true, false), 0)
})
