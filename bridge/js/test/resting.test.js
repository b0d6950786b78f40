/** A bot at rest skips physics, and is where it would be with physics. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { restWhereNothingActs } from '../resting.js'

const require = createRequire(import.meta.url)
const { Physics, PlayerState } = require('prismarine-physics')
const registry = require('prismarine-registry')('1.20.4')
const Block = require('prismarine-block')(registry)
const { Vec3 } = require('vec3')

const KEYS = ['forward', 'back', 'left', 'right', 'jump', 'sprint', 'sneak']
const GROUND_Y = 64

/** Create a minimal bot for physics, on flat ground. @returns {any} */
function makeBot() {
  /** @type {Map<string, string>} */
  const blocks = new Map()
  const world = {
    getBlock: (/** @type {any} */ at) => {
      const position = at.floored()
      const name = blocks.get(`${position}`) ?? (position.y < GROUND_Y ? 'stone' : 'air')
      const block = Block.fromStateId(registry.blocksByName[name].defaultState, 0)
      return Object.assign(block, { position })
    }
  }
  const bot = Object.assign(new EventEmitter(), {
    version: '1.20.4',
    ...{ jumpTicks: 0, jumpQueued: false, fireworkRocketDuration: 0, simulated: 0 },
    inventory: { slots: [] },
    control: Object.fromEntries(KEYS.map((key) => [key, false])),
    entity: {
      ...{ position: new Vec3(0.5, GROUND_Y, 0.5), velocity: new Vec3(0, 0, 0), effects: {} },
      ...{ onGround: false, yaw: 0, pitch: 0, attributes: {}, elytraFlying: false }
    },
    physics: Physics(registry, world),
    tick() {
      bot.physics.simulatePlayer(new PlayerState(bot, bot.control), world).apply(bot)
    },
    set(/** @type {any} */ at, /** @type {string} */ name) {
      const before = world.getBlock(at)
      blocks.set(`${at.floored()}`, name)
      bot.emit('blockUpdate', before, world.getBlock(at))
    }
  })
  const { simulatePlayer } = bot.physics
  bot.physics.simulatePlayer = (/** @type {any} */ state, /** @type {any} */ world) => {
    bot.simulated += 1
    return simulatePlayer(state, world)
  }
  return bot
}

const offset = fc.integer({ min: -2, max: 2 })
const push = fc.double({ min: -0.5, max: 0.5, noNaN: true })
const DEED = fc.oneof(
  fc.record({ what: fc.constant('key'), key: fc.constantFrom(...KEYS), held: fc.boolean() }),
  fc.record({ what: fc.constant('release') }),
  fc.record({ what: fc.constant('push'), by: fc.tuple(push, push, push) }),
  fc.record({
    what: fc.constant('block'),
    at: fc.tuple(offset, fc.integer({ min: -3, max: 3 }), offset),
    name: fc.constantFrom('air', 'stone', 'water', 'cobweb', 'ice', 'soul_sand', 'ladder', 'lava')
  }),
  fc.record({
    what: fc.constant('effect'),
    name: fc.constantFrom('Levitation', 'SlowFalling', 'Speed', 'JumpBoost'),
    ends: fc.boolean()
  }),
  fc.record({ what: fc.constant('place'), to: fc.tuple(push, push, push) }),
  fc.record({ what: fc.constant('turn'), yaw: push })
)

/** @param {number[]} numbers */
const vectorOf = ([x, y, z]) => new Vec3(x, y, z)

/** @param {any} bot @param {any} deed */
function carryOut(bot, deed) {
  const { entity } = bot
  switch (deed.what) {
    case 'key':
      bot.control[deed.key] = deed.held
      return
    case 'release':
      for (const key of KEYS) bot.control[key] = false
      return
    case 'push':
      return entity.velocity.add(vectorOf(deed.by))
    case 'block':
      return bot.set(entity.position.floored().plus(vectorOf(deed.at)), deed.name)
    case 'effect': {
      const { id } = registry.effectsByName[deed.name]
      if (deed.ends) delete entity.effects[id]
      else entity.effects[id] = { id, amplifier: 0, duration: 100 }
      return
    }
    case 'place':
      return entity.position.set(0.5 + deed.to[0], GROUND_Y + 1 + deed.to[1], 0.5 + deed.to[2])
    case 'turn':
      entity.yaw = deed.yaw
  }
}

/** @param {any} bot */
const stateOf = ({ entity, jumpTicks, jumpQueued, fireworkRocketDuration }) => ({
  ...{ ...entity, effects: { ...entity.effects } },
  ...{ jumpTicks, jumpQueued, fireworkRocketDuration },
  ...{ position: { ...entity.position }, velocity: { ...entity.velocity } }
})

const SCRIPT = fc.array(fc.tuple(DEED, fc.integer({ min: 1, max: 25 })), { maxLength: 12 })

test('skipping physics gives the same result as physics in each tick, whatever happens', () => {
  fc.assert(
    fc.property(SCRIPT, (script) => {
      const [resting, upstream] = [makeBot(), makeBot()]
      restWhereNothingActs(resting)
      for (const [deed, ticks] of script) {
        for (const bot of [resting, upstream]) carryOut(bot, deed)
        for (let count = 0; count < ticks; count++) {
          for (const bot of [resting, upstream]) bot.tick()
          assert.deepEqual(stateOf(resting), stateOf(upstream))
        }
      }
    }),
    { numRuns: 40 }
  )
})

test('a standing bot skips physics until something acts on it', () => {
  const bot = makeBot()
  restWhereNothingActs(bot)
  const simulated = (/** @type {number} */ ticks) => {
    const before = bot.simulated
    for (let count = 0; count < ticks; count++) bot.tick()
    return bot.simulated - before
  }
  simulated(10)
  assert.equal(simulated(1000), 0)
  const { position } = bot.entity
  bot.tick()
  // a new object each tick, like upstream's: holders of the old one keep its value
  assert.notEqual(bot.entity.position, position)
  bot.set(new Vec3(30, 64, 0), 'stone')
  assert.equal(simulated(10), 0)
  bot.set(new Vec3(0, 63, 0), 'air')
  simulated(40)
  assert.ok(bot.entity.position.y < GROUND_Y)
  assert.equal(simulated(10), 0)
  bot.control.forward = true
  assert.equal(simulated(10), 10)
})
