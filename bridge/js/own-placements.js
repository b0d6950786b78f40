/** Blocks that a bot has placed itself, as the server reports them, not as Mineflayer guesses them. */
import { createRequire } from 'node:module'
import { FACES } from './faces.js'
import { round } from './observe.js'
import { keyOf, Unconfirmed } from './unconfirmed.js'

/** @import { Block, Bot, Emit, Position } from './types.d.ts' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Reach of a bot that places a block, and step size along the line of its gaze. */
const REACH_BLOCKS = 5
const STEP_BLOCKS = 0.1
const EYE_BLOCKS = 1.62
/** Items whose block has another name and does not drop them. @type {Record<string, string>} */
const BLOCK_OF_ITEM = {
  melon_seeds: 'melon_stem',
  pumpkin_seeds: 'pumpkin_stem',
  sweet_berries: 'sweet_berry_bush',
  glow_berries: 'cave_vines',
  fire_charge: 'fire',
  water_bucket: 'water',
  lava_bucket: 'lava',
  powder_snow_bucket: 'powder_snow'
}
/** Fluids, and the state of a poured-out source block. */
const FLUIDS = new Set(['water', 'lava'])
const SOURCE = 0

/** @typedef {{before: Block | null, now: Block}} Change */

/**
 * One requested placement.
 * @typedef {object} Placement
 * @property {Set<string>} places candidate positions of the block
 * @property {Change[]} changes at these positions since the request
 * @property {number[] | null} used items whose use the server counted for it; null: not reported
 * yet
 */

/**
 * A bot's placements, for modules other than the recorder.
 * @typedef {object} Placements
 * @property {(placed: (block: Block, item: string) => void) => void} listen calls a function with
 * each block and the item that became it
 * @property {(position: Position) => boolean} isPending true while a request at a position has not
 * been answered
 * @property {() => Promise<void>} settled resolves once the server has answered all requests, or
 * they have timed out
 */

/**
 * Record each block that the bot placed, with whatever call. Two conditions must hold: the server
 * has counted a use of the item for that click, and it has reported the block where the bot clicked
 * or looked. Mineflayer attributes any new block at that position to the bot, although another
 * player may have been faster.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-uses.js').OwnUses} uses
 * @returns {Placements}
 */
export function watchPlacing(bot, emit, uses) {
  /** @type {Unconfirmed<Placement>} */
  const placements = new Unconfirmed()
  const { pending } = placements
  /** @type {((block: Block, item: string) => void)[]} */
  const listeners = []

  /** @param {Placement} placement */
  const settle = (placement) => {
    for (const item of placement.used ?? []) {
      const own = placement.changes.find((change) => isOf(bot, item, change))
      if (!own) continue
      for (const { changes } of pending) {
        if (changes.includes(own)) changes.splice(changes.indexOf(own), 1)
      }
      emit({ kind: 'block_placed', block: own.now.name, position: round(own.now.position) })
      for (const listener of listeners) listener(own.now, bot.registry.items[item].name)
      return placements.end(placement)
    }
  }

  /** @param {Set<string>} places */
  const asked = (places) => {
    /** @type {Placement} */
    const placement = { places, changes: [], used: null }
    pending.add(placement)
    placements.limit(placement)
    uses.ask((rises) => {
      placement.used = [...rises.keys()]
      if (placement.used.length) settle(placement)
      else placements.end(placement)
    })
  }

  bot.on('blockUpdate', (before, now) => {
    if (!now || before?.stateId === now.stateId) return
    const change = { before, now }
    for (const placement of placements.at(now.position)) {
      placement.changes.push(change)
      settle(placement)
      if (!pending.has(placement)) return // another placement has claimed this change
    }
  })

  const client = /** @type {any} */ (bot._client)
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    const done = write.call(client, name, fields)
    if (name === 'block_place') asked(clickedAndAdjacent(fields.location, fields.direction))
    if (name === 'use_item' && mayPour(bot, fields.hand)) asked(seenBy(bot))
    return done
  }
  return {
    listen: (placed) => void listeners.push(placed),
    isPending: (position) => placements.at(position).length > 0,
    settled: () => placements.settled()
  }
}

/**
 * Return the position of the clicked block, which the new block may replace, and the position in
 * front of its face.
 * @param {Position} location @param {number} direction
 */
function clickedAndAdjacent({ x, y, z }, direction) {
  const [dx, dy, dz] = FACES[direction] ?? [0, 0, 0]
  return new Set([keyOf({ x, y, z }), keyOf({ x: x + dx, y: y + dy, z: z + dz })])
}

/**
 * Return true if the held item can be placed without clicking a block.
 * @param {Bot} bot @param {number} hand
 */
function mayPour(bot, hand) {
  const held = hand === 0 ? bot.heldItem : bot.inventory.slots[bot.getEquipmentDestSlot('off-hand')]
  return /_bucket$|^lily_pad$/.test(held?.name ?? '')
}

/**
 * Return all positions along the bot's gaze; if no block was clicked, the server places the block
 * at one of them.
 * @param {Bot} bot
 */
function seenBy(bot) {
  const { position, yaw, pitch } = bot.entity
  const across = Math.cos(pitch)
  const gaze = new Vec3(-Math.sin(yaw) * across, Math.sin(pitch), -Math.cos(yaw) * across)
  const eye = position.offset(0, EYE_BLOCKS, 0)
  const places = new Set()
  for (let far = 0; far <= REACH_BLOCKS; far += STEP_BLOCKS)
    places.add(keyOf(eye.plus(gaze.scaled(far)).floored()))
  return places
}

/**
 * Return true if a position has changed to the block of an item.
 * @param {Bot} bot @param {number} item its number @param {Change} change
 */
function isOf(bot, item, { before, now }) {
  const { name } = bot.registry.items[item]
  const own = BLOCK_OF_ITEM[name] ?? name
  if (now.name === own) return !FLUIDS.has(own) || now.metadata === SOURCE
  // only the state changed, which does not count except when slabs form a double slab
  if (before?.name === now.name) return false
  const drops = /** @type {unknown[]} */ (now.drops ?? [])
  return drops.includes(item)
}
