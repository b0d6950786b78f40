/** Hunger, healing and falls, for a player without a server. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { itemNamed, registry, Vec3 } from '../../minecraft/index.js'
import * as armour from '../../combat/armour.js'
import * as falls from '../../health/falls.js'
import { CREATIVE, SURVIVAL } from '../../players/game-modes.js'
import * as health from '../../health/health.js'
import * as hunger from '../../health/hunger.js'
import * as shields from '../../combat/shields.js'
import * as totems from '../../health/totems.js'
import * as vitals from '../../health/vitals.js'

/** @import { Player, Server } from '../../types/index.d.ts' */

const [PEACEFUL, EASY, NORMAL, HARD] = [0, 1, 2, 3]

/**
 * Create a player with these plugins, without armour, high up in an empty world.
 * @param {number} difficulty
 */
function born(difficulty) {
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ ({
      difficulty,
      tickCount: 0,
      gamerules: { naturalRegeneration: true, fallDamage: true },
      overworld: { getLoadedColumn: () => undefined },
      send: () => {},
      emit: () => {}
    })
  )
  const player = /** @type {Player} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        _client: { write: () => {} },
        gameMode: SURVIVAL,
        isDead: false,
        sprinting: false,
        inventory: { slots: [] },
        effects: {},
        using: null,
        inHand: () => null,
        activeEffects: new Map(),
        _writeNearby: () => {},
        position: new Vec3(0, 100, 0),
        watchers: new Set()
      })
    )
  )
  player.die = () => {
    player.isDead = true
  }
  for (const plugin of [shields, armour, totems, health, vitals, falls, hunger])
    plugin.player(player, serv)
  const live = (/** @type {number} */ ticks) => {
    for (let tick = 0; tick < ticks && !player.isDead; tick++) {
      serv.tickCount += 1
      player.digest()
    }
  }
  return { player, serv, live }
}

/** Let a player fall onto the ground. @param {Player} player @param {number} blocks */
function drop(player, blocks) {
  const before = player.position
  player.position = before.offset(0, -blocks, 0)
  player.trackFall(before, false)
  player.trackFall(player.position, true)
}

test('hunger hurts every four seconds, down to a limit that depends on the difficulty', () => {
  for (const [difficulty, left] of [
    [EASY, 10],
    [NORMAL, 1],
    [HARD, 0]
  ]) {
    const { player, live } = born(difficulty)
    Object.assign(player, { food: 0, foodSaturation: 0 })
    live(79)
    assert.equal(player.health, 20)
    live(1)
    assert.equal(player.health, 19)
    live(80 * 30)
    assert.equal(player.health, left)
    assert.equal(player.isDead, left === 0)
  }
})

test('in peaceful worlds, food and health rise by one per second', () => {
  const { player, live } = born(PEACEFUL)
  Object.assign(player, { food: 10, foodSaturation: 0, health: 10 })
  live(60)
  assert.deepEqual([player.food, player.health], [13, 13])
})

test('a saturated player heals fast, a fed player slowly, and a hungry player not at all', () => {
  const healed = (/** @type {number} */ food, /** @type {number} */ foodSaturation, ticks = 10) => {
    const { player, live } = born(NORMAL)
    Object.assign(player, { food, foodSaturation, health: 10 })
    live(ticks)
    return player.health - 10
  }
  assert.equal(healed(20, 6), 1)
  assert.equal(healed(20, 3), 0.5)
  assert.equal(healed(20, 0, 79), 0)
  assert.equal(healed(20, 0, 80), 1)
  assert.equal(healed(18, 0, 80), 1)
  assert.equal(healed(17, 0, 200), 0)
})

test('four points of exhaustion cost a point of saturation, then of food', () => {
  const { player, live } = born(NORMAL)
  player.tire(6 * 4)
  live(6)
  assert.deepEqual([player.foodSaturation, player.food, player.exhaustion], [0, 19, 0])
  player.gameMode = CREATIVE
  player.tire(4)
  assert.equal(player.exhaustion, 0)
})

test('a fall hurts from the fourth block on, and a long fall kills', () => {
  const { player } = born(NORMAL)
  drop(player, 3)
  assert.equal(player.health, 20)
  drop(player, 10)
  assert.equal(player.health, 13)
  drop(player, 10) // it is still immune
  assert.equal(player.health, 13)
  drop(player, 60)
  assert.ok(player.isDead)
})

test('for half a second, a hurt body is immune to all but higher damage', () => {
  const { player, serv } = born(NORMAL)
  const hurt = (/** @type {number} */ damage, /** @type {string} */ cause) => [
    player.hurt(damage, cause),
    player.health
  ]
  assert.deepEqual(hurt(4, 'arrow'), ['new', 16])
  assert.deepEqual(hurt(4, 'explosion'), [null, 16])
  serv.tickCount += 9
  assert.deepEqual(hurt(3, 'generic'), [null, 16])
  assert.deepEqual(hurt(6, 'magic'), ['more', 14])
  assert.deepEqual(hurt(6, 'lava'), [null, 14])
  serv.tickCount += 1 // the higher damage did not restart the half second
  assert.deepEqual(hurt(2, 'lava'), ['new', 12])
  assert.deepEqual(hurt(1, 'out_of_world'), ['new', 11])
  assert.deepEqual(hurt(0, 'thrown'), [null, 11])
  player.gameMode = CREATIVE
  serv.tickCount += 20
  assert.deepEqual(hurt(5, 'arrow'), [null, 11])
  assert.deepEqual(hurt(11, 'generic_kill'), ['new', 0])
})

test('a totem in either hand prevents a death, but not in the void', () => {
  for (const hand of [0, 1]) {
    const { player, serv } = born(NORMAL)
    /** @type {string[]} */
    const given = []
    let totem = /** @type {import('../../types/index.d.ts').Item | null} */ (
      itemNamed('totem_of_undying')
    )
    Object.assign(player, {
      inHand: (/** @type {number} */ one) => (one === hand ? totem : null),
      useUp: (/** @type {number} */ one) => one === hand && (totem = null),
      giveEffect: (
        /** @type {number} */ id,
        /** @type {number} */ ticks,
        /** @type {number} */ by
      ) => given.push(`${registry.effects[id].name} ${ticks} ${by}`)
    })
    assert.equal(player.hurt(100, 'fall'), 'new')
    assert.deepEqual([player.health, player.isDead, totem], [1, false, null])
    assert.deepEqual(given, ['Regeneration 900 1', 'Absorption 100 1', 'FireResistance 800 0'])
    totem = itemNamed('totem_of_undying')
    serv.tickCount += 20
    player.hurt(20, 'out_of_world')
    assert.ok(player.isDead && totem)
  }
})
