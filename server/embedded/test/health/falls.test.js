/** Reduction of falls and effects of landing, by vanilla's blocks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registry, Vec3 } from '../../minecraft/index.js'
import { stateOf } from '../../blocks/blocks.js'
import * as falls from '../../health/falls.js'

/** @import { Player, Position, Server } from '../../types/index.d.ts' */

const STEP = 0.9

/**
 * Let a player fall, step by step, onto a stone floor that has a block on it or in it.
 * @param {string} name @param {Record<string, string>} properties
 * @param {{at?: number, lands: number, floor?: string, crouching?: boolean}} place heights of the block and of the feet at rest; the floor's top is at 0
 * @returns {[damage: number, cause: string][]} damage
 */
function hurtBy(name, properties, { at = -1, lands, floor = 'stone', crouching = false }) {
  const state = stateOf(registry.blocksByName[name], properties)
  const ground = registry.blocksByName[floor].defaultState
  /** @param {Position} place */
  const getBlockStateId = ({ y }) => (y === at ? state : y < 0 ? ground : 0)
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ ({
      gamerules: { fallDamage: true },
      overworld: { getLoadedColumn: () => ({ getBlockStateId }) },
      emit: () => {}
    })
  )
  /** @type {[number, string][]} */
  const wounds = []
  const player = /** @type {Player} */ (
    /** @type {unknown} */ ({
      crouching,
      effects: {},
      activeEffects: new Map(),
      position: new Vec3(0.5, lands + 10, 0.5),
      hurt: (/** @type {number} */ damage, /** @type {string} */ cause) =>
        wounds.push([damage, cause])
    })
  )
  falls.player(player, serv)
  const step = (/** @type {number} */ y, /** @type {boolean} */ onGround) => {
    const before = player.position
    player.position = new Vec3(0.5, y, 0.5)
    player.trackFall(before, onGround)
  }
  for (let y = lands + 10 - STEP; y > lands + 0.05; y -= STEP) step(y, false)
  step(lands, true)
  return wounds
}

test('landing after ten blocks has the same effect on each block as in vanilla', () => {
  const fall = (/** @type {number} */ damage) => [[damage, 'fall']]
  assert.deepEqual(hurtBy('stone', {}, { lands: 0 }), fall(7))
  assert.deepEqual(hurtBy('hay_block', {}, { lands: 0 }), fall(2))
  assert.deepEqual(hurtBy('honey_block', {}, { lands: -1 / 16 }), fall(2))
  assert.deepEqual(hurtBy('red_bed', { part: 'foot' }, { lands: -7 / 16 }), fall(2))
  assert.deepEqual(hurtBy('slime_block', {}, { lands: 0 }), [])
  assert.deepEqual(hurtBy('slime_block', {}, { lands: 0, crouching: true }), fall(7))
  const dripstone = { vertical_direction: 'up', thickness: 'tip' }
  const tip = hurtBy('pointed_dripstone', dripstone, { at: 0, lands: 11 / 16 })
  assert.deepEqual(tip, [[18, 'stalagmite']])
  const hanging = hurtBy(
    'pointed_dripstone',
    { ...dripstone, vertical_direction: 'down' },
    { lands: -5 / 16 }
  )
  assert.deepEqual(hanging, fall(7))
  // A carpet does not count as ground.
  assert.deepEqual(
    hurtBy('white_carpet', {}, { at: 0, lands: 1 / 16, floor: 'hay_block' }),
    fall(2)
  )
})

test('blocks that a body falls through reduce the fall as in vanilla', () => {
  for (const [name, properties] of /** @type {[string, Record<string, string>][]} */ ([
    ['cobweb', {}],
    ['water', { level: '0' }],
    ['water', { level: '7' }],
    ['ladder', { facing: 'north', waterlogged: 'false' }],
    ['sweet_berry_bush', { age: '1' }],
    ['oak_sign', { waterlogged: 'true' }],
    ['scaffolding', { waterlogged: 'false' }]
  ]))
    assert.deepEqual(hurtBy(name, properties, { at: 0, lands: 0 }), [], name)
  // The body passes it on the way, two blocks above the ground.
  assert.deepEqual(hurtBy('cobweb', {}, { at: 2, lands: 0 }), [])
  assert.deepEqual(hurtBy('oak_sign', { waterlogged: 'false' }, { at: 0, lands: 0 }), [[7, 'fall']])
  const [inLava] = hurtBy('lava', { level: '0' }, { at: 0, lands: 0 })
  assert.ok((inLava?.[0] ?? 0) < 7, 'lava takes half of it a step')
})
