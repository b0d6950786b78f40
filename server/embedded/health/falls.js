/** Falls: fall distance of players, blocks that reduce it, and the effect of the ground. */
import { Vec3, registry } from '../minecraft/index.js'
import { stateAt, propertiesOf } from '../blocks/blocks.js'
import { shapesOf } from '../entities/collisions.js'
import { levelOfEffect } from './effects.js'
import { isTall } from '../blocks/full.js'

/** @import { Player, Position, Server } from '../types/index.d.ts' */

const SAFE_FALL_BLOCKS = 3
/** A body is treated as slightly smaller, so that mere contact does not count. */
const BODY = { half: 0.299, height: 1.799 }
/** Maximum distance between the feet and the supporting block's top. */
const NEAR = 0.01
/** A body also lands on a block that is this far below its feet, for example through a carpet. */
const BELOW = 0.2

/** @param {Server} serv */
export function server(serv) {
  serv.on('playerMoved', (player, before, onGround) => {
    player.tireOfSprint(before)
    player.trackFall(before, onGround)
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.fallBlocks = 0

  /**
   * As in vanilla, the step that ends on the ground does not count.
   * @param {Vec3} before previous position @param {boolean} onGround
   */
  player.trackFall = (before, onGround) => {
    const { y } = player.position
    const isSinking = y < before.y
    if (!isSinking && player.fallBlocks === 0) return
    const share = levelOfEffect(player, 'SlowFalling')
      ? 0
      : shareLeft(serv, player.position, before)
    player.fallBlocks *= share
    if (onGround) land()
    else if (y > before.y) player.fallBlocks = 0
    else if (share > 0) player.fallBlocks += before.y - y
  }

  function land() {
    const blocks = player.fallBlocks
    if (blocks > 0) {
      serv.emit('playerLanded', player, blocks)
      const landing = landingOn(stateAt(serv.overworld, groundOf(serv, player.position)))
      const safe = SAFE_FALL_BLOCKS + levelOfEffect(player, 'JumpBoost')
      const isBounced = landing.bounces && !player.crouching
      const damage = isBounced ? 0 : fallDamage(landing, blocks, safe)
      if (damage > 0 && serv.gamerules.fallDamage) player.hurt(damage, landing.cause)
    }
    player.fallBlocks = 0 // clients have received the death message by now
  }
}

/**
 * Return the fraction of the fall that remains after a move.
 * @param {Server} serv @param {Position} feet @param {Position} before
 */
function shareLeft(serv, { x, y, z }, before) {
  let left = 1
  const feel = (/** @type {Position} */ cell) => {
    const catcher = catcherOf(stateAt(serv.overworld, cell))
    if (!catcher) return
    const isMiddle = cell.x === Math.floor(x) && cell.z === Math.floor(z)
    const isIn = catcher.isClimbed
      ? isMiddle && cell.y <= Math.max(y, before.y)
      : y + NEAR < cell.y + catcher.height
    if (isIn) left = Math.min(left, catcher.share)
  }
  for (const cell of cellsOf({ x, y, z }, Math.floor(y), Math.max(y + BODY.height, before.y)))
    feel(cell)
  return left
}

/**
 * Return the cell of the block that a body lands on.
 * @param {Server} serv @param {Position} feet
 */
function groundOf(serv, feet) {
  const { x, y, z } = feet
  let best = new Vec3(x, y - BELOW, z).floored()
  let nearest = Infinity
  for (const cell of cellsOf(feet, Math.floor(y - NEAR) - 1, y)) {
    const state = stateAt(serv.overworld, cell)
    const bears = shapesOf(state).some(
      ([west, , north, east, top, south]) =>
        Math.abs(cell.y + top - y) < NEAR &&
        Math.abs(cell.x + (west + east) / 2 - x) < BODY.half + (east - west) / 2 &&
        Math.abs(cell.z + (north + south) / 2 - z) < BODY.half + (south - north) / 2
    )
    const far = Math.hypot(cell.x + 0.5 - x, cell.y + 0.5 - y, cell.z + 0.5 - z)
    if (!bears || far >= nearest) continue
    nearest = far
    best = isTall(state) ? cell : new Vec3(cell.x, Math.floor(y - BELOW), cell.z)
  }
  return best
}

/**
 * Yield the cells that a body touches between two heights.
 * @param {Position} feet @param {number} low @param {number} high
 */
function* cellsOf({ x, z }, low, high) {
  const { half } = BODY
  for (let cy = low; cy <= high; cy++) {
    for (let cx = Math.floor(x - half); cx <= x + half; cx++) {
      for (let cz = Math.floor(z - half); cz <= z + half; cz++) yield new Vec3(cx, cy, cz)
    }
  }
}

// Blocks that reduce a fall, and what landing on them does (minecraft.wiki: Fall damage, Java
// Edition).

/**
 * Effect of a block on a player who lands on it.
 *
 * @typedef {object} Landing
 * @property {number} depth fraction of the fall distance that counts
 * @property {number} deeper additional blocks of fall distance
 * @property {number} share fraction of the damage
 * @property {boolean} bounces true if it throws players up unharmed unless they sneak
 * @property {string} cause damage type
 */

/** @type {Landing} */
const STONE = { depth: 1, deeper: 0, share: 1, bounces: false, cause: 'fall' }

/**
 * Blocks on which landing differs from landing on stone, and the states in which it does.
 * @type {[name: RegExp, state: Record<string, string>, landing: Partial<Landing>][]}
 */
const LANDINGS = [
  [/^(hay_block|honey_block)$/, {}, { share: 0.2 }],
  [/^slime_block$/, {}, { bounces: true }],
  [/^powder_snow$/, {}, { share: 0 }],
  [/_bed$/, {}, { depth: 0.5 }],
  [
    /^pointed_dripstone$/,
    { vertical_direction: 'up', thickness: 'tip' },
    { deeper: 2, share: 2, cause: 'stalagmite' }
  ]
]

/**
 * Blocks that slow the fall of a body inside them. `height`: the body must touch the cell up to
 * this height; `isClimbed`: the feet must be inside. `share`: fraction of the fall distance that
 * remains after each tick.
 * @type {[name: RegExp, rule: {height?: number, isClimbed?: boolean, share?: number}][]}
 */
const CATCHERS = [
  [/^(cobweb|sweet_berry_bush|powder_snow|bubble_column)$/, { height: 1 }],
  [/^(kelp|kelp_plant|seagrass|tall_seagrass)$/, { height: 8 / 9 }],
  [/^honey_block$/, { height: 15 / 16 }],
  [/^(ladder|vine|scaffolding|(weeping|twisting|cave)_vines(_plant)?)$/, { isClimbed: true }],
  [/^lava$/, { height: 8 / 9, share: 0.5 }]
]
const FULL_LEVEL = 8
const WATER_HEIGHT = 8 / 9

/** @typedef {{height: number, isClimbed: boolean, share: number}} Catcher */

/** @type {Map<number, Landing>} */
const landings = new Map()
/** @type {Map<number, Catcher | null>} */
const catchers = new Map()

/** @param {number} state @returns {Landing} */
function landingOn(state) {
  const known = landings.get(state)
  if (known) return known
  const { name } = registry.blocksByStateId[state]
  const properties = propertiesOf(state)
  const found = LANDINGS.find(
    ([names, wanted]) =>
      names.test(name) && Object.entries(wanted).every(([key, value]) => properties[key] === value)
  )
  const landing = { ...STONE, ...found?.[2] }
  landings.set(state, landing)
  return landing
}

/** @param {number} state @returns {Catcher | null} its effect on a falling body, or null */
function catcherOf(state) {
  let known = catchers.get(state)
  if (known === undefined) catchers.set(state, (known = catcherFor(state)))
  return known
}

/** @param {number} state @returns {Catcher | null} */
function catcherFor(state) {
  const { name } = registry.blocksByStateId[state]
  const usual = { height: 0, isClimbed: false, share: 0 }
  const [, rule] = CATCHERS.find(([names]) => names.test(name)) ?? []
  if (rule) return { ...usual, ...rule }
  const { level, waterlogged } = propertiesOf(state)
  if (name === 'water') {
    const down = Number(level) % FULL_LEVEL // levels from 8 on are falling fluid, and full
    return { ...usual, height: (WATER_HEIGHT * (FULL_LEVEL - down)) / FULL_LEVEL }
  }
  return waterlogged === 'true' ? { ...usual, height: WATER_HEIGHT } : null
}

/**
 * Return damage in half hearts, before armour.
 * @param {Landing} landing @param {number} blocks fallen
 * @param {number} safe blocks that do no harm
 */
const fallDamage = ({ depth, deeper, share }, blocks, safe) =>
  Math.max(0, Math.ceil((blocks * depth + deeper - safe) * share))
