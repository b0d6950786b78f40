/**
 * Beds: spawn points, and sleeping through the night.
 *
 * Messages and numbers are vanilla's (minecraft.wiki: Bed).
 */
import { registry } from '../minecraft/index.js'
import { translated } from '../minecraft/texts.js'
import { isBed, respawnPlaceBeside } from './bedside.js'
import { FACES, propertiesOf, stateAt } from './blocks.js'
import { CREATIVE } from '../players/game-modes.js'
import { isNether } from '../world/dimensions.js'
import { DIRECTIONS } from './orientation.js'
import { DAY_TICKS } from '../world/time.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

const NIGHT = { from: 12_542, to: 23_459 }
/** How long all players must be asleep before it becomes morning. */
const SLEEP_TICKS = 100
const REACH = { across: 3, up: 2 }
/** Distance from a bed within which a monster keeps players awake. */
const DANGER = { across: 8, up: 5 }
/** The only hostile mob near which players can sleep, because it is never angry here. */
const PEACEFUL = 'zombified_piglin'
const WAKE_ANIMATION = 2
const BEDS = Object.keys(registry.blocksByName).filter((name) => name.endsWith('_bed'))
const BURST_POWER = 5

/** @param {Server} serv */
export function server(serv) {
  serv.onUseBlock(BEDS, (player, position) => {
    goToBed(serv, player, headOf(serv, position))
    return true
  })

  serv.on('tick', () => {
    const sleepers = serv.players.filter((player) => player.bed)
    if (!sleepers.length) return
    for (const player of sleepers) if (player.bed && !isBed(serv, player.bed)) player.wakeUp()
    const long = sleepers.filter((player) => serv.tickCount - player.asleepSince >= SLEEP_TICKS)
    if (long.length >= neededSleepers(serv)) skipNight(serv)
  })

  serv.on('playerHurt', (player) => player.wakeUp())

  serv.checkBed = (player) => {
    const { spawnPoint, isBedSpawn, spawnAngle } = player
    if (!isBedSpawn || !spawnPoint) return
    if (respawnPlaceBeside(serv, spawnPoint, spawnAngle)) return
    player.isBedSpawn = false
    player.spawnPoint = null
    player.system(translated('block.minecraft.spawn.not_valid'))
    const fields = { reason: 'no_respawn_block_available', gameMode: 0 }
    player._client.write('game_state_change', fields)
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  Object.assign(player, { bed: null, isBedSpawn: false, asleepSince: 0 })

  player.wakeUp = () => {
    const { bed } = player
    if (!bed) return
    player.bed = null
    if (isBed(serv, bed)) serv.changeBlock(bed, { occupied: 'false' })
    player._writeNearby('animation', { entityId: player.id, animation: WAKE_ANIMATION })
    showPose(player)
    player.sendPlace()
    if (!player.disconnected) countSleepers(serv)
  }

  player._client.on('entity_action', ({ actionId }) => {
    if (actionId === 'stop_sleeping') player.wakeUp()
  })
  player.on('disconnected', () => player.wakeUp())
}

/**
 * Explode, as a bed does in a dimension where nobody can sleep.
 * @param {Server} serv @param {Vec3} head @param {Vec3} foot
 */
function burst(serv, head, foot) {
  for (const half of [foot, head]) serv.setBlock(half, 0)
  serv.explode(head.offset(0.5, 0.5, 0.5), BURST_POWER)
}

/** @param {Player} player */
function showPose(player) {
  for (const [name, fields] of player.poses()) player._writeNearby(name, fields)
}

/** @param {Server} serv @param {Vec3} position of either half */
function headOf(serv, position) {
  const { part, facing } = propertiesOf(stateAt(serv.overworld, position))
  return part === 'head' ? position : position.plus(FACES[DIRECTIONS.indexOf(facing)])
}

/** @param {Server} serv @param {Player} player @param {Vec3} head of the bed */
function goToBed(serv, player, head) {
  if (player.bed || player.isDead) return
  const refuse = (/** @type {string} */ why) =>
    serv.broadcast(translated(`block.minecraft.bed.${why}`), { to: [player], isActionBar: true })
  if (!isBed(serv, head)) return refuse('obstructed')
  const { occupied, facing } = propertiesOf(stateAt(serv.overworld, head))
  const foot = head.minus(FACES[DIRECTIONS.indexOf(facing)])
  if (![head, foot].some((half) => isInReach(player, half))) return refuse('too_far_away')
  if (isNether(head.x)) return burst(serv, head, foot)
  if (occupied === 'true') return refuse('occupied')
  settleAt(player, head)
  const time = serv.time % DAY_TICKS
  if (time < NIGHT.from || time > NIGHT.to) return refuse('no_sleep')
  if (player.gameMode !== CREATIVE && isThreatened(serv, head)) return refuse('not_safe')
  player.bed = head
  player.asleepSince = serv.tickCount
  serv.changeBlock(head, { occupied: 'true' })
  showPose(player)
  countSleepers(serv)
}

/** Return true if a monster is near a bed. @param {Server} serv @param {Vec3} head */
function isThreatened(serv, head) {
  const { x, y, z } = head.offset(0.5, 0, 0.5)
  return [...serv.animals.values()].some(({ name, kind, position, width, height }) => {
    const away = Math.max(Math.abs(position.x - x), Math.abs(position.z - z)) - width / 2
    const isLevel = position.y < y + DANGER.up && position.y + height > y - DANGER.up
    return kind.type === 'hostile' && name !== PEACEFUL && away < DANGER.across && isLevel
  })
}

/** @param {Player} player @param {Vec3} head */
function settleAt(player, head) {
  if (player.isBedSpawn && player.spawnPoint?.equals(head)) return
  player.spawnPoint = head
  player.spawnAngle = player.yaw
  player.isBedSpawn = true
  player.system(translated('block.minecraft.set_spawn'))
}

/** @param {Player} player @param {Vec3} half */
function isInReach({ position }, half) {
  const away = position.minus(half.offset(0.5, 0, 0.5))
  return (
    Math.abs(away.x) <= REACH.across &&
    Math.abs(away.y) <= REACH.up &&
    Math.abs(away.z) <= REACH.across
  )
}

/** Return the number of sleepers needed. @param {Server} serv */
function neededSleepers(serv) {
  const share = Number(serv.gamerules.playersSleepingPercentage) / 100
  return Math.max(1, Math.ceil(serv.players.length * share))
}

/** Tell all players the number of sleepers. @param {Server} serv */
function countSleepers(serv) {
  const sleeping = serv.players.filter((player) => player.bed).length
  const needed = neededSleepers(serv)
  const text =
    sleeping >= needed
      ? translated('sleep.skipping_night')
      : translated('sleep.players_sleeping', sleeping, needed)
  serv.broadcast(text, { isActionBar: true })
}

/** @param {Server} serv */
function skipNight(serv) {
  if (serv.gamerules.doDaylightCycle) {
    serv.setTime((Math.floor(serv.time / DAY_TICKS) + 1) * DAY_TICKS)
  }
  for (const player of serv.players) player.wakeUp()
}
