/** Fire: where it lasts, what it burns and how often, compared with vanilla's chances. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Column, registry, Vec3, World } from '../../minecraft/index.js'
import { propertiesOf, stateAt, stateLike } from '../../blocks/blocks.js'
import * as fire from '../../nature/fire.js'

/** @import { Server } from '../../types/index.d.ts' */

const MIDDLE = new Vec3(8, 100, 8)
const [BELOW, EAST] = [MIDDLE.offset(0, -1, 0), MIDDLE.offset(1, 0, 0)]
const NORMAL = 2

/**
 * Create a server with a player and one column of air with some blocks.
 * @param {[Vec3, string][]} blocks @param {number} [seed]
 */
function world(blocks, seed = 1) {
  const column = new Column()
  const land = new World(() => new Column(), null)
  for (let x = -1; x <= 1; x++) {
    for (let z = -1; z <= 1; z++) land.setLoadedColumn(x, z, x || z ? new Column() : column, false)
  }
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const parts = {
    overworld: land,
    tickCount: 0,
    difficulty: NORMAL,
    players: [{ position: MIDDLE }],
    gamerules: { doFireTick: true },
    ignited: 0,
    randomSequence: () => random,
    onUseItem: () => {},
    ignite: () => (serv.ignited += 1),
    setBlock: (/** @type {Vec3} */ position, /** @type {number} */ to) => {
      const before = stateAt(land, position)
      land
        .getLoadedColumn(position.x >> 4, position.z >> 4)
        ?.setBlockStateId({ x: position.x & 15, y: position.y, z: position.z & 15 }, to)
      serv.emit('blockChanged', position, before, to)
    },
    changeBlock: (/** @type {Vec3} */ position, /** @type {Record<string, string>} */ wanted) => {
      const now = stateAt(land, position)
      const kind = registry.blocksByStateId[now]
      serv.setBlock(position, stateLike(kind, { ...propertiesOf(now), ...wanted }))
    }
  }
  const serv = /** @type {Server & {ignited: number}} */ (
    /** @type {unknown} */ (Object.assign(new EventEmitter(), parts))
  )
  fire.server(serv)
  for (const [position, name] of blocks) put(serv, position, name)
  return serv
}

/** @param {Server} serv @param {Vec3} position @param {string} name */
const put = (serv, position, name) =>
  serv.setBlock(position, registry.blocksByName[name].defaultState)

/** @param {Server} serv @param {Vec3} position */
const nameAt = (serv, position) => registry.blocksByStateId[stateAt(serv.overworld, position)].name

/** @param {Server} serv @param {number} ticks */
function run(serv, ticks) {
  for (let tick = 0; tick < ticks; tick++) {
    serv.tickCount += 1
    serv.emit('tick', 0.05, serv.tickCount)
  }
}

test('fire on stone goes out; fire on netherrack does not', () => {
  const stone = world([[BELOW, 'stone']])
  assert.equal(stone.lightFire(MIDDLE), true)
  run(stone, 100)
  assert.equal(nameAt(stone, MIDDLE), 'fire') // four steps of age take three turns each
  run(stone, 4000)
  assert.equal(nameAt(stone, MIDDLE), 'air')
  const nether = world([[BELOW, 'netherrack']])
  nether.lightFire(MIDDLE)
  run(nether, 20_000)
  assert.equal(nameAt(nether, MIDDLE), 'fire')
  assert.equal(propertiesOf(stateAt(nether.overworld, MIDDLE)).age, '15')
})

test('fire needs a floor or a flammable neighbour, and goes out when it has neither', () => {
  assert.equal(world([]).lightFire(MIDDLE), false)
  assert.equal(world([[BELOW, 'oak_fence']]).lightFire(MIDDLE), true)
  const serv = world([[EAST, 'oak_log']])
  serv.lightFire(MIDDLE)
  const { east, north } = propertiesOf(stateAt(serv.overworld, MIDDLE))
  assert.deepEqual([east, north], ['true', 'false'])
  put(serv, EAST, 'air')
  run(serv, 1)
  assert.equal(nameAt(serv, MIDDLE), 'air')
  const soul = world([[BELOW, 'soul_sand']])
  soul.lightFire(MIDDLE)
  assert.equal(nameAt(soul, MIDDLE), 'soul_fire')
})

test('a heap of wool burns down, unless the game rule is off or all players are far away', () => {
  /** @type {[Vec3, string][]} */
  const heap = []
  for (let at = 0; at < 27; at++) {
    heap.push([MIDDLE.offset(at % 3, Math.floor(at / 9), Math.floor(at / 3) % 3), 'white_wool'])
  }
  const top = MIDDLE.offset(1, 3, 1)
  const left = (/** @type {Server} */ serv) =>
    heap.filter(([position]) => nameAt(serv, position) === 'white_wool').length
  const burning = world(heap)
  burning.lightFire(top)
  run(burning, 20_000)
  assert.equal(left(burning), 0)
  run(burning, 8000)
  assert.equal(nameAt(burning, top), 'air')
  const off = world(heap)
  off.gamerules.doFireTick = false
  off.lightFire(top)
  run(off, 20_000)
  assert.equal(left(off), 27)
  assert.equal(nameAt(off, top), 'fire')
  const away = world(heap)
  away.players[0].position = new Vec3(500, 100, 8)
  away.lightFire(top)
  run(away, 20_000)
  assert.equal(left(away), 27)
})

test('stone around a fire protects what is behind it', () => {
  const serv = world([[BELOW, 'netherrack']])
  for (let x = 5; x <= 11; x++) {
    for (let z = 5; z <= 11; z++) {
      put(serv, new Vec3(x, 106, z), 'stone')
      for (let y = 100; y < 106; y++) {
        const isWall = Math.max(Math.abs(x - 8), Math.abs(z - 8)) === 2
        if (isWall) put(serv, new Vec3(x, y, z), 'stone')
        else if (Math.max(Math.abs(x - 8), Math.abs(z - 8)) === 3) {
          put(serv, new Vec3(x, y, z), 'oak_planks')
        }
      }
    }
  }
  serv.lightFire(MIDDLE)
  run(serv, 20_000)
  for (let y = 100; y < 106; y++) {
    assert.equal(nameAt(serv, new Vec3(5, y, 8)), 'oak_planks')
  }
})

test('burning TNT is ignited', () => {
  const serv = world([
    [BELOW, 'netherrack'],
    [EAST, 'tnt']
  ])
  serv.lightFire(MIDDLE)
  run(serv, 3000)
  assert.equal(serv.ignited, 1)
  assert.notEqual(nameAt(serv, EAST), 'tnt')
})

test('the chances of burning and spreading match vanilla’s', () => {
  const turns = 4000
  const above = MIDDLE.offset(0, 2, 0)
  let [eaten, caught] = [0, 0]
  const serv = world([[BELOW, 'netherrack']], 7)
  const fires = new fire.Fires(serv)
  for (let turn = 0; turn < turns; turn++) {
    put(serv, EAST, 'oak_planks')
    put(serv, above, 'oak_planks')
    put(serv, MIDDLE, 'fire')
    fires.burn(MIDDLE)
    eaten += Number(nameAt(serv, EAST) !== 'oak_planks')
    const place = above.offset(0, 1, 0)
    caught += Number(nameAt(serv, place) === 'fire')
    for (let dx = -1; dx <= 1; dx++) {
      for (let dz = -1; dz <= 1; dz++) {
        for (let dy = 0; dy <= 4; dy++) put(serv, MIDDLE.offset(dx, dy, dz), 'air')
      }
    }
  }
  // Planks: 20 of 300 sideways. Three above a fire of age 0: 300 draws, of which (5 + 40 + 14) / 30
  // = 1 and 0 succeed.
  for (const [count, share] of [
    [eaten, 20 / 300],
    [caught, 2 / 300]
  ]) {
    const spread = Math.sqrt(turns * share * (1 - share))
    assert.ok(Math.abs(count - turns * share) < 4.5 * spread, `${count} of ${turns * share}`)
  }
})
