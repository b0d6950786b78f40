/**
 * Furnaces, blast furnaces and smokers: they burn fuel and cook, whether or not a player has the
 * window open.
 */
import { itemNamed, registry } from '../minecraft/index.js'
import { furnaceWindow } from '../windows/kinds.js'
import { lessOf } from './recipes.js'
import { COOK_TICKS, experienceOf, fuelTicks, smeltedFrom } from './smelting.js'
import { copyOf, isSameKind, Store } from '../windows/store.js'
import { blockAt, key, propertiesOf, stateAt, stateOf } from '../blocks/blocks.js'

/** @import { Item, Player, Position, Server, Vec3 } from '../types/index.d.ts' */

/** @typedef {import('./smelting.js').FurnaceKind} FurnaceKind */

/** @type {FurnaceKind[]} */
const KINDS = ['furnace', 'blast_furnace', 'smoker']
const TITLES = { furnace: 'Furnace', blast_furnace: 'Blast Furnace', smoker: 'Smoker' }
const [INPUT, FUEL, OUTPUT] = [0, 1, 2]
/** While the fire is out, cooking progress decreases twice as fast as it increased. */
const COOLING = 2

/** @param {string | undefined} name of a block */
const kindNamed = (name) => KINDS.find((kind) => kind === name)

export class Furnace {
  /** @param {FurnaceKind} kind @param {Position} position */
  constructor(kind, position) {
    this.kind = kind
    this.name = kind
    this.position = position
    this.title = TITLES[kind]
    this.store = new Store(3)
    /** @type {Set<Player>} */
    this.viewers = new Set()
    this.burning = 0
    this.burnTotal = 0
    this.cooked = 0
    /** Number of ticks that the input takes; 0 before the first input, as in vanilla. */
    this.total = 0
    /**
     * Finished pieces for which no experience has been given yet.
     * @type {Record<string, number>}
     */
    this.used = {}
    /** @type {Item | null} */
    let before = null
    this.store.on('change', (index) => {
      if (index !== INPUT) return
      const now = this.store.slots[INPUT]
      if (!isSameKind(before, now)) this.cooked = 0
      if (now) this.total = COOK_TICKS[this.kind]
      before = now
    })
  }

  /**
   * Return the window properties: burn time left and total, cooking time so far and total.
   * @returns {[number, number][]}
   */
  progress() {
    return [
      [0, this.burning],
      [1, this.burnTotal],
      [2, this.cooked],
      [3, this.total]
    ]
  }

  /** The result of smelting the input, if there is room for it. */
  get next() {
    const input = this.store.slots[INPUT]
    const name = input && smeltedFrom(this.kind, input.name)
    if (!name) return null
    const made = itemNamed(name)
    const output = this.store.slots[OUTPUT]
    if (output && (!isSameKind(output, made) || output.count >= output.stackSize)) return null
    return made
  }

  /** Process one tick. @returns {boolean} true if the furnace is active */
  tick() {
    if (this.burning > 0) this.burning -= 1
    const { next } = this
    if (next && this.burning === 0) this.light()
    if (next && this.burning > 0) {
      this.cooked += 1
      if (this.cooked >= this.total) this.finish(next)
    } else if (!next) {
      this.cooked = 0
    } else {
      this.cooked = Math.max(0, this.cooked - COOLING)
    }
    return this.burning > 0 || this.cooked > 0
  }

  light() {
    const fuel = this.store.slots[FUEL]
    const ticks = fuel ? fuelTicks(this.kind, fuel.name) : 0
    if (!fuel || !ticks) return
    this.burning = ticks
    this.burnTotal = ticks
    const isBucket = fuel.name === 'lava_bucket'
    this.store.set(FUEL, isBucket ? itemNamed('bucket') : lessOf(fuel, 1))
  }

  /** @param {Item} made */
  finish(made) {
    const input = /** @type {Item} */ (this.store.slots[INPUT])
    const output = this.store.slots[OUTPUT]
    this.store.set(OUTPUT, copyOf(made, (output?.count ?? 0) + made.count))
    this.store.set(INPUT, lessOf(input, 1))
    this.cooked = 0
    this.used[made.name] = (this.used[made.name] ?? 0) + 1
  }

  /**
   * Return the experience that has not been given yet, and reset it.
   * @param {() => number} random
   */
  takeExperience(random) {
    const sums = Object.entries(this.used).map(([name, count]) => {
      const whole = Math.floor(count * experienceOf(name))
      return whole + Number(random() < count * experienceOf(name) - whole)
    })
    this.used = {}
    return sums.reduce((sum, amount) => sum + amount, 0)
  }
}

/** @param {Server} serv */
export function server(serv) {
  /** Furnaces that may be active. @type {Set<Furnace>} */
  const active = new Set()

  serv.furnaceAt = (position) => {
    const kind = kindNamed(blockAt(serv, position)?.name)
    if (!kind) return null
    const known = serv.containers.get(key(position))
    return known instanceof Furnace ? known : add(new Furnace(kind, position))
  }

  /** @param {Furnace} furnace */
  function add(furnace) {
    serv.containers.set(key(furnace.position), furnace)
    furnace.store.on('change', () => active.add(furnace))
    return furnace
  }

  serv.furnaceFrom = (name, store, position) => {
    const kind = kindNamed(name)
    if (!kind) return null
    const furnace = add(new Furnace(kind, position))
    store.slots.forEach((item, index) => item && furnace.store.set(index, item))
    return furnace
  }

  serv.on('tick', () => {
    for (const furnace of active) {
      if (serv.containers.get(key(furnace.position)) !== furnace) {
        active.delete(furnace)
        continue
      }
      if (!furnace.tick()) active.delete(furnace)
      showFire(furnace)
    }
  })

  /**
   * Drop experience for smelted items, near the player who takes them or where the furnace breaks.
   * @param {Furnace} furnace @param {Vec3} place
   */
  function pay(furnace, place) {
    const amount = furnace.takeExperience(serv.random)
    if (amount) serv.spillExperience(amount, place)
  }

  // Do this before the furnace is forgotten together with its block.
  serv.prependListener('blockChanged', (position, before, after) => {
    const isSame = registry.blocksByStateId[before] === registry.blocksByStateId[after]
    const furnace = isSame ? null : serv.containers.get(key(position))
    if (furnace instanceof Furnace) pay(furnace, position.offset(0.5, 0.5, 0.5))
  })

  /** @param {Furnace} furnace */
  function showFire({ position, burning }) {
    const state = stateAt(serv.overworld, position)
    const lit = String(burning > 0)
    const properties = propertiesOf(state)
    if (properties.lit === lit) return
    serv.setBlock(position, stateOf(registry.blocksByStateId[state], { ...properties, lit }))
  }

  serv.once('asap', () => {
    serv.onUseBlock(KINDS, (player, position) => {
      const furnace = /** @type {Furnace} */ (serv.furnaceAt(position))
      furnace.viewers.add(player)
      const onClose = () => furnace.viewers.delete(player)
      const onTake = () => pay(furnace, player.position)
      player.openWindow(furnaceWindow(furnace, player.inventory, onClose, onTake))
      return true
    })
  })
}
