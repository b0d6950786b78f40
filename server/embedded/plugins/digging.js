/**
 * Digging: the tool decides whether a block drops anything, and a block drops once.
 *
 * Upstream ignores tools and looks a block up before it waits, so that two players who finish the
 * same block both get its drop. Here the check and the change are one step.
 */
import { createRequire } from 'node:module'
import { blockAt, stateAt } from './blocks.js'
import { copyItem, itemClass } from './items.js'
import { lootOf } from './loot.js'

const require = createRequire(import.meta.url)

const STATUS = { START: 0, CANCEL: 1, FINISH: 2, DROP_STACK: 3, DROP_ONE: 4, SWAP_HANDS: 6 }
const REACH_BLOCKS = 6
const SURVIVAL = 0
const CREATIVE = 1
/** Share of the dig time that must have passed: clocks of client and server drift under load. */
const TIME_TOLERANCE = 0.7
const STAGES = 10

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  const { Vec3 } = require('vec3')
  const Item = itemClass(serv)
  const Block = require('prismarine-block')(serv.registry)
  /** @type {{position: any, state: number, started: number, needed: number, stages: NodeJS.Timeout} | null} */
  let dig = null

  player._client.on('block_dig', (/** @type {any} */ { location, status, sequence }) => {
    const position = new Vec3(location.x, location.y, location.z)
    if (status === STATUS.START) start(position)
    else if (status === STATUS.FINISH) finish(position)
    else if (status === STATUS.CANCEL) stop()
    else if (status === STATUS.DROP_STACK) throwHeld(true)
    else if (status === STATUS.DROP_ONE) throwHeld(false)
    else if (status === STATUS.SWAP_HANDS) swapHands()
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })

  /** @param {any} position */
  function start(position) {
    stop()
    const state = stateAt(player.world, position)
    if (!state || !inReach(position)) return refuse(position)
    if (player.gameMode === CREATIVE) return breakBlock(position, state, { drop: false })
    if (player.gameMode !== SURVIVAL) return refuse(position)
    const needed = digTime(state)
    const stages = setInterval(() => showStage(), Math.max(50, needed / STAGES))
    dig = { position, state, started: Date.now(), needed, stages }
    show(position, 0)
    if (needed === 0) finish(position)
  }

  /** @param {any} position */
  function finish(position) {
    const current = dig
    stop()
    if (!current || !current.position.equals(position)) return refuse(position)
    const state = stateAt(player.world, position)
    const passed = Date.now() - current.started
    if (state !== current.state || passed < current.needed * TIME_TOLERANCE || !inReach(position)) {
      return refuse(position)
    }
    breakBlock(position, state, { drop: true })
  }

  function stop() {
    if (!dig) return
    clearInterval(dig.stages)
    show(dig.position, -1)
    dig = null
  }

  function showStage() {
    if (!dig) return
    const stage = Math.floor((STAGES * (Date.now() - dig.started)) / dig.needed)
    show(dig.position, Math.min(stage, STAGES - 1))
  }

  /** @param {any} location @param {number} destroyStage */
  function show(location, destroyStage) {
    const entityId = player.id
    player._writeOthersNearby('block_break_animation', { entityId, location, destroyStage })
  }

  /** @param {number} state @returns {number} milliseconds, as a client computes them */
  function digTime(state) {
    const block = Block.fromStateId(state, 0)
    const tool = player.heldItem
    return block.digTime(tool?.type ?? null, false, false, false, tool?.enchants ?? [], {})
  }

  /** @param {any} position */
  function inReach(position) {
    const eye = player.position.offset(0, 1.62, 0)
    return eye.distanceTo(position.offset(0.5, 0.5, 0.5)) <= REACH_BLOCKS
  }

  /** Tells the client that the block is still there. @param {any} position */
  function refuse(position) {
    player.sendBlock(position, stateAt(player.world, position))
  }

  /** @param {any} position @param {number} state @param {{drop: boolean}} options */
  function breakBlock(position, state, { drop }) {
    const block = blockAt(serv, position)
    const held = serv.removeContainer(position)
    const centre = position.offset(0.5, 0.25, 0.5)
    serv.setBlock(player.world, position, 0)
    if (!serv.gamerules.doTileDrops) return
    const drops = drop ? lootOf(serv, block, player.heldItem) : []
    for (const { name, count } of drops) {
      serv.dropItem(new Item(serv.registry.itemsByName[name].id, count), centre)
    }
    for (const item of held) serv.dropItem(item, centre)
  }

  /** @param {boolean} all */
  function throwHeld(all) {
    const item = player.heldItem
    if (!item) return
    const count = all ? item.count : 1
    const rest = item.count - count
    const left = rest ? copyItem(serv, item, rest) : null
    player.inventory.updateSlot(36 + player.heldItemSlot, left)
    player.throwItem(copyItem(serv, item, count))
  }

  function swapHands() {
    const slot = 36 + player.heldItemSlot
    const [main, off] = [player.inventory.slots[slot], player.inventory.slots[45]]
    player.inventory.updateSlot(slot, off)
    player.inventory.updateSlot(45, main)
  }

  player._client.on('end', stop)
}
