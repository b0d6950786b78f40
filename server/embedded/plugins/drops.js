/** Dropped items: they fall, lie, are picked up by who is near, and vanish after five minutes. */
import { createRequire } from 'node:module'
import { isSolid } from './blocks.js'
import { copyItem, itemClass } from './items.js'

const require = createRequire(import.meta.url)

const LIFE_TICKS = 6000 // vanilla: 5 minutes
const PICKUP_DELAY_TICKS = { block: 10, thrown: 40 }
const FALL_BLOCKS_PER_TICK = 0.4
const REACH = { horizontal: 1.3, below: 0.75, above: 2.3 } // player's box grown by (1, 0.5, 1)
const ITEM_STACK_KEY = 8 // entity metadata index of the stack since 1.17

/** @param {any} serv */
export function server(serv) {
  const Item = itemClass(serv)
  const { Vec3 } = require('vec3')
  /** @type {Map<number, any>} */
  serv.drops = new Map()

  /**
   * Lays an item into the world.
   * @param {any} item
   * @param {any} position
   * @param {{thrown?: boolean}} [options]
   */
  serv.dropItem = (item, position, { thrown = false } = {}) => {
    const entity = serv.spawnObject(
      serv.registry.entitiesByName.item.id,
      serv.overworld,
      position,
      {
        velocity: new Vec3(0, 0, 0),
        itemId: item.type,
        itemCount: item.count
      }
    )
    entity.item = copyItem(serv, item)
    entity.velocity = new Vec3(0, 0, 0)
    entity.size = null // keeps upstream's physics off it; ours is below
    entity.ageTicks = 0
    entity.pickupTicks = thrown ? PICKUP_DELAY_TICKS.thrown : PICKUP_DELAY_TICKS.block
    serv.drops.set(entity.id, entity)
    entity._writeOthersNearby('entity_metadata', stackMetadata(entity))
    return entity
  }

  serv.stackMetadata = stackMetadata

  /** @param {any} entity */
  function stackMetadata(entity) {
    const value = Item.toNotch(entity.item)
    return { entityId: entity.id, metadata: [{ key: ITEM_STACK_KEY, type: 'item_stack', value }] }
  }

  serv.removeDrop = (/** @type {any} */ entity) => {
    serv.drops.delete(entity.id)
    entity.destroy()
  }

  serv.on('tick', () => {
    for (const entity of serv.drops.values()) tick(entity)
  })

  /** @param {any} entity */
  function tick(entity) {
    if (++entity.ageTicks > LIFE_TICKS) return serv.removeDrop(entity)
    fall(entity)
    if (entity.ageTicks >= entity.pickupTicks) pickUp(entity)
  }

  /** @param {any} entity */
  function fall(entity) {
    const below = entity.position.offset(0, -0.05, 0).floored()
    if (isSolid(serv, below)) return
    if (entity.position.y < -80) return serv.removeDrop(entity)
    const floor = Math.floor(entity.position.y)
    const next = entity.position.y - FALL_BLOCKS_PER_TICK
    const landing = next < floor && isSolid(serv, entity.position.offset(0, -1, 0).floored())
    const y = landing ? floor : next
    entity.sendPosition(new Vec3(entity.position.x, y, entity.position.z), landing)
  }

  /** @param {any} entity */
  function pickUp(entity) {
    const near = serv.players
      .filter((/** @type {any} */ p) => p.health > 0 && p.gameMode !== 3 && inReach(p, entity))
      .sort(
        (/** @type {any} */ a, /** @type {any} */ b) =>
          a.position.distanceTo(entity.position) - b.position.distanceTo(entity.position)
      )
    for (const player of near) {
      const before = entity.item.count
      const all = player.giveItem(entity.item)
      const taken = before - entity.item.count
      if (taken) announce(player, entity, taken)
      if (all) return serv.removeDrop(entity)
    }
  }

  /** @param {any} player @param {any} entity @param {number} count */
  function announce(player, entity, count) {
    serv._writeNearby(
      'collect',
      { collectedEntityId: entity.id, collectorEntityId: player.id, pickupItemCount: count },
      { world: entity.world, position: entity.position }
    )
    serv.playSound('entity.item.pickup', entity.world, entity.position, { volume: 0.2 })
  }
}

/** @param {any} player @param {any} entity */
function inReach(player, entity) {
  const offset = entity.position.minus(player.position)
  const { horizontal, below, above } = REACH
  return (
    Math.abs(offset.x) <= horizontal &&
    Math.abs(offset.z) <= horizontal &&
    offset.y >= -below &&
    offset.y <= above
  )
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  /** Throws an item in front of the player. @param {any} item */
  player.throwItem = (item) => {
    const yaw = (player.yaw * 2 * Math.PI) / 256
    const ahead = player.position.offset(-Math.sin(yaw) * 1.6, 1, Math.cos(yaw) * 1.6)
    const free = !isSolid(serv, ahead.floored())
    serv.dropItem(item, free ? ahead : player.position.offset(0, 1, 0), { thrown: true })
  }

  const spawnEntity = player.spawnEntity
  player.spawnEntity = (/** @type {any} */ entity) => {
    spawnEntity(entity)
    if (entity.item) player._client.write('entity_metadata', serv.stackMetadata(entity))
  }
}
