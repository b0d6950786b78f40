/**
 * Player data: who leaves and comes back has the same inventory, place, health and game mode.
 *
 * Held in memory for the server's life. Upstream reads and writes it through its `playerDat`
 * module; ours answers in its place, in the form upstream expects.
 */
import { createRequire } from 'node:module'
import { itemClass } from './items.js'

const require = createRequire(import.meta.url)
const playerDat = require('flying-squid/src/lib/playerDat')

const KEPT = ['health', 'food', 'gameMode', 'xp', 'heldItemSlot', 'position', 'yaw', 'pitch', 'op']

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<string, {player: object, slots: any[]}>} */
  serv.savedPlayers = new Map()
  const Item = itemClass(serv)

  playerDat.read = async (/** @type {string} */ uuid, /** @type {any} */ spawnPoint) => ({
    player: {
      ...playerDat.playerDefaults,
      position: spawnPoint.clone(),
      ...serv.savedPlayers.get(uuid)?.player
    },
    inventory: [] // given back below, by slot
  })
  playerDat.save = async (/** @type {any} */ player) => {
    const kept = Object.fromEntries(KEPT.map((key) => [key, player[key]]))
    kept.position = player.position.clone()
    const slots = player.inventory.slots.map(
      (/** @type {any} */ item) => item && Item.toNotch(item)
    )
    serv.savedPlayers.set(player.uuid, { player: kept, slots })
  }
  serv.restoreInventory = (/** @type {any} */ player) => {
    const slots = serv.savedPlayers.get(player.uuid)?.slots ?? []
    slots.forEach((/** @type {any} */ saved, /** @type {number} */ slot) => {
      if (saved) player.inventory.updateSlot(slot, Item.fromNotch(saved))
    })
  }
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.once('spawned', () => serv.restoreInventory(player))
}
