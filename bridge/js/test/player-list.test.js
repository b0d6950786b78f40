/** The index of players by UUID gives the same results as Mineflayer's search through all players. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { indexPlayersByUuid } from '../player-list.js'

const load = /** @type {(name: string) => any} */ (createRequire(import.meta.url))
const registry = load('prismarine-registry')('1.20.4')
const entities = load('mineflayer/lib/plugins/entities.js')

/** Names by UUID: players keep their name while present, and two may share one. */
const NAMES = /** @type {Record<string, string>} */ ({ a: 'Anna', b: 'Bo', c: 'Cem', d: 'Anna' })
const UUIDS = Object.keys(NAMES)
const ADD = { add_player: true, update_game_mode: true, update_listed: true, update_latency: true }

/** Create a bot with Mineflayer's own list of players. @returns {any} */
function makeBot() {
  const bot = Object.assign(new EventEmitter(), {
    ...{ version: '1.20.4', registry, supportFeature: registry.supportFeature },
    ...{ _client: Object.assign(new EventEmitter(), { username: 'Me' }), heard: [] }
  })
  entities(bot)
  bot._client.emit('login', { entityId: 1 })
  return bot
}

/** Each bot has its own text class, so compare JSON. @param {any} bot */
const listOf = ({ players, uuidToUsername }) => JSON.stringify([players, uuidToUsername])

/** @param {any} bot @param {string} uuid @returns {string | undefined} the name in the list */
const known = (bot, uuid) => {
  const found = bot._playerFromUUID(uuid)
  return Object.keys(bot.players).find((name) => bot.players[name] === found)
}

const PACKET = fc.record({
  kind: fc.constantFrom('add', 'remove', 'latency'),
  uuid: fc.constantFrom(...UUIDS),
  latency: fc.nat(9)
})

test('the list matches Mineflayer’s after any sequence of joins and leaves', () => {
  fc.assert(
    fc.property(fc.array(PACKET), (packets) => {
      const [quick, upstream] = [makeBot(), makeBot()]
      indexPlayersByUuid(quick)
      for (const { kind, uuid, latency } of packets) {
        for (const { _client: client } of [quick, upstream]) {
          const item = { uuid, player: { name: NAMES[uuid], properties: [] }, gamemode: 0 }
          if (kind === 'add')
            client.emit('player_info', { action: ADD, data: [{ ...item, listed: 1, latency }] })
          if (kind === 'latency')
            client.emit('player_info', {
              action: { update_latency: true },
              data: [{ uuid, latency }]
            })
          if (kind === 'remove') client.emit('player_remove', { players: [uuid] })
        }
        assert.deepEqual(listOf(quick), listOf(upstream))
        for (const one of UUIDS) assert.equal(known(quick, one), known(upstream, one))
      }
    })
  )
})
