/** Boats and minecarts: placed, ridden, opened and broken. */
import { itemNamed, registry, Vec3 } from '../minecraft/index.js'
import { chestWindow } from '../windows/kinds.js'
import { Store } from '../windows/store.js'
import { blockAt } from '../blocks/blocks.js'
import { fallOn, isWet, topOf } from './bodies.js'
import { CREATIVE } from '../players/game-modes.js'
import { blockInSight } from '../items/gaze.js'
import { nameOf } from './labels.js'

/** @import { Packet, Player, Server, Thing } from '../types/index.d.ts' */

/** Types of boats, in the protocol's order. */
const WOODS = [
  'oak',
  'spruce',
  'birch',
  'jungle',
  'acacia',
  'cherry',
  'dark_oak',
  'mangrove',
  'bamboo'
]
const BOAT_ITEMS = Object.keys(registry.itemsByName).filter((name) => /_(boat|raft)$/.test(name))
const CARTS = Object.keys(registry.entitiesByName).filter((name) => /minecart$/.test(name))
const RAIL = /rail$/
const GRAVITY = 0.04
const REACH_BLOCKS = 5
/** Total damage of blows, in half hearts, that breaks a vehicle. */
const STRENGTH = 4
const CHEST_SLOTS = 27

/** @param {Server} serv */
export function server(serv) {
  serv.onSummon(['boat', 'chest_boat'], (position, _data, name) =>
    launch(serv, name, position, 'oak')
  )
  serv.onSummon(CARTS, (position, _data, name) => launch(serv, name, position, null))

  serv.once('asap', () => {
    serv.onUse(BOAT_ITEMS, (player, item, hand) => launchHeld(serv, player, item.name, hand))
    for (const name of CARTS.filter((cart) => registry.itemsByName[cart])) {
      serv.onUseItem(name, (player, position) => {
        if (!RAIL.test(blockAt(serv, position).name)) return false
        launch(serv, name, position.offset(0.5, 0.0625, 0.5), null)
        player.useUpHeld()
        return true
      })
    }
  })
}

/**
 * Place the held vehicle where the player looks, also on water.
 * @param {Server} serv @param {Player} player @param {string} item @param {number} hand
 */
function launchHeld(serv, player, item, hand) {
  const seen = blockInSight(serv, player, REACH_BLOCKS, { sources: true })
  if (!seen) return
  const top = isWet(serv, seen.position) ? 0.9 : (topOf(serv, seen.position) ?? 1)
  const isOnTop = seen.face.y === 1
  const cell = isOnTop ? seen.position : seen.position.plus(seen.face)
  const place = cell.offset(0.5, isOnTop ? top : 0, 0.5)
  const name = /_chest_/.test(item) ? 'chest_boat' : 'boat'
  const boat = launch(serv, name, place, item.replace(/_(chest_)?(boat|raft)$/, ''))
  Object.assign(boat, { yaw: player.yaw, turnedTick: serv.tickCount })
  player.useUp(hand)
}

/**
 * @param {Server} serv @param {string} name @param {Vec3} position
 * @param {string | null} wood of a boat
 */
function launch(serv, name, position, wood) {
  const item = wood === null ? name : itemOf(name, wood)
  const chest = /chest|hopper/.test(name)
    ? new Store(name.includes('hopper') ? 5 : CHEST_SLOTS)
    : null
  let harm = 0
  const thing = serv.addThing(name, position, (thing) => ({
    appearance: () => [...woodOf(thing, wood), ...nameOf(thing)],
    step: () => move(serv, thing),
    interact: (player) => use(serv, thing, player, chest),
    hurt: (damage, _cause, by) => {
      harm += damage
      const isCreative = by?.gameMode === CREATIVE
      if (harm <= STRENGTH && !isCreative) return
      serv.removeThing(thing)
      if (!isCreative && serv.gamerules.doEntityDrops)
        serv.dropItem(itemNamed(item), thing.position.offset(0, 0.3, 0))
    },
    // In whatever way a vehicle disappears, close its window and drop its items.
    removed: () => {
      for (const player of serv.players) if (looksInto(player, chest)) player.shutWindow()
      for (const stack of chest?.empty() ?? [])
        serv.dropItem(stack, thing.position.offset(0, 0.3, 0))
    }
  }))
  return thing
}

/** @param {Player} player @param {Store | null} chest */
const looksInto = ({ window }, chest) =>
  chest !== null && window.slots.some(({ store }) => store === chest)

/** @param {string} name @param {string} wood */
function itemOf(name, wood) {
  const craft = wood === 'bamboo' ? 'raft' : 'boat'
  return `${wood}_${name === 'chest_boat' ? 'chest_' : ''}${craft}`
}

/** @param {Thing} thing @param {string | null} wood @returns {Packet[]} */
function woodOf(thing, wood) {
  if (wood === null) return []
  const key = thing.kind.metadataKeys.indexOf('type')
  const metadata = [{ key, type: 'int', value: WOODS.indexOf(wood) }]
  return [['entity_metadata', { entityId: thing.id, metadata }]]
}

/** @param {Server} serv @param {Thing} thing */
function move(serv, thing) {
  const isMoved = thing.passengers[0]?.type === 'player' && thing.movedTick >= serv.tickCount - 20
  if (isMoved) return
  const isBoat = thing.name.endsWith('boat')
  if (isBoat && isWet(serv, thing.position.offset(0, 0.1, 0))) {
    thing.velocity.set(0, 0, 0)
    return
  }
  if (!isBoat && RAIL.test(blockAt(serv, thing.position.floored())?.name ?? '')) return
  fallOn(serv, thing, GRAVITY)
}

/** @param {Server} serv @param {Thing} thing @param {Player} player @param {Store | null} chest */
function use(serv, thing, player, chest) {
  const isSeat = thing.name === 'boat' || thing.name === 'minecart' || thing.name === 'chest_boat'
  if (chest && (!isSeat || player.crouching)) {
    const title = thing.name === 'hopper_minecart' ? 'Minecart with Hopper' : thing.kind.displayName
    player.openWindow(chestWindow([chest], title, player.inventory, () => {}))
    return true
  }
  const most = thing.name === 'boat' ? 2 : 1
  if (!isSeat || player.crouching || thing.passengers.length >= most) return false
  serv.mount(player, thing)
  return true
}
