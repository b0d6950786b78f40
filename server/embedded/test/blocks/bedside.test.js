/** Respawn positions beside a bed, in vanilla's order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Column, registry, Vec3, World } from '../../minecraft/index.js'
import { respawnPlaceBeside } from '../../blocks/bedside.js'
import { stateOf } from '../../blocks/blocks.js'

/** @import { Server } from '../../types/index.d.ts' */

const HEAD = [8, 64, 8]

/**
 * Return the respawn position beside a bed on stone whose head points north, in an empty column.
 * @param {Record<string, string>} blocks name by offset from its head, such as '1 0 0'
 * @param {number} yaw
 */
function beside(blocks, yaw = 0) {
  const column = new Column()
  /** @param {number[]} place @param {number} state */
  const set = ([x, y, z], state) =>
    column.setBlockStateId({ x: HEAD[0] + x, y: HEAD[1] + y, z: HEAD[2] + z }, state)
  const { red_bed: bed } = registry.blocksByName
  for (let x = -4; x <= 4; x++)
    for (let z = -4; z <= 4; z++) set([x, -1, z], registry.blocksByName.stone.defaultState)
  set([0, 0, 0], stateOf(bed, { part: 'head', facing: 'north' }))
  set([0, 0, 1], stateOf(bed, { part: 'foot', facing: 'north' }))
  for (const [place, name] of Object.entries(blocks))
    set(place.split(' ').map(Number), registry.blocksByName[name].defaultState)
  const world = new World(() => column, null)
  world.setLoadedColumn(0, 0, column, false)
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ ({ overworld: world, loadBox: () => {} })
  )
  const place = respawnPlaceBeside(serv, new Vec3(HEAD[0], HEAD[1], HEAD[2]), yaw)
  return place?.minus(new Vec3(HEAD[0] + 0.5, HEAD[1], HEAD[2] + 0.5)).toArray() ?? null
}

/** Surround the bed with blocks up to two high. @param {string} name */
function wall(name) {
  /** @type {Record<string, string>} */
  const blocks = {}
  for (let x = -1; x <= 1; x++) {
    for (let z = -1; z <= 2; z++) {
      if (x === 0 && (z === 0 || z === 1)) continue
      for (let y = 0; y <= 1; y++) blocks[`${x} ${y} ${z}`] = name
    }
  }
  return blocks
}

test('players respawn beside the bed, on the side away from their gaze', () => {
  assert.deepEqual(beside({}), [1, 0, 0])
  assert.deepEqual(beside({}, -90), [-1, 0, 0]) // looked east
  assert.deepEqual(beside({ '1 0 0': 'stone' }), [1, 0, 1])
  assert.deepEqual(beside({ '1 0 0': 'stone_slab' }), [1, 0.5, 0])
  assert.deepEqual(beside({ '1 1 0': 'stone', '1 0 1': 'cactus' }), [1, 0, 2])
})

test('a safe position is preferred, then the bed itself; otherwise there is none', () => {
  assert.deepEqual(beside({ '1 -1 0': 'magma_block' }), [1, 0, 1])
  assert.deepEqual(beside(wall('stone')), [0, 0.5625, 0])
  assert.equal(beside({ ...wall('stone'), '0 1 0': 'stone', '0 1 1': 'stone' }), null)
  assert.equal(beside({ '0 0 0': 'air' }), null)
})
