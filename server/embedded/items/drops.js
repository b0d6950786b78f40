/**
 * Dropped items: they fly, fall, merge, are picked up by nearby players, and vanish after five
 * minutes. The only cost of an item at rest is the search for players who could take it.
 */
import { Item, itemNamed, Vec3 } from '../minecraft/index.js'
import { copyOf, isSameKind } from '../windows/store.js'
import { isSolid } from '../blocks/blocks.js'
import { isWet, VOID_Y, weigh } from '../entities/bodies.js'
import { SPECTATOR } from '../players/game-modes.js'

/** @import { Drop, Player, Position, Server } from '../types/index.d.ts' */

const LIFE_TICKS = 6000 // vanilla: 5 minutes
const PICKUP_DELAY_TICKS = { block: 10, thrown: 40 }
const MERGE_TICKS = 20
const ITEM_STACK_KEY = 8 // entity metadata index of the stack

/** @param {Server} serv */
export function server(serv) {
  serv.drops = new Map()

  /** Drop an item into the world. */
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

  /** Change a dropped stack, and show the change to players. */
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
  /** Throw an item where the player looks, as in vanilla. */
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

  /** Drop an item at the player's feet, as after a death. */
  player.spillItem = (item) => serv.dropItem(item, player.position.offset(0, 0.5, 0))

  player.giveOrThrow = (name) => {
    const left = player.giveItem(itemNamed(name))
    if (left) player.throwItem(left)
  }
}

// Motion of dropped items.

const GRAVITY = 0.04
/** Items rise slowly while they are in water up to their eyes, as in vanilla. */
const BUOYANCY = { rise: 0.0005, fastest: 0.06, eyes: 0.2125 }
const DRAG = { air: 0.98, ground: 0.588 }
const GROUND_TICKS = 8

/** @param {Server} serv @param {Drop} drop */
const isAfloat = (serv, { position }) => isWet(serv, position.offset(0, BUOYANCY.eyes, 0))

/**
 * Return true if a resting item has lost the ground below it; checked now and then.
 * @param {Server} serv @param {Drop} drop
 */
const hasLostGround = (serv, drop) =>
  (serv.tickCount + drop.id) % GROUND_TICKS === 0 &&
  (isAfloat(serv, drop) || !isSolid(serv, drop.position.offset(0, -0.1, 0).floored()))

/** Move an item by one tick. @param {Server} serv @param {Drop} drop */
function moveDrop(serv, drop) {
  const lift = drop.velocity.y < BUOYANCY.fastest ? BUOYANCY.rise : 0
  const { next, stands } = weigh(serv, drop, isAfloat(serv, drop) ? -lift : GRAVITY, DRAG, fall)
  if (next.y < VOID_Y) return serv.removeDrop(drop)
  const { x, z } = drop.velocity
  const isStill = stands && Math.abs(x) + Math.abs(z) < 0.003
  serv.moveEntity(drop, next, isStill)
}

/**
 * Move down, block by block.
 * @param {Server} serv @param {Vec3} next @param {Vec3} velocity
 * @returns {boolean} true if it landed
 */
function fall(serv, next, velocity) {
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

// Merging: dropped items of the same kind that are close together become one stack.

const MERGE = { blocks: 0.75, blocksUp: 0.5 }

/** @param {Server} serv */
function mergeDrops(serv) {
  const still = [...serv.drops.values()].filter((drop) => drop.onGround)
  const groups = grouped(still, (drop) => `${cellOf(drop.position)} ${drop.item.type}`)
  for (const group of groups.values()) if (group.length > 1) mergeGroup(serv, group)
}

/** @param {Server} serv @param {Drop[]} group of one kind in one cell */
function mergeGroup(serv, group) {
  for (const [index, keeper] of group.entries()) {
    for (const other of group.slice(index + 1)) {
      const isHere = serv.drops.has(keeper.id) && serv.drops.has(other.id)
      const count = keeper.item.count + other.item.count
      if (!isHere || count > keeper.item.stackSize || !isClose(keeper, other)) continue
      if (!isSameKind(keeper.item, other.item)) continue
      serv.changeDrop(keeper, /** @type {Item} */ (copyOf(keeper.item, count)))
      keeper.ageTicks = Math.min(keeper.ageTicks, other.ageTicks)
      keeper.pickupTicks = Math.max(keeper.pickupTicks, other.pickupTicks)
      serv.removeDrop(other)
    }
  }
}

/** @param {Drop} a @param {Drop} b */
const isClose = (a, b) =>
  Math.abs(a.position.x - b.position.x) <= MERGE.blocks &&
  Math.abs(a.position.z - b.position.z) <= MERGE.blocks &&
  Math.abs(a.position.y - b.position.y) <= MERGE.blocksUp

// Picking up: dropped items go to the nearest player in reach with room for them.

const REACH = { horizontal: 1.3, below: 0.75, above: 2.3 } // player's box grown by (1, 0.5, 1)

/** @param {Server} serv */
function pickUpDrops(serv) {
  const isRipe = (/** @type {Drop} */ drop) => drop.ageTicks >= drop.pickupTicks
  const cells = grouped(serv.drops.values(), (drop) =>
    isRipe(drop) ? cellOf(drop.position) : null
  )
  if (!cells.size) return
  /** @type {{player: Player, drop: Drop, away: number}[]} */
  const pairs = []
  for (const player of serv.players) {
    if (player.isDead || player.gameMode === SPECTATOR || !player.spawned) continue
    for (const drop of nearby(cells, player.position)) {
      if (!inReach(player, drop)) continue
      pairs.push({ player, drop, away: player.position.distanceTo(drop.position) })
    }
  }
  pairs.sort((a, b) => a.away - b.away) // first the nearest player
  for (const { player, drop } of pairs) if (serv.drops.has(drop.id)) pickUp(serv, player, drop)
}

/** @param {Server} serv @param {Player} player @param {Drop} drop */
function pickUp(serv, player, drop) {
  const before = drop.item.count
  const left = player.giveItem(drop.item)
  const taken = before - (left?.count ?? 0)
  if (!taken) return
  player.window.sendChanges(player.connection) // the client has the item before the drop disappears
  serv.send([...drop.watchers], 'collect', {
    collectedEntityId: drop.id,
    collectorEntityId: player.id,
    pickupItemCount: taken
  })
  serv.playSound('entity.item.pickup', drop.position, { volume: 0.2 })
  serv.emit('itemPickedUp', player, drop.item, taken)
  if (!left) return serv.removeDrop(drop)
  serv.changeDrop(drop, left)
}

/** @param {Player} player @param {Drop} drop */
function inReach(player, drop) {
  const offset = drop.position.minus(player.position)
  const { horizontal, below, above } = REACH
  return (
    Math.abs(offset.x) <= horizontal &&
    Math.abs(offset.z) <= horizontal &&
    offset.y >= -below &&
    offset.y <= above
  )
}

// Horizontal grid of dropped items, for finding nearby items quickly.

const CELL = 4

/** @param {Position} position */
const cellOf = ({ x, z }) => `${Math.floor(x / CELL)},${Math.floor(z / CELL)}`

/**
 * @param {Iterable<Drop>} drops
 * @param {(drop: Drop) => string | null} keyOf returns null for a drop to leave out
 * @returns {Map<string, Drop[]>}
 */
function grouped(drops, keyOf) {
  const groups = new Map()
  for (const drop of drops) {
    const key = keyOf(drop)
    if (key === null) continue
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(drop)
  }
  return groups
}

/**
 * Yield all drops within half a cell of a position; some others are included.
 * @param {Map<string, Drop[]>} cells @param {Position} place
 */
function* nearby(cells, { x, y, z }) {
  for (const dx of [-2, 2]) {
    for (const dz of [-2, 2]) yield* cells.get(cellOf({ x: x + dx, y, z: z + dz })) ?? []
  }
}
