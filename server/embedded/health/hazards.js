/**
 * Hazards: drowning, lava, fire, cactus, thorns, hot floors and suffocation (minecraft.wiki:
 * Damage). The server checks them five times a second; a body that was just hurt is immune
 * (immunity.js).
 */
import { blockAt, propertiesOf, stateAt } from '../blocks/blocks.js'
import { isFull } from '../blocks/full.js'
import { isMortal } from './health.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

const LOOK_TICKS = 4
const EYES = { standing: 1.62, sneaking: 1.27 }
const AIR_KEY = 1
const MOST_AIR = 300
const AIR_BACK = 4
const DROWNING_AT = -20
const [FIRE_RESISTANCE, WATER_BREATHING] = [11, 12]
const BURN_TICKS = { fire: 160, lava: 300 }
const BURN_PERIOD = 20
/**
 * Blocks that hurt bodies in their cell: damage and its type.
 * @type {Record<string, [damage: number, cause: string]>}
 */
const INSIDE = {
  lava: [4, 'lava'],
  fire: [1, 'in_fire'],
  soul_fire: [2, 'in_fire'],
  campfire: [1, 'in_fire'],
  soul_campfire: [2, 'in_fire'],
  cactus: [1, 'cactus'],
  sweet_berry_bush: [1, 'sweet_berry_bush']
}
const HOT = /^(lava|fire|soul_fire)$/

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const player of serv.players) {
      const isDue = (serv.tickCount + player.id) % LOOK_TICKS === 0
      if (isDue && player.spawned && !player.isDead) look(serv, player)
    }
  })
  serv.on('playerDied', (player) => {
    Object.assign(player, { burnTicks: 0, air: MOST_AIR })
  })
}

/** @param {Player} player */
export function player(player) {
  Object.assign(player, { burnTicks: 0, air: MOST_AIR, sentAir: MOST_AIR })
}

/** @param {Server} serv @param {Player} player */
function look(serv, player) {
  if (!isMortal(player)) {
    if (player.burnTicks) burn(player, 0)
    player.air = MOST_AIR
    return tellAir(player)
  }
  const eyes = player.position.offset(0, player.crouching ? EYES.sneaking : EYES.standing, 0)
  breathe(serv, player, eyes)
  touch(serv, player)
  smoulder(serv, player)
  if (isFull(stateAt(serv.overworld, eyes.floored()))) hurt(serv, player, 1, 'in_wall')
}

/** @param {Server} serv @param {Player} player @param {number} damage @param {string} cause */
function hurt(serv, player, damage, cause) {
  const isFire = /fire|lava|hot_floor/.test(cause)
  if (isFire && (!serv.gamerules.fireDamage || player.activeEffects.has(FIRE_RESISTANCE))) return
  player.hurt(damage, cause)
}

/** @param {Server} serv @param {Player} player @param {Vec3} eyes */
function breathe(serv, player, eyes) {
  const isUnder = isWater(serv, eyes.floored())
  const isFree = !serv.gamerules.drowningDamage || player.activeEffects.has(WATER_BREATHING)
  if (!isUnder || isFree) player.air = Math.min(MOST_AIR, player.air + AIR_BACK * LOOK_TICKS)
  else player.air -= LOOK_TICKS
  if (player.air <= DROWNING_AT) {
    player.air = 0
    player.hurt(2, 'drown')
  }
  tellAir(player)
}

/** @param {Player} player */
function tellAir(player) {
  if (player.air === player.sentAir) return
  player.sentAir = player.air
  const metadata = [{ key: AIR_KEY, type: 'int', value: player.air }]
  player._writeNearby('entity_metadata', { entityId: player.id, metadata })
}

/** @param {Server} serv @param {Vec3} cell */
function isWater(serv, cell) {
  const state = stateAt(serv.overworld, cell)
  if (!state) return false
  const { name } = blockAt(serv, cell)
  return (
    name === 'water' ||
    /^(tall_)?seagrass$|^kelp/.test(name) ||
    propertiesOf(state).waterlogged === 'true'
  )
}

/**
 * Apply the effects of the cells that a body touches.
 * @param {Server} serv @param {Player} player
 */
function touch(serv, player) {
  for (const cell of cellsOf(player)) {
    if (player.isDead) return
    const { name = 'air' } = blockAt(serv, cell) ?? {}
    const harm = INSIDE[name]
    if (!harm || propertiesOf(stateAt(serv.overworld, cell)).lit === 'false') continue
    if (HOT.test(name)) {
      const ticks = name === 'lava' ? BURN_TICKS.lava : BURN_TICKS.fire
      if (!player.activeEffects.has(FIRE_RESISTANCE))
        burn(player, Math.max(player.burnTicks, ticks))
    }
    const isYoung =
      name === 'sweet_berry_bush' && propertiesOf(stateAt(serv.overworld, cell)).age === '0'
    const isStill = name === 'sweet_berry_bush' && serv.tickCount - player.movedTick > LOOK_TICKS
    if (!isYoung && !isStill) hurt(serv, player, ...harm)
  }
  const floor = blockAt(serv, player.position.offset(0, -0.1, 0).floored())?.name
  if (floor === 'magma_block' && !player.crouching) hurt(serv, player, 1, 'hot_floor')
}

/** @param {Player} player @returns {Vec3[]} */
function cellsOf({ position, width, height }) {
  const half = width / 2 - 1e-4
  const [low, high] = [
    position.offset(-half, 1e-4, -half),
    position.offset(half, height - 1e-4, half)
  ]
  const cells = []
  for (let y = Math.floor(low.y); y <= Math.floor(high.y); y++) {
    for (let x = Math.floor(low.x); x <= Math.floor(high.x); x++) {
      for (let z = Math.floor(low.z); z <= Math.floor(high.z); z++)
        cells.push(low.clone().set(x, y, z))
    }
  }
  return cells
}

/** @param {Player} player @param {number} ticks */
function burn(player, ticks) {
  const wasBurning = player.burnTicks > 0
  player.burnTicks = ticks
  if (wasBurning === ticks > 0) return
  for (const [name, fields] of player.poses()) player._writeNearby(name, fields)
}

/** @param {Server} serv @param {Player} player */
function smoulder(serv, player) {
  if (!player.burnTicks || player.isDead) return
  if (isWater(serv, player.position.floored())) return burn(player, 0)
  const before = player.burnTicks
  burn(player, Math.max(0, before - LOOK_TICKS))
  const isDue = Math.floor(before / BURN_PERIOD) !== Math.floor(player.burnTicks / BURN_PERIOD)
  if (isDue) hurt(serv, player, 1, 'on_fire')
}
