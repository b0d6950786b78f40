/** Player data: who leaves and comes back has the same inventory, place, health and game mode. */
import { Item, Vec3 } from '../minecraft.js'

const KEPT = ['health', 'food', 'foodSaturation', 'gameMode', 'heldItemSlot', 'yaw', 'pitch', 'op']

/** @param {any[]} slots */
const toData = (slots) => slots.map((item) => item && Item.toNotch(item))

/** @param {import('../windows/store.js').Store} store @param {any[]} data */
function fill(store, data = []) {
  data.forEach((item, index) => item && store.set(index, Item.fromNotch(item)))
}

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<string, any>} by uuid */
  serv.savedPlayers = new Map()

  /** @param {any} player @returns {any} as plain data */
  serv.playerData = (player) => ({
    name: player.username,
    ...Object.fromEntries(KEPT.map((name) => [name, player[name]])),
    isDead: player.isDead,
    position: player.position.toArray(),
    spawnPoint: player.spawnPoint?.toArray() ?? null,
    inventory: toData(player.inventory.slots),
    enderChest: toData(player.enderChest.slots),
    loose: toData(player.looseItems())
  })

  serv.savePlayer = (/** @type {any} */ player) =>
    serv.savedPlayers.set(player.uuid, serv.playerData(player))

  serv.restorePlayer = (/** @type {any} */ player) => {
    const saved = serv.savedPlayers.get(player.uuid)
    if (!saved) return
    for (const name of KEPT) player[name] = saved[name]
    player.spawnPoint = saved.spawnPoint && new Vec3(...saved.spawnPoint)
    player.position = new Vec3(...saved.position)
    if (saved.isDead) {
      Object.assign(player, { health: 20, food: 20, position: serv.spawnPlaceOf(player) })
    }
    fill(player.inventory, saved.inventory)
    fill(player.enderChest, saved.enderChest)
    for (const item of saved.loose) player.giveItem(Item.fromNotch(item))
  }
}
