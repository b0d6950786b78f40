/** Cost of a crowd: players who stand still cause neither packets nor checks. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import { Vec3 } from '../../minecraft/index.js'
import { server as addConnections } from '../../network/connections.js'
import { server as addEntities } from '../../entities/entities.js'
import { Patience } from '../../network/keep-alive.js'
import { server as addSight } from '../../entities/sight.js'

const LOOK_TICKS = 10

/** Create a minimal server for sight and entities; `sent` has names of packets, by player. */
function makeServer() {
  /** @type {any} */
  const serv = Object.assign(new EventEmitter(), {
    tickCount: 0,
    players: [],
    entities: {},
    encoded: 0,
    send(/** @type {any[]} */ players, /** @type {string} */ name, /** @type {any} */ fields) {
      serv.encoded += 1
      for (const player of players) player.sent.push([name, fields.entityId])
    }
  })
  addEntities(serv, /** @type {any} */ ({}))
  addSight(serv)
  return serv
}

/**
 * @param {any} serv @param {number} id @param {Vec3} position
 * @returns {any} a player who has joined
 */
function join(serv, id, position) {
  const player = {
    ...{ id, uuid: `${id}`, name: 'player', type: 'player', kind: { id: 1 }, position },
    sent: /** @type {any[]} */ ([]),
    ...{ velocity: new Vec3(0, 0, 0), yaw: 0, pitch: 0, onGround: true, spawned: true },
    ...{ movedTick: 0, turnedTick: 0, seen: new Map(), watchers: new Set(), passengers: [] },
    vehicle: null,
    _client: {
      write: (/** @type {string} */ name, /** @type {any} */ fields) =>
        player.sent.push([name, ...(fields.entityIds ?? [])])
    }
  }
  serv.players.push(player)
  serv.enterEntity(player)
  serv.lookAround(player)
  return player
}

/** @param {any} serv */
function tick(serv) {
  serv.tickCount += 1
  serv.emit('tick')
}

test('a client that reports the same position again has not moved', () => {
  const serv = makeServer()
  const player = join(serv, 1, new Vec3(1, 2, 3))
  serv.tickCount = 7
  serv.moveEntity(player, new Vec3(1, 2, 3), true)
  assert.equal(player.movedTick, 0)
  serv.moveEntity(player, new Vec3(1, 2, 3), false)
  assert.equal(player.movedTick, 7)
  serv.tickCount = 8
  serv.moveEntity(player, new Vec3(1, 2, 3.25))
  assert.deepEqual([player.movedTick, player.position.z, player.onGround], [8, 3.25, false])
})

test('a new player is serialised once for all players who see it', () => {
  const serv = makeServer()
  const others = [1, 2, 3].map((id) => join(serv, id, new Vec3(id, 0, 0)))
  const far = join(serv, 4, new Vec3(500, 0, 0))
  serv.encoded = 0
  const late = join(serv, 5, new Vec3(5, 0, 0))
  for (const other of others) assert.deepEqual(other.sent.at(-1), ['spawn_entity', 5])
  assert.ok(!far.seen.has(late))
  // one packet about the new player for all, and one about each other player for the new one
  assert.equal(serv.encoded, 1 + others.length)
})

const WALK = fc.record({
  who: fc.nat(5),
  to: fc.tuple(fc.integer({ min: -150, max: 150 }), fc.integer({ min: -150, max: 150 })),
  ticks: fc.integer({ min: 1, max: 12 })
})

test('players see the same entities as if all pairs were checked', () => {
  fc.assert(
    fc.property(fc.array(WALK, { maxLength: 40 }), (walks) => {
      const serv = makeServer()
      const players = [0, 1, 2, 3, 4, 5].map((id) => join(serv, id, new Vec3(30 * id, 0, 0)))
      /** Entities in sight by the rule alone. @type {Map<any, Set<any>>} */
      const expected = new Map(players.map((player) => [player, new Set(player.seen.keys())]))
      for (const { who, to, ticks } of walks) {
        serv.moveEntity(players[who], new Vec3(to[0], 0, to[1]))
        for (let count = 0; count < ticks; count++) {
          tick(serv)
          if (serv.tickCount % LOOK_TICKS === 0) for (const player of players) lookBy(player)
        }
        for (const player of players) {
          assert.deepEqual(new Set(player.seen.keys()), expected.get(player))
          for (const seen of player.seen.keys()) assert.ok(seen.watchers.has(player))
        }
      }

      function lookBy(/** @type {any} */ player) {
        const sees = /** @type {Set<any>} */ (expected.get(player))
        for (const other of players) {
          const away = player.position.distanceTo(other.position)
          if (other !== player && away <= 80) sees.add(other)
          if (away > 88) sees.delete(other)
        }
      }
    })
  )
})

test('a client may leave a few keep-alives unanswered, and an answer resets the count', () => {
  const patience = new Patience(3)
  const asked = () => [1, 2, 3].map(() => patience.ends())
  assert.deepEqual(asked(), [false, false, false])
  patience.renew()
  assert.deepEqual(asked(), [false, false, false])
  assert.equal(patience.ends(), true)
})

test('an address may open a hundred more connections than the maximum number of players', () => {
  const serv = /** @type {any} */ (
    Object.assign(new EventEmitter(), { _server: new EventEmitter(), players: [] })
  )
  addConnections(serv, /** @type {any} */ ({ 'max-players': 40 }))
  /** @type {any[]} */
  const clients = []
  const connect = () => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress: 'a', isOpen: true })
    const destroy = () => (socket.isOpen = false)
    const client = Object.assign(new EventEmitter(), {
      ...{ socket: Object.assign(socket, { destroy }), state: 'play', splitter: {} }
    })
    serv._server.emit('connection', client)
    clients.push(client)
    return socket.isOpen
  }
  const joined = Array.from({ length: 140 }, connect)
  assert.ok(joined.every(Boolean))
  assert.equal(connect(), false)
  for (const { socket } of clients) socket.emit('close')
  assert.equal(connect(), true)
  clients.at(-1).socket.emit('close')
})
