/**
 * Brewing stands: they use up blaze powder and turn bottles into potions, whether or not a player
 * has the window open (minecraft.wiki: Brewing Stand).
 */
import { brew, brewingWindow, FUEL, PLACE } from './brewing.js'
import { lessOf } from './recipes.js'
import { Store } from '../windows/store.js'
import { blockAt, key, propertiesOf, stateAt } from '../blocks/blocks.js'

/** @import { Item, Player, Position, Server, Vec3 } from '../types/index.d.ts' */

const NAME = 'brewing_stand'
const BREW_TICKS = 400
/** Brews per blaze powder. */
const FUEL_USES = 20
const BREWED_EVENT = 1035

export class BrewingStand {
  /** @param {Position} position */
  constructor(position) {
    this.name = NAME
    this.position = position
    this.store = new Store(5)
    /** @type {Set<Player>} */
    this.viewers = new Set()
    /** Brews that are left from the last powder. */
    this.fuel = 0
    /** Ticks that are left for this brew. */
    this.left = 0
    /** Kind of the ingredient when the brew started. */
    this.with = -1
  }

  /** Return the window properties: time left, fuel. @returns {[number, number][]} */
  progress() {
    return [
      [0, this.left],
      [1, this.fuel]
    ]
  }

  /** The result of each bottle. @returns {(Item | null)[]} */
  get made() {
    const ingredient = this.store.slots[PLACE.ingredient]
    return PLACE.bottles.map((index) => brew(this.store.slots[index], ingredient))
  }

  /** Process one tick. @returns {'idle' | 'busy' | 'done'} */
  tick() {
    const { slots } = this.store
    const powder = slots[PLACE.fuel]
    if (this.fuel <= 0 && powder?.name === FUEL) {
      this.fuel = FUEL_USES
      this.store.set(PLACE.fuel, lessOf(powder, 1))
    }
    const { made } = this
    const kind = slots[PLACE.ingredient]?.type ?? -1
    const canBrew = made.some(Boolean)
    if (this.left > 0) {
      this.left -= 1
      if (!canBrew || kind !== this.with) this.left = 0
      else if (this.left === 0) {
        this.finish(made)
        return 'done'
      }
    } else if (canBrew && this.fuel > 0) {
      Object.assign(this, { fuel: this.fuel - 1, left: BREW_TICKS, with: kind })
    }
    return this.left > 0 ? 'busy' : 'idle'
  }

  /** @param {(Item | null)[]} made */
  finish(made) {
    for (const index of PLACE.bottles) if (made[index]) this.store.set(index, made[index])
    const ingredient = /** @type {Item} */ (this.store.slots[PLACE.ingredient])
    this.store.set(PLACE.ingredient, lessOf(ingredient, 1))
  }
}

/** @param {Server} serv */
export function server(serv) {
  /** Brewing stands that may be active. @type {Set<BrewingStand>} */
  const active = new Set()

  serv.standAt = (position) => {
    if (blockAt(serv, position)?.name !== NAME) return null
    const known = serv.containers.get(key(position))
    return known instanceof BrewingStand ? known : add(new BrewingStand(position))
  }

  serv.standFrom = (name, store, position) => {
    if (name !== NAME) return null
    const stand = add(new BrewingStand(position))
    store.slots.forEach((item, index) => item && stand.store.set(index, item))
    return stand
  }

  /** @param {BrewingStand} stand */
  function add(stand) {
    serv.containers.set(key(stand.position), stand)
    stand.store.on('change', () => active.add(stand))
    return stand
  }

  serv.on('tick', () => {
    for (const stand of active) {
      if (serv.containers.get(key(stand.position)) !== stand) {
        active.delete(stand)
        continue
      }
      const position = /** @type {Vec3} */ (stand.position)
      const became = stand.tick()
      if (became === 'idle') active.delete(stand)
      if (became === 'done') tellBrewed(serv, position)
      showBottles(serv, position, stand)
    }
  })

  serv.once('asap', () => {
    serv.onUseBlock([NAME], (player, position) => {
      const stand = /** @type {BrewingStand} */ (serv.standAt(position))
      stand.viewers.add(player)
      const onClose = () => void stand.viewers.delete(player)
      player.openWindow(brewingWindow(stand, player.inventory, onClose))
      return true
    })
  })
}

/** @param {Server} serv @param {Vec3} position */
const tellBrewed = (serv, position) =>
  serv.send(serv.getNearby({ position }), 'world_event', {
    effectId: BREWED_EVENT,
    location: position,
    data: 0,
    global: false
  })

/** @param {Server} serv @param {Vec3} position @param {BrewingStand} stand */
function showBottles(serv, position, { store }) {
  const before = propertiesOf(stateAt(serv.overworld, position))
  const now = Object.fromEntries(
    PLACE.bottles.map((index) => [`has_bottle_${index}`, String(store.slots[index] !== null)])
  )
  if (Object.keys(now).some((name) => now[name] !== before[name])) serv.changeBlock(position, now)
}
