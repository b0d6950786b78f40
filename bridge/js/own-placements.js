/** Which blocks a bot has placed itself, as the server says it and not as Mineflayer guesses. */
import { createRequire } from 'node:module'
import { FACES } from './faces.js'
import { round } from './observe.js'
import { opens } from './used-blocks.js'

/** @import { Block, Bot, Emit, Item, Position } from './types.d.ts' */

const { Vec3 } = createRequire(import.meta.url)('vec3')

/** Where the hotbar begins in the bot's own window, and the other hand. */
const HOTBAR = 36
const OTHER_HAND = 45
/** How long the server may take to say that the block stands. */
const CONFIRM_MS = 5_000
/** How far a bot can place a block, and how finely the line of its gaze is followed. */
const REACH_BLOCKS = 5
const STEP_BLOCKS = 0.1
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

/** What flows, and the state of what was poured out. */
const FLUIDS = new Set(['water', 'lava'])
const SOURCE = 0

/** @param {Position} position */
const keyOf = ({ x, y, z }) => `${x},${y},${z}`

/**
 * One placement that was asked for.
 * @typedef {object} Placement
 * @property {Set<string>} places where it may stand
 * @property {number} slot
 * @property {Item} held before it
 * @property {Block | null} block that stands there since
 * @property {boolean} isPaid whether what was held is less by it
 */

/**
 * Records each block that the bot placed, whichever call it was by, once it stands and the server has said that
 * it was paid. Mineflayer takes any new block in that place for the bot's, and somebody else may have been faster.
 * @param {Bot} bot @param {Emit} emit @param {import('./own-items.js').OwnItems} items
 */
export function watchPlacing(bot, emit, items) {
  /** @type {Set<Placement>} */
  const pending = new Set()

  /** @param {Placement} placement */
  const settle = (placement) => {
    const { block, isPaid } = placement
    if (!block || !isPaid) return
    pending.delete(placement)
    emit({ kind: 'block_placed', block: block.name, position: round(block.position) })
  }

  /** @param {string} name of a packet @param {any} fields */
  const asked = (name, { hand, location, direction }) => {
    const slot = hand === 0 ? HOTBAR + bot.quickBarSlot : OTHER_HAND
    const held = bot.inventory.slots[slot]
    const clicked = name === 'block_place'
    if (!held || !(clicked || Object.hasOwn(BLOCK_OF_ITEM, held.name))) return
    if (clicked && opens(bot, location) && !bot.getControlState('sneak')) return
    const places = clicked ? besides(location, direction) : seenBy(bot)
    const isPaid = bot.game.gameMode === 'creative' // it costs nothing
    /** @type {Placement} */
    const placement = { places, slot, held, block: null, isPaid }
    pending.add(placement)
    setTimeout(() => pending.delete(placement), CONFIRM_MS)
    if (isPaid) return
    items.ask((slots) => {
      const left = slots[slot]
      placement.isPaid = isLess(placement.held, left)
      if (!placement.isPaid) pending.delete(placement)
      for (const other of pending) if (other.slot === slot && left) other.held = left
      settle(placement)
    })
  }

  bot.on('blockUpdate', (before, block) => {
    if (!block) return
    const key = keyOf(block.position)
    const placement = [...pending].find(
      (one) => !one.block && one.places.has(key) && isOf(one.held, before, block)
    )
    if (!placement) return
    placement.block = block
    settle(placement)
  })

  const client = /** @type {any} */ (bot._client)
  const { write } = client
  client.write = (/** @type {string} */ name, /** @type {any} */ fields) => {
    const done = write.call(client, name, fields)
    if (name === 'block_place' || name === 'use_item') asked(name, fields)
    return done
  }
}

/** The block that was clicked, which may give way, and the one before its face. @param {Position} location @param {number} direction */
function besides({ x, y, z }, direction) {
  const [dx, dy, dz] = FACES[direction] ?? [0, 0, 0]
  return new Set([keyOf({ x, y, z }), keyOf({ x: x + dx, y: y + dy, z: z + dz })])
}

/** All places on the line of the bot's gaze: one of them is where a server puts what no block was clicked for. @param {Bot} bot */
function seenBy(bot) {
  const { position, yaw, pitch } = bot.entity
  const [x, y, z] = [
    -Math.sin(yaw) * Math.cos(pitch),
    Math.sin(pitch),
    -Math.cos(yaw) * Math.cos(pitch)
  ]
  const eye = position.offset(0, 1.62, 0)
  const places = new Set()
  for (let far = 0; far <= REACH_BLOCKS; far += STEP_BLOCKS)
    places.add(keyOf(eye.plus(new Vec3(x * far, y * far, z * far)).floored()))
  return places
}

/** Whether a block may be what an item was placed as, and was not there before. @param {Item} item @param {Block | null} before @param {Block} now */
function isOf(item, before, now) {
  if (before?.stateId === now.stateId) return false
  const own = BLOCK_OF_ITEM[item.name] ?? item.name
  if (now.name === own) return !FLUIDS.has(own) || now.metadata === SOURCE
  if (before?.name === now.name) return false // it has only changed: slabs that are put together are `own`
  const drops = /** @type {unknown[]} */ (now.drops ?? [])
  return drops.includes(item.type)
}

/** Whether something of what was held is gone: of what becomes another thing, such as a bucket that is emptied, all is. @param {Item} before @param {Item | null} after */
function isLess(before, after) {
  return !after || after.type !== before.type || after.count < before.count
}
