/**
 * Movement: where players are, as their clients say and the server believes. What a client sent
 * before it confirmed its last teleport is ignored, so that a teleport is never undone by a packet
 * under way. A move that is too far, or into a block, is undone by a teleport back, as in vanilla.
 */
import { Vec3 } from '../minecraft.js'
import { stateAt } from './blocks.js'
import { isFull } from './full.js'
import { CREATIVE, SPECTATOR } from './game-modes.js'

/** @import { Place, Player, Rotation, Server } from '../types.d.ts' */

const WORLD_EDGE = 3e7
/** Blocks that one packet may move a player, as in vanilla. */
const LONGEST_STEP = 10
/**
 * Blocks a second of game time along the ground and up, faster than any player runs or flies; and how
 * many a client that was held up may make up for at once.
 */
const PACE = { onFoot: 20, flying: 80 }
const MOST_SAVED = { onFoot: 100, flying: 400 }
/** How a step that is longer than a body is looked along, in blocks. */
const STEP_PART = 0.5
/** Places of a body above its feet that may not enter a block. */
const BODY = [0.2, 1.5]

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const budget = new Budget(player)
  player._client.on('position', (to) => move(to))
  player._client.on('look', (to) => turn(to))
  player._client.on('position_look', (to) => {
    if (move(to)) turn(to)
  })
  player._client.on('flying', ({ onGround }) => {
    if (!player.isAstray()) serv.emit('playerMoved', player, player.position, onGround)
    player.onGround = onGround
  })

  /** @param {Place} to @returns {boolean} whether it counts */
  function move({ x, y, z, onGround }) {
    const isPlace = [x, y, z].every((n) => Number.isFinite(n) && Math.abs(n) < WORLD_EDGE)
    if (player.isAstray() || !isPlace || player.isDead || player.vehicle) return false
    const before = player.position
    const to = new Vec3(x, y, z)
    if (!budget.allows(before, to) || !isWay(serv, player, before, to)) {
      const { fallBlocks } = player
      player.teleport(before)
      player.fallBlocks = fallBlocks // who is put back has fallen all the same
      return false
    }
    serv.moveEntity(player, to, onGround)
    serv.emit('playerMoved', player, before, onGround)
    return true
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

/** How far a player may have come by now. */
class Budget {
  /** @param {Player} player */
  constructor(player) {
    this.player = player
    this.saved = MOST_SAVED.onFoot
    this.at = Date.now()
  }

  /** @param {Vec3} before @param {Vec3} to */
  allows(before, to) {
    const step = to.minus(before)
    if (step.norm() > LONGEST_STEP) return false
    const flies = [CREATIVE, SPECTATOR].includes(this.player.gameMode) || this.player.isGliding
    const mode = flies ? 'flying' : 'onFoot'
    const now = Date.now()
    const earned = (PACE[mode] * Math.max(0, now - this.at)) / 1000
    this.saved = Math.min(MOST_SAVED[mode], this.saved + earned)
    this.at = now
    const way = Math.hypot(step.x, Math.max(0, step.y), step.z) // down, a player falls
    if (way > this.saved) return false
    this.saved -= way
    return true
  }
}

/** Whether a body gets there without entering a block. @param {Server} serv @param {Player} player @param {Vec3} before @param {Vec3} to */
function isWay(serv, player, before, to) {
  if (player.gameMode === SPECTATOR || isInBlock(serv, before)) return true
  const step = to.minus(before)
  const parts = Math.max(1, Math.ceil(step.norm() / STEP_PART))
  for (let part = parts; part >= 1; part--) {
    if (isInBlock(serv, before.plus(step.scaled(part / parts)))) return false
  }
  return true
}

/** Whether a body's axis is in a block that fills its cell. @param {Server} serv @param {Vec3} feet */
function isInBlock(serv, feet) {
  return BODY.some((above) => isFull(stateAt(serv.overworld, feet.offset(0, above, 0).floored())))
}
