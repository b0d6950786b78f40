/**
 * Dropped items: they fly, fall, lie, merge, are picked up by players near them, and vanish after five
 * minutes. An item that lies still costs nothing but the look for players who could take it.
 */
import { Item, itemNamed, Vec3 } from '../minecraft.js'
import { copyOf } from '../windows/store.js'
import { hasLostGround, moveDrop } from './drop-motion.js'
import { mergeDrops } from './drop-merging.js'
import { pickUpDrops } from './pickup.js'

/** @import { Drop, Player, Server } from '../types.d.ts' */

const LIFE_TICKS = 6000 // vanilla: 5 minutes
const PICKUP_DELAY_TICKS = { block: 10, thrown: 40 }
const MERGE_TICKS = 20
const ITEM_STACK_KEY = 8 // entity metadata index of the stack

/** @param {Server} serv */
export function server(serv) {
  serv.drops = new Map()

  /** Lays an item into the world. */
  serv.dropItem = (item, position, { thrown = false, velocity, ageTicks = 0 } = {}) => {
    const drop = serv.newEntity('object', 'item', position)
    drop.item = /** @type {Item} */ (copyOf(item))
    drop.velocity = velocity ?? new Vec3(0, 0, 0)
    drop.ageTicks = ageTicks
    drop.pickupTicks = ageTicks + PICKUP_DELAY_TICKS[thrown ? 'thrown' : 'block']
    drop.onGround = false
    drop.appearance = () => [['entity_metadata', metadata(drop)]]
    serv.drops.set(drop.id, drop)
    serv.enterEntity(drop)
    return drop
  }

  serv.removeDrop = (drop) => {
    serv.drops.delete(drop.id)
    serv.removeEntity(drop)
  }

  /** Makes it another stack, and tells those who see it. */
  serv.changeDrop = (drop, item) => {
    drop.item = item
    serv.send([...drop.watchers], 'entity_metadata', metadata(drop))
  }

  serv.on('tick', () => {
    if (!serv.drops.size) return
    for (const drop of serv.drops.values()) {
      if (++drop.ageTicks > LIFE_TICKS) serv.removeDrop(drop)
      else if (!drop.onGround || hasLostGround(serv, drop)) moveDrop(serv, drop)
    }
    pickUpDrops(serv)
    if (serv.tickCount % MERGE_TICKS === 0) mergeDrops(serv)
  })
}

/** @param {Drop} drop */
function metadata(drop) {
  const value = Item.toNotch(drop.item)
  return { entityId: drop.id, metadata: [{ key: ITEM_STACK_KEY, type: 'item_stack', value }] }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /** Throws an item where the player looks, as vanilla does. */
  player.throwItem = (item) => {
    if (!item) return
    const [yaw, pitch] = [(player.yaw * Math.PI) / 180, (player.pitch * Math.PI) / 180]
    const velocity = new Vec3(
      -Math.sin(yaw) * Math.cos(pitch) * 0.3,
      -Math.sin(pitch) * 0.3 + 0.1,
      Math.cos(yaw) * Math.cos(pitch) * 0.3
    )
    serv.dropItem(item, player.position.offset(0, 1.32, 0), { thrown: true, velocity })
    serv.emit('itemDropped', player, item)
  }

  /** Lays an item at the player's feet, as a death does. */
  player.spillItem = (item) => serv.dropItem(item, player.position.offset(0, 0.5, 0))

  player.giveOrThrow = (name) => {
    const left = player.giveItem(itemNamed(name))
    if (left) player.throwItem(left)
  }
}
