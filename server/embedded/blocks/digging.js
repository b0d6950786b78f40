/**
 * Digging: the dig time of a block with the tool in hand, and breaking it.
 *
 * Upstream ignores tools and looks up the block before it waits, so that two players who finish the
 * same block both get its drop. Here check and change are one step (see `breakBlock`).
 */
import { Block, Vec3, itemNamed, registry } from '../minecraft/index.js'
import { stateAt, propertiesOf } from './blocks.js'
import { CREATIVE, SURVIVAL } from '../players/game-modes.js'
import { lootAt, packUp, lootOf } from './loot.js'

/** @import { Item, Player, Server } from '../types/index.d.ts' */

const STATUS = {
  START: 0,
  CANCEL: 1,
  FINISH: 2,
  DROP_STACK: 3,
  DROP_ONE: 4,
  STOP_USING: 5,
  SWAP_HANDS: 6
}
/**
 * Fraction of the dig time after which a finished dig breaks the block immediately, as in vanilla.
 * If a dig is finished earlier (its start arrived late, as from a busy client), the block breaks
 * when the dig time is over.
 */
const TIME_TOLERANCE = 0.7
const STAGES = 10

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const digger = new Digger(player, serv)
  const actions = {
    [STATUS.START]: (/** @type {Vec3} */ position) => digger.start(position),
    [STATUS.FINISH]: (/** @type {Vec3} */ position) => digger.finish(position),
    [STATUS.CANCEL]: () => digger.stop(),
    [STATUS.DROP_STACK]: () => player.throwHeld(true),
    [STATUS.DROP_ONE]: () => player.throwHeld(false),
    [STATUS.STOP_USING]: () => player.releaseUse(),
    [STATUS.SWAP_HANDS]: () => player.swapHands()
  }
  player._client.on('block_dig', ({ location, status, sequence }) => {
    const position = new Vec3(location.x, location.y, location.z)
    if (player.isDead) digger.stop()
    else actions[status]?.(position)
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })
  player._client.on('end', () => digger.leave())
  player.isBreaking = (position) => Boolean(digger.latePosition?.equals(position))
}

/** A player's current dig. */
class Digger {
  /** @param {Player} player @param {Server} serv */
  constructor(player, serv) {
    this.player = player
    this.serv = serv
    /** @type {{position: Vec3, state: number, started: number, needed: number, stages: NodeJS.Timeout} | null} */
    this.dig = null
    /**
     * A dig that was finished early: it still breaks its block, even if the player has begun
     * another dig.
     * @type {NodeJS.Timeout | null}
     */
    this.late = null
    /** @type {Vec3 | null} */
    this.latePosition = null
  }

  /** @param {Vec3} position */
  start(position) {
    const { player, serv } = this
    this.stop()
    const state = stateAt(serv.overworld, position)
    if (!state || !player.canReach(position)) return this.refuse(position)
    serv.emit('blockStruck', player, position)
    if (player.gameMode === CREATIVE) {
      return breakBlock(serv, player, position, state, { drop: false })
    }
    if (player.gameMode !== SURVIVAL) return this.refuse(position)
    const needed = digTime(player, state)
    if (!Number.isFinite(needed)) return this.refuse(position)
    const stages = setInterval(() => this.showStage(), Math.max(50, needed / STAGES))
    this.dig = { position, state, started: Date.now(), needed, stages }
    this.show(position, 0)
    if (needed === 0) this.finish(position)
  }

  /** @param {Vec3} position */
  finish(position) {
    const { player, serv, dig: current } = this
    if (!current || !current.position.equals(position)) return this.refuse(position)
    this.stop()
    const { state } = current
    const needed = Math.max(current.needed, digTime(player, state)) // the tool may have changed
    if (stateAt(serv.overworld, position) !== state || !player.canReach(position))
      return this.refuse(position)
    const passed = Date.now() - current.started
    if (passed >= needed * TIME_TOLERANCE) {
      return breakBlock(serv, player, position, state, { drop: true })
    }
    if (this.late) return this.refuse(position)
    this.latePosition = position
    this.late = setTimeout(() => {
      this.late = null
      this.latePosition = null
      if (stateAt(serv.overworld, position) === state && player.canReach(position)) {
        breakBlock(serv, player, position, state, { drop: true })
      }
    }, needed - passed)
  }

  stop() {
    if (!this.dig) return
    clearInterval(this.dig.stages)
    this.show(this.dig.position, -1)
    this.dig = null
  }

  leave() {
    this.stop()
    clearTimeout(this.late ?? undefined)
    this.late = null
    this.latePosition = null
  }

  showStage() {
    if (!this.dig) return
    const stage = Math.floor((STAGES * (Date.now() - this.dig.started)) / this.dig.needed)
    this.show(this.dig.position, Math.min(stage, STAGES - 1))
  }

  /** @param {Vec3} location @param {number} destroyStage */
  show(location, destroyStage) {
    const entityId = this.player.id
    this.player._writeOthersNearby('block_break_animation', { entityId, location, destroyStage })
  }

  /** Tell the client that the block is still there. @param {Vec3} position */
  refuse(position) {
    this.serv.sendBlock(this.player, position)
  }
}

/**
 * @param {Player} player @param {number} state
 * @returns {number} milliseconds, as a client computes them
 */
function digTime({ heldItem: tool, effects }, state) {
  const block = Block.fromStateId(state, 0)
  return block.digTime(tool?.type ?? null, false, false, false, tool?.enchants ?? [], effects)
}

// Breaking: remove the block, drop its loot once, and wear the tool.

/** Tools that wear out from digging, and the wear per block; swords wear twice as fast. */
const WEARS = /_(pickaxe|axe|shovel|hoe|sword)$|^shears$/
const DIG_EXHAUSTION = 0.005
/** This sound is not sent to the player who breaks the block; that client plays it itself. */
const BROKEN_EVENT = 2001
const SEEN_WITHIN = 64
/** @type {Record<string, Vec3>} */
const OTHER_HALF = { lower: new Vec3(0, 1, 0), upper: new Vec3(0, -1, 0) }
/** @type {Record<string, Vec3>} */
const BED_STEP = {
  north: new Vec3(0, 0, -1),
  south: new Vec3(0, 0, 1),
  west: new Vec3(-1, 0, 0),
  east: new Vec3(1, 0, 0)
}

/**
 * @param {Server} serv @param {Player} player @param {Vec3} position @param {number} state
 * @param {{drop: boolean}} options
 */
function breakBlock(serv, player, position, state, { drop }) {
  const block = registry.blocksByStateId[state]
  const tool = player.heldItem
  const centre = position.offset(0.5, 0.25, 0.5)
  serv.send(
    serv.getNearby({ position, radius: SEEN_WITHIN }).filter((other) => other !== player),
    'world_event',
    { effectId: BROKEN_EVENT, location: position, data: state, global: false }
  )
  const drops = dropsOf(serv, position, state, { drop, tool })
  serv.setBlock(position, 0)
  breakOtherHalf(serv, position, state)
  for (const item of drops) serv.dropItem(item, centre)
  if (drop && block.hardness > 0 && tool && WEARS.test(tool.name)) {
    player.wearTool(tool.name.endsWith('_sword') ? 2 : 1)
  }
  if (drop) player.tire(DIG_EXHAUSTION)
  serv.emit('blockDug', player, position, block)
}

/**
 * Drop loot. In creative mode, only a shulker box with items in it drops.
 * @param {Server} serv @param {Vec3} position @param {number} state
 * @param {{drop: boolean, tool: Item | null}} how
 */
function dropsOf(serv, position, state, { drop, tool }) {
  if (drop) return serv.gamerules.doTileDrops ? lootAt(serv, position, state, tool) : []
  const packed = packUp(serv, position, registry.blocksByStateId[state])
  return packed ? [packed] : []
}

/**
 * Remove the other half of a door or bed.
 * @param {Server} serv @param {Vec3} position @param {number} state
 */
function breakOtherHalf(serv, position, state) {
  const block = registry.blocksByStateId[state]
  const { half, part, facing } = propertiesOf(state)
  const step = OTHER_HALF[half] ?? (part && BED_STEP[facing]?.scaled(part === 'foot' ? 1 : -1))
  if (!step || !/_(door|bed)$/.test(block.name)) return
  const other = position.plus(step)
  const otherState = stateAt(serv.overworld, other)
  if (registry.blocksByStateId[otherState] !== block) return
  serv.setBlock(other, 0)
  const drops = serv.gamerules.doTileDrops ? lootOf(serv, block, otherState, null) : []
  for (const { name, count } of drops)
    serv.dropItem(itemNamed(name, count), position.offset(0.5, 0.25, 0.5))
}
