/** Blows: charge, immunity and knockback, with vanilla's numbers. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { itemNamed, registry, Vec3 } from '../../minecraft/index.js'
import * as combat from '../../combat/combat.js'
import { SURVIVAL } from '../../players/game-modes.js'
import { recordBlow } from '../../health/immunity.js'

/** @import { Animal, Player, Server } from '../../types/index.d.ts' */

/**
 * Place a player with a weapon beside a cow that records damage.
 * @param {string | null} weapon @param {Partial<Player>} [traits]
 */
function duel(weapon, traits = {}) {
  /** @type {number[]} */
  const wounds = []
  const cow = /** @type {Animal} */ (
    /** @type {unknown} */ ({
      id: 2,
      type: 'mob',
      name: 'cow',
      position: new Vec3(2, 100, 0),
      velocity: new Vec3(0, 0, 0),
      hurt: (/** @type {number} */ damage) => {
        const { wound, counts } = recordBlow(serv, cow, damage, 'player_attack')
        if (wound) wounds.push(counts)
        return wound
      }
    })
  )
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        tickCount: 1000,
        gamerules: { pvp: true },
        entities: { 2: cow },
        players: [],
        playSound: () => {}
      })
    )
  )
  const attacker = {
    id: 1,
    type: 'player',
    gameMode: SURVIVAL,
    position: new Vec3(0, 100, 0),
    yaw: -90, // along x
    height: 1.8,
    fallBlocks: 0,
    onGround: true,
    sprinting: false,
    effects: {},
    heldItem: weapon && itemNamed(weapon),
    _client: new EventEmitter(),
    poses: () => [],
    tire: () => {},
    wearTool: () => {},
    _writeNearby: () => {},
    _writeOthersNearby: () => {},
    ...traits
  }
  const player = /** @type {Player} */ (/** @type {unknown} */ (attacker))
  combat.server(serv)
  combat.player(player, serv)
  serv.players.push(player)
  run(0)

  /** @param {number} ticks */
  function run(ticks) {
    serv.emit('tick', 0.05, serv.tickCount)
    for (let tick = 0; tick < ticks; tick++) serv.emit('tick', 0.05, ++serv.tickCount)
  }
  const strike = () => {
    player._client.emit('use_entity', { mouse: 1, target: 2 })
    player._client.emit('arm_animation', { hand: 0 })
  }
  return { run, strike, wounds, cow, player }
}

/**
 * Vanilla's formula: a fifth of the damage immediately, full damage after 20 / speed ticks.
 * @param {number} damage @param {number} speed @param {number} ticks
 */
const expected = (damage, speed, ticks) =>
  damage * (0.2 + 0.8 * Math.min(1, (ticks + 0.5) / (20 / speed)) ** 2)

test('a blow charges faster with a sword than with an axe', () => {
  for (const [weapon, damage, speed] of /** @type {[string | null, number, number][]} */ ([
    [null, 1, 4],
    ['diamond_sword', 7, 1.6],
    ['iron_axe', 9, 0.9],
    ['stone_hoe', 1, 2],
    ['golden_shovel', 2.5, 1],
    ['trident', 9, 1.1]
  ])) {
    for (const ticks of [10, 13, 20, 30]) {
      const { run, strike, wounds } = duel(weapon)
      run(40)
      strike()
      run(ticks)
      strike()
      assert.equal(wounds[0], damage, `${weapon}`)
      const second = expected(damage, speed, ticks)
      assert.ok(Math.abs(wounds[1] - second) < 1e-9, `${weapon} ${ticks}: ${wounds[1]} ${second}`)
    }
  }
})

test('within half a second, only damage beyond that of the last blow counts', () => {
  const { run, strike, wounds, player } = duel('iron_axe')
  run(40)
  strike()
  run(2)
  strike()
  assert.deepEqual(wounds, [9])
  const weak = duel('iron_axe')
  weak.strike() // the weapon was just taken in hand
  weak.run(9)
  weak.strike()
  const [first, second] = [expected(9, 0.9, 0), expected(9, 0.9, 9)]
  assert.ok(Math.abs(weak.wounds[1] - (second - first)) < 1e-9)
  assert.equal(player.armedWith, registry.itemsByName.iron_axe.id)
})

test('sprinting adds knockback in the direction of the look, and falling adds damage', () => {
  const stands = duel(null)
  stands.run(10)
  stands.strike()
  assert.ok(stands.cow.velocity.distanceTo(new Vec3(0.4, 0.36, 0)) < 1e-9)
  const sprints = duel('diamond_sword', { sprinting: true })
  sprints.run(40)
  sprints.strike()
  assert.ok(sprints.cow.velocity.distanceTo(new Vec3(0.7, 0.4, 0)) < 1e-9)
  assert.equal(sprints.player.sprinting, false)
  const falls = duel('diamond_sword', { fallBlocks: 0.3, onGround: false })
  falls.run(40)
  falls.strike()
  assert.deepEqual(falls.wounds, [10.5])
  const hasty = duel('diamond_sword', { sprinting: true })
  hasty.strike() // uncharged
  assert.ok(hasty.cow.velocity.distanceTo(new Vec3(0.4, 0.36, 0)) < 1e-9)
})
