/** Water at rest is at its shortest-path distance from the source, computed independently. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import { Column, registry, Vec3, World } from '../../minecraft/index.js'
import { blockAt, stateAt } from '../../blocks/blocks.js'
import * as fluids from '../../nature/fluids.js'

/** @import { Server } from '../../types/index.d.ts' */

const FLOOR = 0
const SIDE = 16
const FARTHEST = 7
const WATER = registry.blocksByName.water.minStateId
const STONE = registry.blocksByName.stone.defaultState
const MOST_TICKS = 1000

/**
 * Create a flat column with walls and only fluids among its rules.
 * @param {[number, number][]} walls
 */
function built(walls) {
  const world = new World(() => new Column(), null)
  const column = new Column()
  world.setLoadedColumn(0, 0, column, false)
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        overworld: world,
        tickCount: 0,
        gamerules: { waterSourceConversion: true },
        dropItem: () => {},
        playSound: () => {}
      })
    )
  )
  serv.setBlock = ({ x, y, z }, state) => {
    const before = column.getBlockStateId({ x, y, z })
    column.setBlockStateId({ x, y, z }, state)
    serv.emit('blockChanged', new Vec3(x, y, z), before, state)
    return before !== state
  }
  for (let x = 0; x < SIDE; x++) {
    for (let z = 0; z < SIDE; z++) {
      column.setBlockStateId({ x, y: FLOOR - 1, z }, STONE)
      const isRim = x === 0 || z === 0 || x === SIDE - 1 || z === SIDE - 1
      if (isRim) column.setBlockStateId({ x, y: FLOOR, z }, STONE)
    }
  }
  for (const [x, z] of walls) column.setBlockStateId({ x, y: FLOOR, z }, STONE)
  fluids.server(serv)
  const rest = () => {
    for (let tick = 0; tick < MOST_TICKS; tick++) {
      serv.tickCount += 1
      serv.emit('tick', 0.05, serv.tickCount)
    }
  }
  return { serv, rest }
}

/**
 * Return the number of steps from a source to each cell, over open floor.
 * @param {Server} serv @param {Vec3} source
 */
function stepsFrom(serv, source) {
  const steps = new Map([[String(source), 0]])
  for (const queue = [source]; queue.length;) {
    const at = /** @type {Vec3} */ (queue.shift())
    const next = (steps.get(String(at)) ?? 0) + 1
    for (const [x, z] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1]
    ]) {
      const beside = at.offset(x, 0, z)
      if (steps.has(String(beside)) || blockAt(serv, beside).name === 'stone') continue
      steps.set(String(beside), next)
      queue.push(beside)
    }
  }
  return steps
}

/** Return the water level of each floor cell, or null. @param {Server} serv */
function levels(serv) {
  return Array.from({ length: SIDE * SIDE }, (_, at) => {
    const state = stateAt(serv.overworld, new Vec3(at % SIDE, FLOOR, Math.floor(at / SIDE)))
    return registry.blocksByStateId[state].name === 'water' ? state - WATER : null
  })
}

const inside = fc.integer({ min: 1, max: SIDE - 2 })

test('the level of still water is its distance from the source, and water without a source dries up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(inside, inside), { maxLength: 60 }),
      fc.tuple(inside, inside),
      (walls, [x, z]) => {
        const { serv, rest } = built(walls)
        const source = new Vec3(x, FLOOR, z)
        serv.setBlock(source, WATER)
        rest()
        const steps = stepsFrom(serv, source)
        const expected = levels(serv).map((_, at) => {
          const place = new Vec3(at % SIDE, FLOOR, Math.floor(at / SIDE))
          const way = steps.get(String(place)) ?? Infinity
          return way <= FARTHEST ? way : null
        })
        assert.deepEqual(levels(serv), expected)
        serv.setBlock(source, 0)
        rest()
        assert.ok(levels(serv).every((level) => level === null))
      }
    ),
    { numRuns: 20, seed: 19 }
  )
})
