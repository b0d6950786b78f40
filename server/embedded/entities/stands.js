/** Armour stands: they wear equipment and can be broken. */
import { plainOf } from '../minecraft/snbt.js'
import { Item, itemNamed } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { FACES, isSolid } from '../blocks/blocks.js'
import { fallOn } from './bodies.js'
import { CREATIVE } from '../players/game-modes.js'
import { nameOf } from './labels.js'

/** @import { Packet, Player, Server, Thing, Vec3 } from '../types/index.d.ts' */

const GRAVITY = 0.08
const MARKER_FLAG = 16
/** Two blows within this number of ticks break a stand. */
const BLOW_TICKS = 5
/** Slots of equipment packets. @type {[slot: number, name: RegExp][]} */
const WORN = [
  [5, /_helmet$|^carved_pumpkin$|_(head|skull)$/],
  [4, /_chestplate$|^elytra$/],
  [3, /_leggings$/],
  [2, /_boots$/]
]

/** @param {Server} serv */
export function server(serv) {
  serv.onSummon(['armor_stand'], (position, data) =>
    plainOf(data, 'Marker') ? marker(serv, position) : stand(serv, position, 0)
  )

  serv.once('asap', () =>
    serv.onUseItem('armor_stand', (player, position, { direction }) => {
      const place = position.plus(FACES[direction])
      const isFree = ![place, place.offset(0, 1, 0)].some((cell) => isSolid(serv, cell))
      if (direction === 0 || !isFree) return false
      const yaw = Math.floor((((player.yaw + 180) % 360) + 22.5) / 45) * 45
      stand(serv, place.offset(0.5, 0, 0.5), yaw)
      player.useUpHeld()
      return true
    })
  )
}

/** Place a marker: a stand that has no body. @param {Server} serv @param {Vec3} position */
function marker(serv, position) {
  return serv.addThing('armor_stand', position, (thing) => ({
    width: 0,
    height: 0,
    appearance: () => {
      const key = thing.kind.metadataKeys.indexOf('client_flags')
      const metadata = [{ key, type: 'byte', value: MARKER_FLAG }]
      return [['entity_metadata', { entityId: thing.id, metadata }], ...nameOf(thing)]
    }
  }))
}

/** @param {Server} serv @param {Vec3} position @param {number} yaw */
function stand(serv, position, yaw) {
  /** @type {Map<number, Item>} */
  const worn = new Map()
  let lastBlow = -BLOW_TICKS
  const thing = serv.addThing('armor_stand', position, (thing) => ({
    yaw,
    appearance: () => [...equipmentOf(thing, worn), ...nameOf(thing)],
    step: () => fallOn(serv, thing, GRAVITY),
    interact: (player) => dress(thing, worn, player),
    hurt: (_damage, _cause, by) => {
      const isBroken = by?.gameMode === CREATIVE || serv.tickCount - lastBlow <= BLOW_TICKS * 4
      lastBlow = serv.tickCount
      if (!isBroken) return
      serv.removeThing(thing)
      if (by?.gameMode !== CREATIVE) {
        serv.dropItem(itemNamed('armor_stand'), thing.position.offset(0, 0.3, 0))
      }
      for (const item of worn.values()) serv.dropItem(item, thing.position.offset(0, 1, 0))
    }
  }))
  return thing
}

/**
 * Put the item that a player is holding on a stand, or return the item that the stand wears.
 * @param {Thing} thing @param {Map<number, Item>} worn @param {Player} player
 */
function dress(thing, worn, player) {
  const { heldItem: item } = player
  const [slot] = WORN.find(([, name]) => item && name.test(item.name)) ?? [...worn.keys()]
  if (slot === undefined) return false
  const before = worn.get(slot) ?? null
  if (item && item.count > 1 && before) return false
  if (item) worn.set(slot, /** @type {Item} */ (copyOf(item, 1)))
  else worn.delete(slot)
  if (item && item.count > 1) player.useUpHeld()
  else player.heldItem = before
  const equipments = [{ slot, item: Item.toNotch(worn.get(slot) ?? null) }]
  thing._writeNearby('entity_equipment', { entityId: thing.id, equipments })
  return true
}

/** @param {Thing} thing @param {Map<number, Item>} worn @returns {Packet[]} */
function equipmentOf(thing, worn) {
  if (!worn.size) return []
  const equipments = [...worn].map(([slot, item]) => ({ slot, item: Item.toNotch(item) }))
  return [['entity_equipment', { entityId: thing.id, equipments }]]
}
