/** The Nether next to the overworld: packets to clients, and portals. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { MINECRAFT_VERSION, registry, Vec3 } from '../../minecraft/index.js'
import { key, stateOf } from '../../blocks/blocks.js'
import {
  across,
  dimensionAt,
  isInDimension,
  NETHER,
  NETHER_X,
  OVERWORLD,
  PLACES,
  sentFrom,
  shown
} from '../../world/dimensions.js'
import * as playerdata from '../../players/playerdata.js'
import * as portals from '../../world/portals.js'
import { netherColumn } from '../../world/terrain/nether.js'

/** @import { Player, Position, Server } from '../../types/index.d.ts' */

const minecraftData = createRequire(import.meta.url)('minecraft-data')
/** Fields of packets to clients that contain positions. */
const FIELDS = ['location', 'x', 'chunkX', 'chunkCoordinates']
/** Packets whose x is not a world coordinate, or which this server does not send. */
const OTHERS = ['world_border_center', 'initialize_world_border', 'map']

test('every packet with a position uses its dimension’s coordinates', () => {
  const { types: packets } = minecraftData(MINECRAFT_VERSION).protocol.play.toClient
  const named = Object.entries(/** @type {Record<string, any>} */ (packets)).flatMap(
    ([type, definition]) => {
      const name = type.replace(/^packet_/, '')
      if (name === type || name === 'packet' || OTHERS.includes(name)) return []
      const fields = (definition[1] ?? []).map((/** @type {{name?: string}} */ field) => field.name)
      return FIELDS.some((field) => fields.includes(field)) ? [name] : []
    }
  )
  assert.ok(named.length > 15)
  assert.deepEqual(
    named.filter((name) => !(name in PLACES)),
    []
  )
  for (const [name, [field, unit]] of Object.entries(PLACES)) {
    const far = NETHER_X / unit + 5
    const isPlace = field === 'location' || field === 'chunkCoordinates'
    const wrap = (/** @type {number} */ x) => ({ [field]: isPlace ? { x, y: 1, z: 2 } : x })
    assert.deepEqual(sentFrom(name, wrap(far)), wrap(5), name)
    assert.deepEqual(sentFrom(name, wrap(-5)), wrap(-5), name)
  }
})

test('distances are eight times shorter in the Nether, and only there', () => {
  const there = across(new Vec3(80, 64, -40), NETHER)
  assert.deepEqual([dimensionAt(there), shown(there)], [NETHER, new Vec3(10, 64, -5)])
  assert.deepEqual(across(there, OVERWORLD), new Vec3(80, 64, -40))
  assert.ok(isInDimension(there, across(new Vec3(-9e6, 0, 0), NETHER)))
  assert.ok(!isInDimension(new Vec3(9e6, 0, 0), new Vec3(0, 0, 0)))
})

test('the Nether has a floor, a roof and room in between', () => {
  const name = (/** @type {Position} */ at) =>
    registry.blocksByStateId[netherColumn(7, 3, -2).getBlockStateId(at)].name
  assert.equal(name({ x: 3, y: 0, z: 3 }), 'bedrock')
  assert.equal(name({ x: 3, y: 127, z: 3 }), 'bedrock')
  assert.equal(name({ x: 3, y: 20, z: 3 }), 'netherrack')
  assert.equal(name({ x: 3, y: 62, z: 3 }), 'air')
  assert.equal(name({ x: 3, y: 128, z: 3 }), 'air')
})

/** Create stone below y = 0 in both dimensions, with portals. */
function land() {
  /** @type {Map<string, number>} */
  const changed = new Map()
  const stone = registry.blocksByName.stone.defaultState
  const stateAt = (/** @type {Position} */ at) => changed.get(key(at)) ?? (at.y < 0 ? stone : 0)
  const serv = /** @type {Server} */ (
    /** @type {unknown} */ (
      Object.assign(new EventEmitter(), {
        players: [],
        overworld: {
          getLoadedColumn: (/** @type {number} */ cx, /** @type {number} */ cz) => ({
            getBlockStateId: (/** @type {Position} */ { x, y, z }) =>
              stateAt({ x: cx * 16 + x, y, z: cz * 16 + z })
          })
        },
        loadBox: () => {},
        openHeightAt: () => 0,
        setBlock: (/** @type {Vec3} */ at, /** @type {number} */ state) => {
          const before = stateAt(at)
          changed.set(key(at), state)
          serv.emit('blockChanged', at, before, state)
          return true
        }
      })
    )
  )
  portals.server(serv)
  const name = (/** @type {Position} */ at) => registry.blocksByStateId[stateAt(at)].name
  const put = (/** @type {Vec3} */ at, /** @type {string} */ block) =>
    serv.setBlock(at, registry.blocksByName[block].defaultState)
  return { serv, name, put }
}

test('fire in an obsidian frame lights a portal, which disappears when the frame breaks', () => {
  const { serv, name, put } = land()
  for (let z = -1; z <= 2; z++) {
    for (let y = -1; y <= 3; y++) {
      const isCorner = (z < 0 || z > 1) && (y < 0 || y > 2)
      const isInside = z >= 0 && z <= 1 && y >= 0 && y <= 2
      if (!isCorner && !isInside) put(new Vec3(5, y, z), 'obsidian')
    }
  }
  put(new Vec3(5, 0, 1), 'fire')
  serv.emit('tick', 0.05, 1)
  const cells = [0, 1].flatMap((z) => [0, 1, 2].map((y) => new Vec3(5, y, z)))
  assert.deepEqual([...new Set(cells.map(name))], ['nether_portal'])
  put(new Vec3(4, 0, 0), 'dirt') // next to it
  assert.equal(name(cells[0]), 'nether_portal')
  put(new Vec3(5, 3, 0), 'air')
  assert.deepEqual([...new Set(cells.map(name))], ['air'])
})

/** Create a player who joins. @param {Server} serv @param {Vec3} position */
function inPortals(serv, position) {
  const player = /** @type {Player} */ (
    /** @type {unknown} */ ({
      uuid: 'Ana',
      spawned: true,
      position,
      inventory: { slots: [] },
      enderChest: { slots: [] },
      looseItems: () => [],
      tags: new Set(),
      activeEffects: new Map(),
      takeEffects: () => {},
      shutWindow: () => {},
      teleport: (/** @type {Vec3} */ to) => void (player.position = to)
    })
  )
  portals.player(player)
  serv.players.push(player)
  return player
}

/** @param {Server} serv @param {number} ticks */
function live(serv, ticks) {
  for (let tick = 0; tick < ticks; tick++) serv.emit('tick', 0.05, tick)
}

test('a player in a portal arrives at another portal, and returns through the next one', () => {
  const { serv, name } = land()
  serv.setBlock(new Vec3(80, 0, 8), stateOf(registry.blocksByName.nether_portal, { axis: 'x' }))
  const player = inPortals(serv, new Vec3(80.5, 0, 8.5))
  live(serv, 79)
  assert.equal(dimensionAt(player.position), OVERWORLD)
  live(serv, 1)
  assert.equal(dimensionAt(player.position), NETHER)
  assert.equal(name(player.position.floored()), 'nether_portal')
  assert.ok(Math.abs(shown(player.position).x - 10) < 3)
  live(serv, 200)
  assert.equal(dimensionAt(player.position), NETHER, 'it has not left the portal')
  const inPortal = player.position
  player.position = inPortal.offset(0, 0, 3)
  live(serv, 10)
  player.position = inPortal
  live(serv, 80)
  assert.deepEqual(player.position, new Vec3(80.5, 0, 8.5))
})

test('a player who leaves the game in a portal rejoins there, and can use the next one', () => {
  const { serv } = land()
  playerdata.server(serv)
  serv.setBlock(new Vec3(80, 0, 8), stateOf(registry.blocksByName.nether_portal, { axis: 'x' }))
  const before = inPortals(serv, new Vec3(80.5, 0, 8.5))
  live(serv, 80)
  serv.savePlayer(before)
  serv.players.pop()
  const player = inPortals(serv, new Vec3(0, 0, 0))
  serv.restorePlayer(player)
  const there = player.position.clone()
  assert.equal(dimensionAt(there), NETHER)
  live(serv, 200)
  assert.deepEqual(player.position, there)
  player.position = there.offset(0, 0, 3)
  live(serv, 10)
  player.position = there
  live(serv, 80)
  assert.equal(dimensionAt(player.position), OVERWORLD)
})
