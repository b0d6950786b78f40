/**
 * Digging: the tool decides whether a block drops anything, and a block drops once.
 *
 * Upstream ignores tools and looks a block up before it waits, so that two players who finish the
 * same block both get its drop. Here the check and the change are one step.
 */
import { Block, Item, itemNamed, registry, Vec3 } from '../minecraft.js'
import { copyOf } from '../windows/store.js'
import { propertiesOf, stateAt } from './blocks.js'
import { lootOf } from './loot.js'

const STATUS = {
  START: 0,
  CANCEL: 1,
  FINISH: 2,
  DROP_STACK: 3,
  DROP_ONE: 4,
  STOP_USING: 5,
  SWAP_HANDS: 6
}
const SURVIVAL = 0
const CREATIVE = 1
/**
 * Share of the dig time that must have passed for a block to break at once, as in vanilla. One that
 * is finished earlier (its start came late, as from a busy client) breaks when its time is over.
 */
const TIME_TOLERANCE = 0.7
const STAGES = 10
/** Tools that digging wears, and by how much; swords wear double. */
const WEARS = /_(pickaxe|axe|shovel|hoe|sword)$|^shears$/

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  /** @type {{position: any, state: number, started: number, needed: number, stages: NodeJS.Timeout} | null} */
  let dig = null
  /** A dig that was finished early: it still breaks its block, even when another was begun.
   * @type {NodeJS.Timeout | null} */
  let late = null

  player._client.on('block_dig', (/** @type {any} */ { location, status, sequence }) => {
    const position = new Vec3(location.x, location.y, location.z)
    if (player.isDead) stop()
    else if (status === STATUS.START) start(position)
    else if (status === STATUS.FINISH) finish(position)
    else if (status === STATUS.CANCEL) stop()
    else if (status === STATUS.DROP_STACK) throwHeld(true)
    else if (status === STATUS.DROP_ONE) throwHeld(false)
    else if (status === STATUS.STOP_USING) player.stopUsing()
    else if (status === STATUS.SWAP_HANDS) swapHands()
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })

  /** @param {any} position */
  function start(position) {
    stop()
    const state = stateAt(player.world, position)
    if (!state || !player.canReach(position)) return refuse(position)
    if (player.gameMode === CREATIVE) return breakBlock(position, state, { drop: false })
    if (player.gameMode !== SURVIVAL) return refuse(position)
    const needed = digTime(state)
    if (!Number.isFinite(needed)) return refuse(position)
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
    const { state, needed } = current
    if (stateAt(player.world, position) !== state || !player.canReach(position))
      return refuse(position)
    const passed = Date.now() - current.started
    if (passed >= needed * TIME_TOLERANCE) return breakBlock(position, state, { drop: true })
    if (late) return refuse(position)
    late = setTimeout(() => {
      late = null
      if (stateAt(player.world, position) === state) breakBlock(position, state, { drop: true })
    }, needed - passed)
  }

  function stop() {
    if (!dig) return
    clearInterval(dig.stages)
    show(dig.position, -1)
    dig = null
  }

  function leave() {
    stop()
    clearTimeout(late ?? undefined)
    late = null
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
    return block.digTime(
      tool?.type ?? null,
      false,
      false,
      false,
      tool?.enchants ?? [],
      player.effects
    )
  }

  /** Tells the client that the block is still there. @param {any} position */
  function refuse(position) {
    serv.tellBlock(player, position)
  }

  /** @param {any} position @param {number} state @param {{drop: boolean}} options */
  function breakBlock(position, state, { drop }) {
    const block = registry.blocksByStateId[state]
    const tool = player.heldItem
    const centre = position.offset(0.5, 0.25, 0.5)
    const drops = drop && serv.gamerules.doTileDrops ? lootOf(serv, block, state, tool) : []
    serv.setBlock(position, 0)
    breakOtherHalf(position, state)
    for (const { name, count } of drops) serv.dropItem(itemNamed(name, count), centre)
    if (drop && block.hardness > 0 && tool && WEARS.test(tool.name)) {
      player.wearTool(tool.name.endsWith('_sword') ? 2 : 1)
    }
    if (drop) player.tire(DIG_EXHAUSTION)
    serv.emit('blockDug', player, position, block)
  }

  /** Doors and beds go as a whole. @param {any} position @param {number} state */
  function breakOtherHalf(position, state) {
    const block = registry.blocksByStateId[state]
    const { half, part, facing } = propertiesOf(state)
    const step = OTHER_HALF[half] ?? (part && BED_STEP[facing]?.scaled(part === 'foot' ? 1 : -1))
    if (!step || !/_(door|bed)$/.test(block.name)) return
    const other = position.plus(step)
    const otherState = stateAt(player.world, other)
    if (registry.blocksByStateId[otherState] !== block) return
    serv.setBlock(other, 0)
    const drops = serv.gamerules.doTileDrops ? lootOf(serv, block, otherState, null) : []
    for (const { name, count } of drops)
      serv.dropItem(itemNamed(name, count), position.offset(0.5, 0.25, 0.5))
  }

  /** Wears the held tool; one that is worn out breaks. @param {number} uses */
  player.wearTool = (/** @type {number} */ uses) => {
    const tool = player.heldItem
    const most = tool && registry.items[tool.type]?.maxDurability
    if (!most || player.gameMode === CREATIVE) return
    const worn = copyOf(tool)
    const used = (tool.nbt?.value?.Damage?.value ?? 0) + uses
    if (used >= most) player.heldItem = null
    else if (worn) {
      const value = { ...(tool.nbt?.value ?? {}), Damage: { type: 'int', value: used } }
      player.heldItem = new Item(tool.type, 1, 0, { type: 'compound', name: '', value })
    }
  }

  /** @param {boolean} all */
  function throwHeld(all) {
    const item = player.heldItem
    if (!item) return
    const count = all ? item.count : 1
    player.heldItem = copyOf(item, item.count - count)
    player.throwItem(copyOf(item, count))
  }

  function swapHands() {
    const slot = 36 + player.heldItemSlot
    const [main, off] = [player.inventory.slots[slot], player.inventory.slots[45]]
    player.inventory.set(slot, off)
    player.inventory.set(45, main)
  }

  player._client.on('end', leave)
}

const DIG_EXHAUSTION = 0.005
/** @type {Record<string, any>} */
const OTHER_HALF = { lower: new Vec3(0, 1, 0), upper: new Vec3(0, -1, 0) }
/** @type {Record<string, any>} */
const BED_STEP = {
  north: new Vec3(0, 0, -1),
  south: new Vec3(0, 0, 1),
  west: new Vec3(-1, 0, 0),
  east: new Vec3(1, 0, 0)
}
