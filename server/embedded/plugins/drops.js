/**
 * Dropped items: they fly, fall, lie, merge, are picked up by who is near, and vanish after five
 * minutes. An item that lies still costs nothing but the look for players who could take it.
 */
import { Item, itemNamed, Vec3 } from '../minecraft.js'
import { copyOf, isSameKind } from '../windows/store.js'
import { isSolid } from './blocks.js'

const LIFE_TICKS = 6000 // vanilla: 5 minutes
const PICKUP_DELAY_TICKS = { block: 10, thrown: 40 }
const GRAVITY = 0.04
const DRAG = { air: 0.98, ground: 0.588 }
const REACH = { horizontal: 1.3, below: 0.75, above: 2.3 } // player's box grown by (1, 0.5, 1)
const MERGE = { ticks: 20, blocks: 0.75, blocksUp: 0.5 }
const ITEM_STACK_KEY = 8 // entity metadata index of the stack
const VOID_Y = -128
const SPECTATOR = 3
const CELL = 4
const GROUND_TICKS = 8

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<number, any>} */
  serv.drops = new Map()

  /**
   * Lays an item into the world.
   * @param {any} item
   * @param {any} position
   * @param {{thrown?: boolean, velocity?: any, ageTicks?: number}} [options] velocity in blocks a tick
   */
  serv.dropItem = (item, position, { thrown = false, velocity, ageTicks = 0 } = {}) => {
    const entity = serv.newEntity('object', 'item', position)
    entity.item = copyOf(item)
    entity.velocity = velocity ?? new Vec3(0, 0, 0)
    entity.ageTicks = ageTicks
    entity.pickupTicks = ageTicks + PICKUP_DELAY_TICKS[thrown ? 'thrown' : 'block']
    entity.onGround = false
    entity.appearance = () => [['entity_metadata', metadata(entity)]]
    serv.drops.set(entity.id, entity)
    serv.enterEntity(entity)
    return entity
  }

  /** @param {any} entity */
  function metadata(entity) {
    const value = Item.toNotch(entity.item)
    return { entityId: entity.id, metadata: [{ key: ITEM_STACK_KEY, type: 'item_stack', value }] }
  }

  serv.removeDrop = (/** @type {any} */ entity) => {
    serv.drops.delete(entity.id)
    serv.removeEntity(entity)
  }

  serv.on('tick', () => {
    if (!serv.drops.size) return
    for (const entity of serv.drops.values()) {
      if (++entity.ageTicks > LIFE_TICKS) serv.removeDrop(entity)
      else if (!entity.onGround || hasLostGround(entity)) move(entity)
    }
    pickUpAll()
    if (serv.tickCount % MERGE.ticks === 0) mergeAll()
  })

  /** Whether the ground of one that lies still is gone; looked at now and then. @param {any} entity */
  const hasLostGround = (entity) =>
    (serv.tickCount + entity.id) % GROUND_TICKS === 0 &&
    !isSolid(serv, entity.position.offset(0, -0.1, 0).floored())

  /** @param {any} entity */
  function move(entity) {
    const { position, velocity } = entity
    velocity.y -= GRAVITY
    const next = position.clone()
    for (const axis of /** @type {('x' | 'z')[]} */ (['x', 'z'])) {
      const moved = next.clone()
      moved[axis] += velocity[axis]
      if (isSolid(serv, moved.floored())) velocity[axis] = 0
      else next[axis] = moved[axis]
    }
    const lands = fall(next, velocity)
    const drag = lands ? DRAG.ground : DRAG.air
    velocity.x *= drag
    velocity.z *= drag
    velocity.y *= DRAG.air
    if (next.y < VOID_Y) return serv.removeDrop(entity)
    const isStill = lands && Math.abs(velocity.x) + Math.abs(velocity.z) < 0.003
    serv.moveEntity(entity, next, isStill)
  }

  /** Moves down, block by block. @param {any} next @param {any} velocity @returns {boolean} whether it landed */
  function fall(next, velocity) {
    const target = next.y + velocity.y
    for (let y = Math.floor(next.y - 1e-6); y >= Math.floor(target - 1e-6) && velocity.y < 0; y--) {
      if (!isSolid(serv, new Vec3(Math.floor(next.x), y, Math.floor(next.z)))) continue
      next.y = Math.max(target, y + 1)
      velocity.y = 0
      return true
    }
    next.y = target
    return false
  }

  function pickUpAll() {
    const cells = new Map()
    for (const entity of serv.drops.values()) {
      if (entity.ageTicks < entity.pickupTicks) continue
      const id = cellOf(entity.position.x, entity.position.z)
      if (!cells.has(id)) cells.set(id, [])
      cells.get(id).push(entity)
    }
    if (!cells.size) return
    /** @type {{player: any, entity: any, away: number}[]} */
    const pairs = []
    for (const player of serv.players) {
      if (player.isDead || player.gameMode === SPECTATOR || !player.spawned) continue
      for (const entity of nearby(cells, player.position)) {
        if (!inReach(player, entity)) continue
        pairs.push({ player, entity, away: player.position.distanceTo(entity.position) })
      }
    }
    pairs.sort((a, b) => a.away - b.away) // the nearest gets it
    for (const { player, entity } of pairs) if (serv.drops.has(entity.id)) pickUp(player, entity)
  }

  /** @param {any} player @param {any} entity */
  function pickUp(player, entity) {
    const before = entity.item.count
    const left = player.giveItem(entity.item)
    const taken = before - (left?.count ?? 0)
    if (!taken) return
    player.window.sendChanges(player.connection) // it has the item before it sees it go
    serv.send([...entity.watchers], 'collect', {
      collectedEntityId: entity.id,
      collectorEntityId: player.id,
      pickupItemCount: taken
    })
    serv.playSound('entity.item.pickup', entity.position, { volume: 0.2 })
    serv.emit('itemPickedUp', player, entity.item, taken)
    if (!left) return serv.removeDrop(entity)
    setItem(entity, left)
  }

  /** @param {any} entity @param {any} item */
  function setItem(entity, item) {
    entity.item = item
    serv.send([...entity.watchers], 'entity_metadata', metadata(entity))
  }

  function mergeAll() {
    const still = [...serv.drops.values()].filter((entity) => entity.onGround)
    const cells = new Map()
    for (const entity of still) {
      const id = `${cellOf(entity.position.x, entity.position.z)} ${entity.item.type}`
      if (!cells.has(id)) cells.set(id, [])
      cells.get(id).push(entity)
    }
    for (const group of cells.values()) if (group.length > 1) mergeGroup(group)
  }

  /** @param {any[]} group of one kind in one cell */
  function mergeGroup(group) {
    for (const [index, keeper] of group.entries()) {
      for (const other of group.slice(index + 1)) {
        const isHere = serv.drops.has(keeper.id) && serv.drops.has(other.id)
        const count = keeper.item.count + other.item.count
        if (!isHere || count > keeper.item.stackSize || !isClose(keeper, other)) continue
        if (!isSameKind(keeper.item, other.item)) continue
        setItem(keeper, copyOf(keeper.item, count))
        keeper.ageTicks = Math.min(keeper.ageTicks, other.ageTicks)
        keeper.pickupTicks = Math.max(keeper.pickupTicks, other.pickupTicks)
        serv.removeDrop(other)
      }
    }
  }
}

/** @param {number} x @param {number} z */
const cellOf = (x, z) => `${Math.floor(x / CELL)},${Math.floor(z / CELL)}`

/** @param {Map<string, any[]>} cells @param {any} position */
function* nearby(cells, { x, z }) {
  for (const dx of [-2, 2]) {
    for (const dz of [-2, 2]) yield* cells.get(cellOf(x + dx, z + dz)) ?? []
  }
}

/** @param {any} a @param {any} b */
const isClose = (a, b) =>
  Math.abs(a.position.x - b.position.x) <= MERGE.blocks &&
  Math.abs(a.position.z - b.position.z) <= MERGE.blocks &&
  Math.abs(a.position.y - b.position.y) <= MERGE.blocksUp

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
  /** Throws an item where the player looks, as vanilla does. @param {any} item */
  player.throwItem = (item) => {
    if (!item) return
    const [yaw, pitch] = [(player.yaw * Math.PI) / 180, (player.pitch * Math.PI) / 180]
    const velocity = new Vec3(
      -Math.sin(yaw) * Math.cos(pitch) * 0.3,
      -Math.sin(pitch) * 0.3 + 0.1,
      Math.cos(yaw) * Math.cos(pitch) * 0.3
    )
    serv.dropItem(item, player.position.offset(0, 1.32, 0), { thrown: true, velocity })
  }

  /** Lays an item at the player's feet, as a death does. @param {any} item */
  player.spillItem = (item) => serv.dropItem(item, player.position.offset(0, 0.5, 0))

  /** @param {string} name */
  player.giveOrThrow = (name) => {
    const left = player.giveItem(itemNamed(name))
    if (left) player.throwItem(left)
  }
}
