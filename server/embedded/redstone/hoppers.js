/**
 * Hoppers: every eight ticks a hopper takes one item from above and passes one on to where it
 * points; it takes dropped items above it in whole stacks. A lever or button next to a hopper stops
 * it.
 *
 * Times and order are vanilla's (minecraft.wiki: Hopper).
 */
import { registry } from '../minecraft/index.js'
import { FACES, key, propertiesOf, stateAt } from '../blocks/blocks.js'
import { moveOne, placesAt, put } from './item-moves.js'
import { DIRECTIONS } from '../blocks/orientation.js'
import { blocksIn } from '../blocks/scan.js'

/** @import { Drop, Server, Vec3 } from '../types/index.d.ts' */
/** @import { Place } from './item-moves.js' */

/** @typedef {{position: Vec3, wait: number, tick: number}} Hopper */

const MOVE_TICKS = 8
const HOPPER = registry.blocksByName.hopper
/**
 * Half an item's width. A hopper takes items up to this far around the block, from its bowl to the
 * top of the block above.
 */
const ITEM_HALF = 0.125
const [BOWL, TOP] = [11 / 16 - 0.25, 2]

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<string, Hopper>} */
  const hoppers = new Map()
  const add = (/** @type {Vec3} */ position) =>
    hoppers.set(key(position), { position, wait: 0, tick: serv.tickCount })

  serv.on('blockChanged', (position, before, after) => {
    const [was, is] = [registry.blocksByStateId[before], registry.blocksByStateId[after]]
    if (was === is) return
    if (is === HOPPER) add(position)
    else if (was === HOPPER) hoppers.delete(key(position))
  })
  serv.on('columnRestored', (chunkX, chunkZ) => {
    for (const { position } of blocksIn(serv, chunkX, chunkZ, (name) => name === 'hopper'))
      add(position)
  })
  serv.onPower(['hopper'], (position, isPowered) => {
    const enabled = String(!isPowered)
    if (propertiesOf(stateAt(serv.overworld, position)).enabled === enabled) return
    serv.changeBlock(position, { enabled })
  })

  serv.on('tick', () => {
    for (const hopper of hoppers.values()) {
      hopper.tick = serv.tickCount
      hopper.wait -= 1
      if (hopper.wait > 0) continue
      hopper.wait = 0
      if (work(hopper)) hopper.wait = MOVE_TICKS
    }
  })

  /** @param {Hopper} hopper @returns {boolean} true if an item moved */
  function work({ position }) {
    const { enabled, facing } = propertiesOf(stateAt(serv.overworld, position))
    const own = placesAt(serv, position, 'up')
    if (enabled === 'false' || !own) return false
    const isGiven =
      !isEmpty(own) && give(own, position.plus(FACES[DIRECTIONS.indexOf(facing)]), facing)
    return (!isFull(own) && take(own, position)) || isGiven
  }

  /** @param {Place[]} own @param {Vec3} target @param {string} facing */
  function give(own, target, facing) {
    const places = placesAt(serv, target, facing === 'down' ? 'up' : 'side')
    if (!places || isFull(places)) return false
    const next = hoppers.get(key(target))
    const wasEmpty = next && isEmpty(places)
    if (!moveOne(own, places)) return false
    // A hopper that received an item in the same tick waits the same time, whichever of the two
    // acts first.
    if (wasEmpty) next.wait = MOVE_TICKS - Number(next.tick === serv.tickCount)
    return true
  }

  /** @param {Place[]} own @param {Vec3} position */
  function take(own, position) {
    const above = placesAt(serv, position.offset(0, 1, 0), 'down')
    if (above) return moveOne(above, own)
    for (const drop of serv.drops.size ? serv.drops.values() : []) {
      if (liesOn(drop, position) && swallow(own, drop)) return true
    }
    return false
  }

  /**
   * @param {Place[]} own @param {Drop} drop
   * @returns {boolean} true if at least one of the items fitted
   */
  function swallow(own, drop) {
    const left = put(own, drop.item)
    if (left?.count === drop.item.count) return false
    if (left) serv.changeDrop(drop, left)
    else serv.removeDrop(drop)
    return true
  }
}

/** @param {Place[]} places */
const isEmpty = (places) => places.every(({ store, index }) => !store.slots[index])

/** @param {Place[]} places */
const isFull = (places) =>
  places.every(({ store, index }) => {
    const held = store.slots[index]
    return held && held.count >= held.stackSize
  })

/** @param {Drop} drop @param {Vec3} hopper */
function liesOn({ position }, hopper) {
  const { x, y, z } = position.minus(hopper)
  const isWithin = (/** @type {number} */ along) => along > -ITEM_HALF && along < 1 + ITEM_HALF
  return isWithin(x) && isWithin(z) && y > BOWL && y < TOP
}
