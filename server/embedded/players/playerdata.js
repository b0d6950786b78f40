/** Player data: a player who returns has the same inventory, position, health and game mode. */
import { itemFrom } from '../minecraft/items.js'
import { Item, Vec3 } from '../minecraft/index.js'

/** @import { PacketItem, Player, PlayerData, Server } from '../types/index.d.ts' */
/** @import { Store } from '../windows/store.js' */

/** Fields that are copied unchanged. @param {Player | PlayerData} from */
const kept = (from) => ({
  health: from.health,
  food: from.food,
  foodSaturation: from.foodSaturation,
  gameMode: from.gameMode,
  heldItemSlot: from.heldItemSlot,
  yaw: from.yaw,
  pitch: from.pitch,
  op: from.op,
  level: from.level ?? 0,
  points: from.points ?? 0,
  totalPoints: from.totalPoints ?? 0,
  isBedSpawn: from.isBedSpawn ?? false,
  spawnAngle: from.spawnAngle ?? 0,
  portalCooldown: from.portalCooldown ?? 0,
  absorption: from.absorption ?? 0
})

/** @param {Player} player @returns {PlayerData} */
const dataOf = (player) => ({
  name: player.username,
  ...kept(player),
  isDead: player.isDead,
  position: player.position.toArray(),
  spawnPoint: player.spawnPoint?.toArray() ?? null,
  inventory: toData(player.inventory.slots),
  enderChest: toData(player.enderChest.slots),
  loose: player.looseItems().map((item) => Item.toNotch(item)),
  tags: [...player.tags],
  effects: [...player.activeEffects]
})

/** @param {(Item | null)[]} slots */
const toData = (slots) => slots.map((item) => item && Item.toNotch(item))

/** @param {Store} store @param {(PacketItem | null)[]} data */
function fill(store, data = []) {
  data.forEach((item, index) => item && store.set(index, itemFrom(item)))
}

/** @param {Server} serv */
export function server(serv) {
  serv.savedPlayers = new Map()

  serv.savePlayer = (player) => void serv.savedPlayers.set(player.uuid, dataOf(player))

  serv.restorePlayer = (player) => {
    const saved = serv.savedPlayers.get(player.uuid)
    if (!saved) return
    Object.assign(player, kept(saved))
    player.spawnPoint = saved.spawnPoint && new Vec3(...saved.spawnPoint)
    player.position = new Vec3(...saved.position)
    player.tags = new Set(saved.tags)
    if (!saved.isDead) player.takeEffects(saved.effects ?? [])
    if (saved.isDead) {
      Object.assign(player, { health: 20, food: 20, position: serv.spawnPlaceOf(player) })
    }
    fill(player.inventory, saved.inventory)
    fill(player.enderChest, saved.enderChest)
    for (const item of saved.loose) player.giveItem(/** @type {Item} */ (itemFrom(item)))
  }
}
