/** Deaths: dropped experience, and keepInventory. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Vec3 } from '../../minecraft/index.js'
import * as death from '../../health/death.js'
import { SURVIVAL } from '../../players/game-modes.js'

/** @import { Player, Server } from '../../types/index.d.ts' */

/**
 * Let a player of a level die.
 * @param {number} level @param {boolean} keepInventory
 * @returns dropped experience, and the level afterwards
 */
function left(level, keepInventory) {
  /** @type {[amount: number, place: number[]][]} */
  const spilt = []
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        gamerules: { keepInventory },
        send: () => {},
        spillExperience: (/** @type {number} */ amount, /** @type {Vec3} */ place) =>
          spilt.push([amount, place.toArray()])
      })
    )
  )
  const player = /** @type {Player} */ (
    /** @type {unknown} */ ({
      id: 1,
      type: 'player',
      username: 'Ada',
      gameMode: SURVIVAL,
      position: new Vec3(3, 64, 5),
      ...{ level, points: 4, totalPoints: 99 },
      watchers: new Set(),
      _client: Object.assign(new EventEmitter(), { write: () => {} }),
      stopUsing: () => {},
      shutWindow: () => {},
      closeWindow: () => {},
      emptyPockets: () => []
    })
  )
  death.player(player, serv)
  player.die('generic')
  return { spilt, level: player.level, points: player.points }
}

test('a dead player drops seven points per level, at most a hundred, and restarts at level zero', () => {
  const place = [3, 64, 5]
  assert.deepEqual(left(10, false), { spilt: [[70, place]], level: 0, points: 0 })
  assert.deepEqual(left(40, false), { spilt: [[100, place]], level: 0, points: 0 })
  assert.deepEqual(left(10, true), { spilt: [], level: 10, points: 4 })
})
