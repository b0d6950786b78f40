/**
 * Fluids: water and lava flow down and outwards, prefer the nearest drop, and dry up without their
 * source (minecraft.wiki: Fluid). Only the neighbours of changed blocks are processed, so that
 * lakes at rest cost nothing.
 */
import { registry } from '../minecraft/index.js'
import { FACES, key, stateAt } from '../blocks/blocks.js'
import { lootAt } from '../blocks/loot.js'

/** @import { Server, Vec3 } from '../types/index.d.ts' */

const [BELOW, ABOVE] = FACES
const SIDES = FACES.slice(2)
const FULL = 8
const SOURCES_TO_MAKE_ONE = 2
const CHANGES_PER_TICK = 2000
const LOOKS_PER_TICK = 5000
/** Ticks between two steps, level lost per block, and search distance for drops. */
const KINDS = {
  water: { ticks: 5, cost: 1, sight: 4 },
  lava: { ticks: 30, cost: 2, sight: 2 }
}
/** Blocks that keep fluids out although they have no collision shape. */
const KEEPS_OUT =
  /door$|_sign$|^(ladder|sugar_cane|bubble_column|nether_portal|end_portal|end_gateway|structure_void|light)$/

/** @typedef {'water' | 'lava'} Kind */
/** @typedef {{kind: Kind, amount: number, isSource: boolean, isFalling: boolean}} Fluid */

/** Fluids by block state; states without a fluid are missing. @type {Map<number, Fluid>} */
const FLUIDS = new Map()
for (const kind of /** @type {Kind[]} */ (['water', 'lava'])) {
  const { minStateId, maxStateId } = registry.blocksByName[kind]
  for (let state = minStateId; state <= maxStateId; state++) {
    const level = state - minStateId
    const isFalling = level >= FULL
    FLUIDS.set(state, {
      kind,
      amount: isFalling ? FULL : FULL - level,
      isSource: level === 0,
      isFalling
    })
  }
}
/** Blocks that fluids flow into and wash away. @type {Set<number>} */
const OPEN = new Set(
  registry.blocksArray.flatMap(({ name, boundingBox, minStateId, maxStateId }) => {
    if (boundingBox !== 'empty' || KEEPS_OUT.test(name) || name === 'water' || name === 'lava')
      return []
    return Array.from({ length: maxStateId - minStateId + 1 }, (_, at) => minStateId + at)
  })
)
const AIR = /^(air|cave_air|void_air)$/

/** @param {Server} serv */
export function server(serv) {
  const flows = new Flows(serv)
  /** Positions to process, and when. @type {Map<string, {position: Vec3, tick: number}>} */
  const due = new Map()

  /** Changed blocks whose neighbours are to be processed. @type {Vec3[]} */
  let changed = []
  serv.on('blockChanged', (position) => void changed.push(position))

  /** @param {Vec3} position that changed */
  function wake(position) {
    for (const place of [position, ...FACES.map((face) => position.plus(face))]) {
      const fluid = flows.fluidAt(place)
      if (!fluid || due.has(key(place))) continue
      due.set(key(place), { position: place, tick: serv.tickCount + KINDS[fluid.kind].ticks })
    }
  }

  serv.on('tick', () => {
    for (const position of changed.slice(0, LOOKS_PER_TICK)) wake(position)
    changed = changed.slice(LOOKS_PER_TICK)
    if (!due.size) return
    let left = CHANGES_PER_TICK
    for (const [id, { position, tick }] of due) {
      if (tick > serv.tickCount) continue
      if (left-- <= 0) break
      due.delete(id)
      flows.flow(position)
    }
  })
}

/** Rules for fluids in one world. */
class Flows {
  /** @param {Server} serv */
  constructor(serv) {
    this.serv = serv
  }

  /** @param {Vec3} position @returns {Fluid | undefined} */
  fluidAt(position) {
    const state = stateAt(this.serv.overworld, position)
    return state ? FLUIDS.get(state) : undefined
  }

  /** @param {Vec3} position */
  isLoaded({ x, z }) {
    return Boolean(this.serv.overworld.getLoadedColumn(x >> 4, z >> 4))
  }

  /** @param {Vec3} position */
  isOpen(position) {
    const state = stateAt(this.serv.overworld, position)
    return this.isLoaded(position) && (state === 0 || OPEN.has(state))
  }

  /** @param {Vec3} position @param {Kind} kind */
  mayFlow(position, kind) {
    return this.isOpen(position) || this.fluidAt(position)?.kind === kind
  }

  /** Process one step of the fluid at a position. @param {Vec3} position */
  flow(position) {
    const fluid = this.fluidAt(position)
    if (!fluid) return
    if (fluid.kind === 'lava' && this.cool(position, fluid)) return
    let now = fluid
    if (!fluid.isSource) {
      const next = this.fed(position, fluid.kind)
      if (
        !next ||
        next.amount !== fluid.amount ||
        next.isFalling !== fluid.isFalling ||
        next.isSource
      ) {
        this.serv.setBlock(position, stateOf(next))
        if (!next) return
        now = next
      }
    }
    this.spread(position, now)
  }

  /**
   * Return the fluid that flows into a position from its neighbours.
   * @param {Vec3} position @param {Kind} kind @returns {Fluid | null}
   */
  fed(position, kind) {
    let [most, sources] = [0, 0]
    for (const side of SIDES) {
      const beside = this.fluidAt(position.plus(side))
      if (beside?.kind !== kind) continue
      if (beside.isSource) sources += 1
      most = Math.max(most, beside.amount)
    }
    const canMake = this.serv.gamerules[`${kind}SourceConversion`]
    if (canMake && sources >= SOURCES_TO_MAKE_ONE) {
      const below = position.plus(BELOW)
      const floor = this.fluidAt(below)
      const isFirm = !floor && !this.isOpen(below)
      if (isFirm || (floor?.kind === kind && floor.isSource))
        return { kind, amount: FULL, isSource: true, isFalling: false }
    }
    if (this.fluidAt(position.plus(ABOVE))?.kind === kind)
      return { kind, amount: FULL, isSource: false, isFalling: true }
    const amount = most - KINDS[kind].cost
    return amount > 0 ? { kind, amount, isSource: false, isFalling: false } : null
  }

  /** @param {Vec3} position @param {Fluid} fluid */
  spread(position, fluid) {
    const below = position.plus(BELOW)
    const under = this.fluidAt(below)
    if (fluid.kind === 'lava' && under?.kind === 'water') {
      this.serv.setBlock(below, registry.blocksByName.stone.defaultState)
      return
    }
    if (this.isOpen(below) || (under?.kind === fluid.kind && !under.isSource)) {
      const next = this.fed(below, fluid.kind)
      if (next) this.pour(below, next)
      if (this.sourcesBeside(position, fluid.kind) < 3) return
    } else if (!fluid.isSource && under?.kind === fluid.kind) return
    const amount = fluid.isFalling ? FULL - 1 : fluid.amount - KINDS[fluid.kind].cost
    if (amount <= 0) return
    for (const side of this.waysOut(position, fluid.kind)) {
      const next = this.fed(side, fluid.kind)
      if (next) this.pour(side, next)
    }
  }

  /** @param {Vec3} position @param {Kind} kind */
  sourcesBeside(position, kind) {
    return SIDES.filter((side) => {
      const beside = this.fluidAt(position.plus(side))
      return beside?.kind === kind && beside.isSource
    }).length
  }

  /**
   * Return the directions of the nearest drop, or all directions if no drop is near.
   * @param {Vec3} position @param {Kind} kind
   */
  waysOut(position, kind) {
    const sides = SIDES.map((side) => position.plus(side)).filter((place) =>
      this.mayFlow(place, kind)
    )
    const ways = sides.map((place) => ({ place, way: this.wayToHole(place, position, kind, 0) }))
    const shortest = Math.min(...ways.map(({ way }) => way))
    return ways.filter(({ way }) => way === shortest).map(({ place }) => place)
  }

  /**
   * @param {Vec3} place @param {Vec3} from its source @param {Kind} kind
   * @param {number} way distance so far @returns {number}
   */
  wayToHole(place, from, kind, way) {
    if (this.mayFlow(place.plus(BELOW), kind)) return way
    if (way + 1 >= KINDS[kind].sight) return 1000
    let shortest = 1000
    for (const side of SIDES) {
      const next = place.plus(side)
      const isWay = !next.equals(from) && this.mayFlow(next, kind) && !this.fluidAt(next)?.isSource
      if (isWay) shortest = Math.min(shortest, this.wayToHole(next, place, kind, way + 1))
    }
    return shortest
  }

  /**
   * Let a fluid flow into a position and wash away the block there.
   * @param {Vec3} position @param {Fluid} fluid
   */
  pour(position, fluid) {
    const before = this.fluidAt(position)
    if (before?.kind === fluid.kind && (before.isSource || before.amount >= fluid.amount)) {
      if (before.isSource || before.isFalling === fluid.isFalling) return
    }
    const state = stateAt(this.serv.overworld, position)
    if (!before && state) this.sweep(position, state, fluid.kind)
    this.serv.setBlock(position, stateOf(fluid))
  }

  /** @param {Vec3} position @param {number} state @param {Kind} kind */
  sweep(position, state, kind) {
    const block = registry.blocksByStateId[state]
    if (AIR.test(block.name) || kind === 'lava' || !this.serv.gamerules.doTileDrops) return
    for (const item of lootAt(this.serv, position, state)) {
      this.serv.dropItem(item, position.offset(0.5, 0.25, 0.5))
    }
  }

  /**
   * Turn lava next to water into stone, cobblestone or obsidian.
   * @param {Vec3} position @param {Fluid} fluid @returns {boolean}
   */
  cool(position, fluid) {
    const isWet = [ABOVE, ...SIDES].some(
      (side) => this.fluidAt(position.plus(side))?.kind === 'water'
    )
    if (!isWet) return false
    const name = fluid.isSource ? 'obsidian' : 'cobblestone'
    this.serv.setBlock(position, registry.blocksByName[name].defaultState)
    this.serv.playSound('block.lava.extinguish', position)
    return true
  }
}

/** @param {Fluid | null} fluid */
function stateOf(fluid) {
  if (!fluid) return 0
  const { minStateId } = registry.blocksByName[fluid.kind]
  if (fluid.isSource) return minStateId
  return minStateId + (fluid.isFalling ? FULL : FULL - fluid.amount)
}
