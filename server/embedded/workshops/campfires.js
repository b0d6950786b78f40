/**
 * Campfires: a lit campfire cooks up to four pieces of food and drops them when done. Shovels put
 * it out; igniting items light it (minecraft.wiki: Campfire).
 */
import { itemNamed, nbt } from '../minecraft/index.js'
import { smeltedFrom } from './smelting.js'
import { copyOf, Store } from '../windows/store.js'
import { blockAt, key, propertiesOf, stateAt } from '../blocks/blocks.js'

/** @import { Item, Player, Position, Server, Vec3 } from '../types/index.d.ts' */

const CAMPFIRES = ['campfire', 'soul_campfire']
const PLACES = 4
const COOK_TICKS = 600
/** Speed at which the cooking progress decreases while the fire is out. */
const COOLING = 2
const LIGHTERS = /^(flint_and_steel|fire_charge)$/
const DOUSED_EVENT = 1009

class Campfire {
  /** @param {string} name @param {Position} position */
  constructor(name, position) {
    this.name = name
    this.position = position
    this.store = new Store(PLACES)
    /** Always empty: campfires have no window. @type {Set<Player>} */
    this.viewers = new Set()
    /** Number of ticks that each piece has cooked. */
    this.cooked = new Array(PLACES).fill(0)
  }

  /**
   * Process one tick.
   * @param {boolean} isLit @returns {Item[]} finished pieces, which are removed
   */
  tick(isLit) {
    const done = []
    for (const [index, item] of this.store.slots.entries()) {
      if (!item) continue
      const next = this.cooked[index] + (isLit ? 1 : -COOLING)
      this.cooked[index] = Math.max(0, next)
      if (this.cooked[index] < COOK_TICKS) continue
      done.push(itemNamed(smeltedFrom('smoker', item.name) ?? item.name))
      this.cooked[index] = 0
      this.store.set(index, null)
    }
    return done
  }
}

/** @param {Server} serv */
export function server(serv) {
  /** Campfires with food. @type {Set<Campfire>} */
  const active = new Set()

  serv.campfireAt = (position) => {
    const name = blockAt(serv, position)?.name
    if (!CAMPFIRES.includes(name)) return null
    const known = serv.containers.get(key(position))
    return known instanceof Campfire ? known : add(new Campfire(name, position))
  }

  serv.campfireFrom = (name, store, position) => {
    if (!CAMPFIRES.includes(name)) return null
    const fire = add(new Campfire(name, position))
    store.slots.forEach((item, index) => item && fire.store.set(index, item))
    return fire
  }

  serv.campfireData = (position) => {
    const known = serv.containers.get(key(position))
    const items = (known?.store.slots ?? []).flatMap((item, index) =>
      item
        ? [
            {
              Slot: nbt.byte(index),
              id: nbt.string(`minecraft:${item.name}`),
              Count: nbt.byte(item.count)
            }
          ]
        : []
    )
    return nbt.comp({ Items: nbt.list(nbt.comp(items)) })
  }

  /** @param {Campfire} fire */
  function add(fire) {
    serv.containers.set(key(fire.position), fire)
    fire.store.on('change', (index) => {
      fire.cooked[index] = 0
      active.add(fire)
      serv.sendBlockEntity(/** @type {Vec3} */ (fire.position))
    })
    return fire
  }

  serv.on('tick', () => {
    for (const fire of active) {
      const position = /** @type {Vec3} */ (fire.position)
      const isHere = serv.containers.get(key(position)) === fire
      if (!isHere || !fire.store.slots.some(Boolean)) {
        active.delete(fire)
        continue
      }
      const isLit = propertiesOf(stateAt(serv.overworld, position)).lit === 'true'
      for (const item of fire.tick(isLit)) serv.dropItem(item, position.offset(0.5, 0.5, 0.5))
    }
  })

  serv.once('asap', () => {
    serv.onUseBlock(CAMPFIRES, (player, position) => use(serv, player, position))
  })
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function use(serv, player, position) {
  const { heldItem: item } = player
  const { lit, waterlogged } = propertiesOf(stateAt(serv.overworld, position))
  if (!item) return false
  if (smeltedFrom('smoker', item.name)) return layOn(serv, player, position, item)
  if (item.name.endsWith('_shovel') && lit === 'true') {
    serv.changeBlock(position, { lit: 'false' })
    player.wearTool(1)
    const event = { effectId: DOUSED_EVENT, location: position, data: 0, global: false }
    serv.send(serv.getNearby({ position }), 'world_event', event)
    return true
  }
  if (!LIGHTERS.test(item.name) || lit === 'true' || waterlogged === 'true') return false
  serv.changeBlock(position, { lit: 'true' })
  if (item.name === 'fire_charge') player.useUpHeld()
  else player.wearTool(1)
  serv.playSound('item.flintandsteel.use', position)
  return true
}

/**
 * @param {Server} serv @param {Player} player @param {Vec3} position @param {Item} food
 * @returns {boolean} true if there was room for a piece
 */
function layOn(serv, player, position, food) {
  const fire = /** @type {Campfire} */ (serv.campfireAt(position))
  const place = fire.store.slots.findIndex((item) => !item)
  if (place < 0) return false
  fire.store.set(place, copyOf(food, 1))
  player.useUpHeld()
  return true
}
