/**
 * Movement: validation of the positions that clients report. After a teleport, packets that the
 * client sent before it confirmed the teleport are ignored, so that a packet in flight never undoes
 * a teleport. A move that is too far, or into a block, is undone by teleporting the player back. A
 * player who floats in the air is kicked, as in vanilla.
 */
import { getSpeed } from '@voxpolis/clock'
import { BOUNDS, Vec3 } from '../minecraft/index.js'
import { translated } from '../minecraft/texts.js'
import { stateAt } from '../blocks/blocks.js'
import { isWay } from '../entities/collisions.js'
import { shown } from '../world/dimensions.js'
import { cellsNear, Floating, isSupported, mayFloat } from './floating.js'
import { CREATIVE, SPECTATOR } from './game-modes.js'

/** @import { Options, Place, Player, Rotation, Server } from '../types/index.d.ts' */

/**
 * Maximum movement per packet in blocks; clients send one packet per tick. `onFoot` is more than
 * running, knockback and sliding on ice; `up` is more than a bounce on slime; `down` is more than
 * any fall.
 */
export const LONGEST_STEP = {
  onFoot: { across: 2, up: 4, down: 10 },
  flying: { across: 10, up: 10, down: 10 }
}
/**
 * Maximum speed in blocks per second of game time, horizontally and upwards (more than any running
 * or flying player), and the number of seconds that a client may make up for after a stall. A stall
 * lasts for wall-clock time, which is more game time the faster the clock runs.
 */
const PACE = { onFoot: 20, flying: 80 }
const MOST_SAVED = { onFoot: 100, flying: 400 }
const USUAL_SPEED = 5
const MOST_TOLD = 20

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.allowFlight = options.allowFlight
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const flies = () => [CREATIVE, SPECTATOR].includes(player.gameMode) || player.isGliding
  const budget = new Budget(() => (flies() ? 'flying' : 'onFoot'))
  const floating = new Floating()
  let told = 0
  player._client.on('position', (to) => move(to))
  player._client.on('look', (to) => {
    rest(to)
    turn(to)
  })
  player._client.on('position_look', (to) => {
    if (!player.isLateAnswer(to) && move(to)) turn(to)
  })
  player._client.on('flying', (to) => rest(to))
  player.on('answered', () => {
    floating.answer()
    expelIfFloating()
  })
  player.on('teleported', () => floating.land())

  /**
   * Process the report of a player who does not move: only whether the player is on the ground.
   * @param {{onGround: boolean}} to
   */
  function rest({ onGround }) {
    if (player.isAstray() || player.isDead || player.vehicle || player.isExpelled) return
    player.onGround = onGround
    serv.emit('playerMoved', player, player.position, onGround)
  }

  /** @param {Place} to @returns {boolean} true if the move is accepted */
  function move({ x, y, z, onGround }) {
    if ([x, y, z].some(Number.isNaN)) {
      const reason = translated('multiplayer.disconnect.invalid_player_movement')
      player.expel(reason, 'for an invalid position')
    }
    const isPlace = [x, y, z].every((n) => Number.isFinite(n) && Math.abs(n) < BOUNDS.edge)
    if (player.isAstray() || !isPlace || player.isDead || player.vehicle || player.isExpelled)
      return false
    const before = player.position
    const to = new Vec3(x, y, z)
    if (serv.isFrozen && !player.follows) {
      player.teleport(before) // the client's own clock still runs
      return false
    }
    const isTooFast = !budget.allows(before, to)
    if (isTooFast || !isWayOf(serv, player, before, to)) {
      tell(`moved ${isTooFast ? 'too quickly' : 'wrongly'}: ${shown(before)} to ${shown(to)}`)
      const { fallBlocks } = player
      player.teleport(before)
      player.fallBlocks = fallBlocks // a player who is put back has fallen all the same
      return false
    }
    serv.moveEntity(player, to, onGround)
    serv.emit('playerMoved', player, before, onGround)
    float(before, to)
    return true
  }

  /** Log a violation, as in vanilla, but only the first one of each player. @param {string} what */
  function tell(what) {
    told += 1
    if (told <= MOST_TOLD) serv.warn(`${player.username} ${what}`)
  }

  /** @param {Vec3} before @param {Vec3} to */
  function float(before, to) {
    if (mayFloat(serv, player) || isSupported(serv, to)) return floating.land()
    floating.step(to.y - before.y)
    if (floating.isHalfway) for (const cell of cellsNear(to)) serv.sendBlock(player, cell)
    expelIfFloating()
  }

  function expelIfFloating() {
    if (player.isExpelled || !floating.isTooLong) return
    if (mayFloat(serv, player) || isSupported(serv, player.position)) return floating.land()
    player.expel(translated('multiplayer.disconnect.flying'), 'for floating too long')
  }

  /** @param {Rotation} to */
  function turn({ yaw, pitch }) {
    if (player.isAstray() || !Number.isFinite(yaw) || !Number.isFinite(pitch)) return
    if (yaw === player.yaw && pitch === player.pitch) return
    player.yaw = yaw
    player.pitch = pitch
    player.turnedTick = serv.tickCount
  }
}

/** Distance that a player can have covered by now. */
export class Budget {
  /** @param {() => keyof typeof PACE} mode current mode of movement */
  constructor(mode) {
    this.mode = mode
    this.scale = Math.max(1, getSpeed() / USUAL_SPEED)
    this.saved = MOST_SAVED.onFoot * this.scale
    this.at = Date.now()
  }

  /** @param {Vec3} before @param {Vec3} to */
  allows(before, to) {
    const step = to.minus(before)
    const mode = this.mode()
    if (!isShort(step, LONGEST_STEP[mode])) return false
    const now = Date.now()
    const earned = (PACE[mode] * Math.max(0, now - this.at)) / 1000
    this.saved = Math.min(MOST_SAVED[mode] * this.scale, this.saved + earned)
    this.at = now
    const way = Math.hypot(step.x, Math.max(0, step.y), step.z) // players move downwards by falling
    if (way > this.saved) return false
    this.saved -= way
    return true
  }
}

/** @param {Vec3} step @param {{across: number, up: number, down: number}} longest */
export function isShort(step, { across, up, down }) {
  return Math.hypot(step.x, step.z) <= across && step.y <= up && step.y >= -down
}

/**
 * Return true if a body can move there past the blocks that its client knows about.
 * @param {Server} serv @param {Player} player @param {Vec3} before @param {Vec3} to
 */
function isWayOf(serv, player, before, to) {
  return player.gameMode === SPECTATOR || isWayFor(serv, player, before, to)
}

/**
 * @param {Server} serv @param {Player} player whose client moves a body @param {Vec3} before
 * @param {Vec3} to
 */
export function isWayFor(serv, player, before, to) {
  const known = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) => {
    const state = stateAt(serv.overworld, { x, y, z })
    if (!state) return 0
    const position = new Vec3(x, y, z)
    return serv.hasHeard(player, position) && !player.isBreaking(position) ? state : 0
  }
  return isWay(known, before, to)
}
