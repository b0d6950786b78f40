/**
 * Movement: the server accepts everything that Mineflayer's physics does, among any blocks, and
 * detects passing through blocks and floating in the air.
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { Block, registry, Vec3 } from '../../minecraft/index.js'
import { stateOf } from '../../blocks/blocks.js'
import { isWay, shapesOf } from '../../entities/collisions.js'
import { Floating, isSupported, MOST } from '../../players/floating.js'
import { isShort, LONGEST_STEP } from '../../players/movement.js'

const require = createRequire(import.meta.url)
const { Physics, PlayerState } = require('prismarine-physics')
const data = require('minecraft-data')('1.20.4')

const FLOOR = 63
const WIDE = 6
const AIR = 0
/** Obstacles: full and partial blocks, low and high ones, soft and bouncing ones. */
const KINDS = [
  ...['stone', 'oak_slab', 'oak_stairs', 'glass_pane', 'oak_fence', 'cobblestone_wall', 'oak_door'],
  ...['ladder', 'water', 'slime_block', 'soul_sand', 'ice', 'cobweb', 'white_carpet', 'snow'],
  ...['chest', 'anvil', 'oak_trapdoor', 'oak_fence_gate', 'dirt_path', 'red_bed', 'lantern', 'vine']
]
const state = (/** @type {string} */ name, properties = {}) =>
  stateOf(registry.blocksByName[name], properties)

/** @param {Map<string, number>} blocks by place */
const statesOf =
  (blocks) => (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
    if (y < FLOOR) return state('stone')
    return blocks.get(`${x},${y},${z}`) ?? AIR
  }

/**
 * Create a body that walks like Mineflayer's bots.
 * @param {(x: number, y: number, z: number) => number} stateAt @param {Vec3} position
 */
function walker(stateAt, position) {
  const world = {
    getBlock: (/** @type {Vec3} */ at) => {
      const block = Block.fromStateId(
        stateAt(Math.floor(at.x), Math.floor(at.y), Math.floor(at.z)),
        0
      )
      return Object.assign(block, { position: at.floored() })
    }
  }
  const bot = {
    version: '1.20.4',
    entity: {
      position,
      velocity: new Vec3(0, 0, 0),
      attributes: {},
      effects: {},
      onGround: false,
      isInWater: false,
      isInLava: false,
      isInWeb: false,
      isCollidedHorizontally: false,
      isCollidedVertically: false,
      elytraFlying: false,
      yaw: 0,
      pitch: 0
    },
    inventory: { slots: [] },
    jumpTicks: 0,
    jumpQueued: false,
    fireworkRocketDuration: 0,
    getEquipmentDestSlot: () => 0
  }
  const physics = Physics(data, world)
  return {
    entity: bot.entity,
    /** @param {Record<string, boolean>} control */
    tick(control) {
      physics.simulatePlayer(new PlayerState(bot, control), world).apply(bot)
    }
  }
}

/**
 * Return true if rounding in physics has let a body into a block.
 * @param {(x: number, y: number, z: number) => number} stateAt @param {Vec3} feet
 */
function isInside(stateAt, { x, y, z }) {
  for (let cx = Math.floor(x - 0.3); cx <= x + 0.3; cx++) {
    for (let cy = Math.floor(y) - 1; cy <= y + 1.8; cy++) {
      for (let cz = Math.floor(z - 0.3); cz <= z + 0.3; cz++) {
        const isMet = shapesOf(stateAt(cx, cy, cz)).some(
          ([a, b, c, d, e, f]) =>
            x + 0.299 > cx + a &&
            x - 0.299 < cx + d &&
            y + 1.799 > cy + b &&
            y + 0.001 < cy + e &&
            z + 0.299 > cz + c &&
            z - 0.299 < cz + f
        )
        if (isMet) return true
      }
    }
  }
  return false
}

const STILL = Object.fromEntries(
  ['forward', 'back', 'left', 'right', 'jump', 'sprint', 'sneak'].map((key) => [key, false])
)
const place = fc.tuple(
  fc.integer({ min: -WIDE, max: WIDE }),
  fc.integer({ min: FLOOR, max: FLOOR + 3 }),
  fc.integer({ min: -WIDE, max: WIDE })
)
const block = fc.constantFrom(...KINDS).chain((name) => {
  const { minStateId, maxStateId } = registry.blocksByName[name]
  return fc.integer({ min: minStateId, max: maxStateId })
})
const control = fc.record({
  forward: fc.boolean(),
  back: fc.constant(false),
  left: fc.boolean(),
  right: fc.boolean(),
  jump: fc.boolean(),
  sprint: fc.boolean(),
  sneak: fc.boolean(),
  yaw: fc.double({ min: -3.1, max: 3.1, noNaN: true }),
  knocked: fc.boolean()
})

/**
 * Create a server with these blocks.
 * @param {(x: number, y: number, z: number) => number} stateAt
 */
function serverWith(stateAt) {
  const overworld = {
    getLoadedColumn: (/** @type {number} */ cx, /** @type {number} */ cz) => ({
      getBlockStateId: (/** @type {Vec3} */ { x, y, z }) => stateAt(cx * 16 + x, y, cz * 16 + z)
    })
  }
  return /** @type {any} */ ({ overworld })
}

test('movements that physics allows are never refused, among blocks of any shape', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(place, block), { minLength: 20, maxLength: 150 }),
      fc.array(control, { minLength: 8, maxLength: 8 }),
      (blocks, controls) => {
        const stateAt = statesOf(new Map(blocks.map(([at, id]) => [at.join(), id])))
        const { entity, tick } = walker(stateAt, new Vec3(0.5, FLOOR + 6, 0.5))
        const serv = serverWith(stateAt)
        const floating = new Floating()
        for (const { yaw, knocked, ...keys } of controls) {
          entity.yaw = yaw
          if (knocked) entity.velocity = new Vec3(0.4 * Math.sin(yaw), 0.36, 0.4 * Math.cos(yaw))
          for (let ticks = 0; ticks < 12; ticks++) {
            const before = entity.position.clone()
            tick(keys)
            if (isInside(stateAt, entity.position)) return
            const told = `${before} to ${entity.position}`
            assert.ok(isWay(stateAt, before, entity.position), told)
            assert.ok(isShort(entity.position.minus(before), LONGEST_STEP.onFoot), told)
            if (isSupported(serv, entity.position)) floating.land()
            else floating.step(entity.position.y - before.y)
            assert.ok(floating.steps < MOST.steps / 2, told)
          }
        }
      }
    ),
    { seed: 16, numRuns: 40 }
  )
})

test('a bounce from a great height does not count as floating', () => {
  const stateAt = (/** @type {number} */ _x, /** @type {number} */ y) =>
    y < FLOOR ? state('slime_block') : AIR
  const { entity, tick } = walker(stateAt, new Vec3(0.5, 319, 0.5))
  const serv = serverWith(stateAt)
  const floating = new Floating()
  let most = 0
  for (let ticks = 0; ticks < 2000; ticks++) {
    const before = entity.position.clone()
    tick(STILL)
    assert.ok(isShort(entity.position.minus(before), LONGEST_STEP.onFoot))
    if (isSupported(serv, entity.position)) floating.land()
    else floating.step(entity.position.y - before.y)
    most = Math.max(most, floating.steps)
  }
  assert.ok(most > 20 && !floating.isTooLong && most <= MOST.steps, `${most} steps`)
})

for (const [name, properties] of /** @type {[string, Record<string, string>][]} */ ([
  ['stone', {}],
  ['glass_pane', { north: 'true', south: 'true' }],
  ['iron_bars', { north: 'true', south: 'true' }],
  ['oak_fence', { north: 'true', south: 'true' }],
  ['cobblestone_wall', { north: 'low', south: 'low', up: 'true' }],
  ['oak_door', { facing: 'west', open: 'false' }],
  ['oak_fence_gate', { facing: 'east', open: 'false' }]
])) {
  test(`impassable: ${name}`, () => {
    const stateAt = (/** @type {number} */ x, /** @type {number} */ y) =>
      y < FLOOR ? state('stone') : x === 2 && y < FLOOR + 2 ? state(name, properties) : AIR
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1.9, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (steps, sink) => {
          let at = new Vec3(0.5, FLOOR, 0.5)
          for (const step of steps) {
            const to = at.offset(step, step > 1 ? sink / 10 : 0, step / 7)
            if (isWay(stateAt, at, to)) at = to
          }
          assert.ok(at.x < 3, `${at}`)
        }
      ),
      { seed: 16 }
    )
  })
}

test('players can pass through openings', () => {
  for (const [name, properties] of /** @type {[string, Record<string, string>][]} */ ([
    ['oak_door', { facing: 'west', open: 'true' }],
    ['oak_fence_gate', { facing: 'east', open: 'true' }]
  ])) {
    const stateAt = (/** @type {number} */ x) => (x === 2 ? state(name, properties) : AIR)
    assert.ok(isWay(stateAt, new Vec3(1.5, FLOOR, 0.5), new Vec3(3.4, FLOOR, 0.5)), name)
  }
})

test('a player in the air counts as floating, even with occasional falling or without any steps', () => {
  const patterns = [() => 0, () => 0.3, (/** @type {number} */ n) => (n % 3 ? 0.02 : -0.05)]
  for (const rise of patterns) {
    const floating = new Floating()
    for (let n = 0; n < 200 && !floating.isTooLong; n++) floating.step(rise(n))
    assert.ok(floating.isTooLong)
  }
  const silent = new Floating()
  for (let n = 0; n < 100; n++) silent.answer()
  assert.ok(!silent.isTooLong, 'a player who has not moved since a teleport may wait for its land')
  silent.step(0.3)
  for (let n = 0; n <= MOST.answers; n++) silent.answer()
  assert.ok(silent.isTooLong)
})
