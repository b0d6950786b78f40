/** What is recorded of a bot, from the server's own packets. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import registryOf from 'prismarine-registry'
import { recordEvents } from '../event-recorder.js'

const OWN = 1
const DROP = 7

/** A bot with twenty emeralds lying beside it, and what is recorded of it. */
function recorded() {
  const drop = { getDroppedItem: () => ({ name: 'emerald', count: 20 }) }
  const bot = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      _client: new EventEmitter(),
      registry: registryOf('1.20.4'),
      entity: { id: OWN },
      entities: { [OWN]: { id: OWN }, [DROP]: drop },
      dig: async () => {}
    })
  )
  /** @type {any[]} */
  const events = []
  recordEvents(bot, (event) => events.push(event))
  const collect = (/** @type {number} */ collectorEntityId, /** @type {number} */ count) =>
    bot._client.emit('collect', {
      collectedEntityId: DROP,
      collectorEntityId,
      pickupItemCount: count
    })
  return { bot, events, collect }
}

/** A window with so many emeralds of the bot's. @param {number} count */
const windowOf = (count) => ({
  type: 'minecraft:generic_9x3',
  items: () => (count ? [{ name: 'emerald', count }] : []),
  selectedItem: null,
  acceptClick: () => {}
})

test('as many are collected as there was room for, by the bot and nobody else', () => {
  const { bot, events, collect } = recorded()
  collect(OWN, 4)
  collect(2, 16)
  bot.emit('end')
  assert.deepEqual(events, [{ kind: 'item_collected', item: 'emerald', count: 4 }])
})

test('what is picked up in part beside an open container is not moved by it', () => {
  const { bot, events, collect } = recorded()
  bot.emit('windowOpen', windowOf(60))
  collect(OWN, 4)
  bot.emit('windowClose', windowOf(61))
  bot.emit('end')
  assert.deepEqual(events.slice(1), [
    { kind: 'container_moved', item: 'emerald', count: -3, container: 'minecraft:generic_9x3' }
  ])
})
