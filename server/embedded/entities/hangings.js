/** Item frames and paintings: they hang on walls, contain an item (frames), and can be removed. */
import { Item, itemNamed } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { FACES, isSolid } from '../blocks/blocks.js'
import { CREATIVE } from '../players/game-modes.js'
import { nameOf } from './labels.js'

/** @import { Packet, Player, Server, Thing, Vec3 } from '../types/index.d.ts' */

const FRAMES = ['item_frame', 'glow_item_frame']
/** Distance from the middle of a frame's cell to the frame's centre. */
const DEPTH = 0.46875
const LOOK_TICKS = 20
const TURNS = 8
/** Yaw by face (south, west, north, east), for paintings and frames. */
const YAWS = [0, 0, 180, 0, 90, 270]

/** @param {Server} serv */
export function server(serv) {
  serv.onSummon([...FRAMES, 'painting'], (position, _data, name) =>
    hang(serv, name, position.floored(), 3)
  )
  serv.once('asap', () => {
    for (const name of [...FRAMES, 'painting']) {
      serv.onUseItem(name, (player, position, { direction }) => {
        const place = position.plus(FACES[direction])
        const isFlat = direction > 1 || name !== 'painting'
        if (!isFlat || !isSolid(serv, position) || isSolid(serv, place)) return false
        hang(serv, name, place, direction)
        player.useUpHeld()
        return true
      })
    }
  })
}

/**
 * @param {Server} serv @param {string} name @param {Vec3} cell
 * @param {number} direction facing direction, as a face
 */
function hang(serv, name, cell, direction) {
  const face = FACES[direction]
  /** @type {{item: Item | null, turn: number}} */
  const held = { item: null, turn: 0 }
  const position = cell.offset(0.5, 0.5, 0.5).minus(face.scaled(DEPTH))
  const thing = serv.addThing(name, position, (thing) => ({
    objectData: direction,
    yaw: YAWS[direction],
    pitch: direction === 0 ? 90 : direction === 1 ? -90 : 0,
    appearance: () => [...looksOf(thing, held), ...nameOf(thing)],
    interact: (player) => FRAMES.includes(name) && put(thing, held, player),
    step: () => {
      const isDue = thing.ageTicks % LOOK_TICKS === 0
      if (isDue && !isSolid(serv, cell.minus(face))) comeOff(null)
    },
    hurt: (_damage, _cause, by) => {
      const { item } = held
      if (!item) return comeOff(by ?? null)
      held.item = null
      if (by?.gameMode !== CREATIVE) serv.dropItem(item, position)
      for (const [packet, fields] of looksOf(thing, held)) thing._writeNearby(packet, fields)
    }
  }))

  /** @param {Player | null} by */
  function comeOff(by) {
    serv.removeThing(thing)
    if (held.item) serv.dropItem(held.item, position)
    if (by?.gameMode !== CREATIVE && serv.gamerules.doEntityDrops)
      serv.dropItem(itemNamed(name), position)
  }
  return thing
}

/** @param {Thing} thing @param {{item: Item | null, turn: number}} held @param {Player} player */
function put(thing, held, player) {
  if (held.item) held.turn = (held.turn + 1) % TURNS
  else if (player.heldItem) {
    held.item = copyOf(player.heldItem, 1)
    player.useUpHeld()
  } else return false
  for (const [packet, fields] of looksOf(thing, held)) thing._writeNearby(packet, fields)
  return true
}

/** @param {Thing} thing @param {{item: Item | null, turn: number}} held @returns {Packet[]} */
function looksOf(thing, { item, turn }) {
  const keys = thing.kind.metadataKeys
  if (!keys.includes('item')) return []
  const metadata = [
    { key: keys.indexOf('item'), type: 'item_stack', value: Item.toNotch(item) },
    { key: keys.indexOf('rotation'), type: 'int', value: turn }
  ]
  return [['entity_metadata', { entityId: thing.id, metadata }]]
}
