/** Hazards, for a player without a server. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Column, registry, Vec3, World } from '../../minecraft/index.js'
import { SURVIVAL } from '../../players/game-modes.js'
import * as hazards from '../../health/hazards.js'
import { recordBlow } from '../../health/immunity.js'

/** @import { Player, Server } from '../../types/index.d.ts' */

/**
 * Return the damage to a player inside a block during a number of ticks.
 * @param {string} block @param {number} ticks @param {number[]} [effects]
 */
function blowsIn(block, ticks, effects = []) {
  const column = new Column()
  for (const y of [100, 101]) {
    column.setBlockStateId({ x: 4, y, z: 4 }, registry.blocksByName[block].defaultState)
  }
  const world = new World(() => column, null)
  world.setLoadedColumn(0, 0, column, false)
  /** @type {[number, string][]} */
  const blows = []
  const player = /** @type {Player} */ (
    /** @type {unknown} */ ({
      id: 0,
      gameMode: SURVIVAL,
      spawned: true,
      isDead: false,
      movedTick: 0,
      width: 0.6,
      height: 1.8,
      position: new Vec3(4.5, 100, 4.5),
      activeEffects: new Map(effects.map((id) => [id, {}])),
      poses: () => [],
      _writeNearby: () => {},
      hurt: (/** @type {number} */ damage, /** @type {string} */ cause) => {
        if (recordBlow(serv, player, damage, cause).wound) blows.push([damage, cause])
      }
    })
  )
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        overworld: world,
        tickCount: 0,
        players: [player],
        gamerules: { drowningDamage: true, fireDamage: true }
      })
    )
  )
  hazards.server(serv)
  hazards.player(player)
  for (let tick = 0; tick < ticks; tick++) {
    serv.tickCount += 1
    serv.emit('tick', 0.05, serv.tickCount)
  }
  return blows
}

const [FIRE_RESISTANCE, WATER_BREATHING] = [11, 12]

test('lava, fire, cactus and walls hurt about twice a second', () => {
  for (const [block, damage, cause] of /** @type {[string, number, string][]} */ ([
    ['lava', 4, 'lava'],
    ['fire', 1, 'in_fire'],
    ['soul_fire', 2, 'in_fire'],
    ['cactus', 1, 'cactus'],
    ['stone', 1, 'in_wall']
  ])) {
    const blows = blowsIn(block, 60)
    assert.deepEqual(new Set(blows.map(String)), new Set([String([damage, cause])]), block)
    assert.ok(blows.length >= 4 && blows.length <= 6, `${block}: ${blows.length}`)
  }
})

test('air lasts fifteen seconds, then drowning costs a heart per second', () => {
  assert.deepEqual(blowsIn('water', 316), [])
  const blows = blowsIn('water', 316 + 44)
  assert.deepEqual(blows, [
    [2, 'drown'],
    [2, 'drown'],
    [2, 'drown']
  ])
})

test('effects protect from fire and water, and air is harmless', () => {
  assert.deepEqual(blowsIn('lava', 60, [FIRE_RESISTANCE]), [])
  assert.deepEqual(blowsIn('water', 600, [WATER_BREATHING]), [])
  assert.deepEqual(blowsIn('air', 600), [])
})
