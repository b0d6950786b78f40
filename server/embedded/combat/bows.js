/** Bows and crossbows: drawn while held; their arrows hurt, stick, and can be picked up. */
import { plainOf } from '../minecraft/snbt.js'
import { Item, itemNamed, nbt, registry } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { launchArrow } from './arrows.js'
import { CREATIVE } from '../players/game-modes.js'
import { directionOf, motionOf } from './projectiles.js'

/** @import { Drop, Entity, ItemTag, Player, Server, Thing, Vec3 } from '../types/index.d.ts' */

const EYES = 1.52
const FULL_SPEED = 3
const CROSSBOW_SPEED = 3.15
const DRAWN_TICKS = 20
const LEAST_DRAW = 0.1
const CHARGE_TICKS = 25
const DAMAGE = 2
export const ARROWS = ['arrow', 'spectral_arrow', 'tipped_arrow']
const PICKUP_BLOCKS = 1.5
/** Value of a summoned arrow's `pickup` that lets any survival player take it. */
const ANYBODY = 1
/** Ticks before an arrow that has stuck in a block can be picked up. */
const PICKUP_TICKS = 7

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () => {
    serv.onUse(['bow'], (player, _item, hand) => {
      if (arrowOf(player) || player.gameMode === CREATIVE) player.startUsing(hand)
    })
    serv.onUse(['crossbow'], (player, item, hand) => {
      const loaded = loadOf(item)
      if (loaded) fireCrossbow(serv, player, hand, loaded)
      else if (arrowOf(player) || player.gameMode === CREATIVE) player.startUsing(hand)
    })
  })
  serv.onSummon(['arrow', 'spectral_arrow'], (position, data, name) =>
    shootArrow(serv, itemNamed(name), {
      owner: null,
      position,
      velocity: motionOf(data),
      damage: plainOf(data, 'damage') ?? DAMAGE,
      isCritical: Boolean(plainOf(data, 'crit')),
      isTaken: plainOf(data, 'pickup') === ANYBODY
    })
  )
  serv.on('usingStopped', (player, hand, ticks) => {
    const item = player.inHand(hand)
    if (item?.name === 'bow') fireBow(serv, player, hand, ticks)
    if (item?.name === 'crossbow' && ticks >= chargeTicks(item)) loadCrossbow(player, hand, item)
  })
}

/**
 * Return the first arrow a player carries, off hand first.
 * @param {Player} player @returns {{slot: number, item: Item} | null}
 */
function arrowOf(player) {
  const order = [45, ...Array.from({ length: 9 }, (_, at) => 36 + at)]
  const rest = Array.from({ length: 27 }, (_, at) => 9 + at)
  for (const slot of [...order, ...rest]) {
    const item = player.inventory.slots[slot]
    if (item && ARROWS.includes(item.name)) return { slot, item }
  }
  return null
}

/** @param {Item} item @param {string} name */
const enchantment = (item, name) => item.enchants.find((enchant) => enchant.name === name)?.lvl ?? 0

/**
 * Take an arrow from the player, unless the shot is free.
 * @param {Player} player @param {boolean} isFree @returns {Item | null}
 */
function takeArrow(player, isFree) {
  const found = arrowOf(player)
  if (!found) return player.gameMode === CREATIVE ? itemNamed('arrow') : null
  const { slot, item } = found
  const isKept = player.gameMode === CREATIVE || (isFree && item.name === 'arrow')
  if (!isKept) player.inventory.set(slot, copyOf(item, item.count - 1))
  return copyOf(item, 1)
}

/**
 * @param {Server} serv @param {Player} player @param {number} hand
 * @param {number} ticks for which it was drawn
 */
function fireBow(serv, player, hand, ticks) {
  const bow = /** @type {Item} */ (player.inHand(hand))
  const share = ticks / DRAWN_TICKS
  const draw = Math.min(1, (share * share + share * 2) / 3)
  if (draw < LEAST_DRAW) return
  const isFree = enchantment(bow, 'infinity') > 0
  const arrow = takeArrow(player, isFree)
  if (!arrow) return
  const power = enchantment(bow, 'power')
  fire(serv, player, arrow, {
    speed: draw * FULL_SPEED,
    damage: DAMAGE + (power ? power * 0.5 + 0.5 : 0),
    isCritical: draw === 1,
    isTaken: !isFree && player.gameMode !== CREATIVE
  })
  player.wearHand(hand, 1)
  serv.playSound('entity.arrow.shoot', player.position)
}

/** @param {Item} item */
const chargeTicks = (item) => CHARGE_TICKS - 5 * enchantment(item, 'quick_charge')

/** Return the arrow or rocket in a loaded crossbow. @param {Item} item @returns {Item | null} */
function loadOf(item) {
  const tag = /** @type {any} */ (item.nbt?.value)
  if (!tag?.Charged?.value) return null
  const [shot] = tag.ChargedProjectiles?.value?.value ?? []
  const name = String(shot?.id?.value ?? 'arrow').replace('minecraft:', '')
  return registry.itemsByName[name] ? itemNamed(name) : null
}

/** @param {Player} player @param {number} hand @param {Item} item @param {Item | null} shot */
function setLoad(player, hand, item, shot) {
  const shots = shot ? [{ id: nbt.string(`minecraft:${shot.name}`), Count: nbt.byte(1) }] : []
  const value = {
    ...(item.nbt?.value ?? {}),
    Charged: nbt.byte(shot ? 1 : 0),
    ChargedProjectiles: nbt.list({ type: 'compound', value: shots })
  }
  const tag = /** @type {ItemTag} */ (
    /** @type {unknown} */ ({ type: 'compound', name: '', value })
  )
  player.putInHand(hand, new Item(item.type, 1, 0, tag))
}

/** @param {Player} player @param {number} hand @param {Item} item */
function loadCrossbow(player, hand, item) {
  const arrow = takeArrow(player, false)
  if (arrow) setLoad(player, hand, item, arrow)
}

/** @param {Server} serv @param {Player} player @param {number} hand @param {Item} arrow */
function fireCrossbow(serv, player, hand, arrow) {
  const item = /** @type {Item} */ (player.inHand(hand))
  setLoad(player, hand, item, null)
  player.wearHand(hand, 1)
  const isTaken = player.gameMode !== CREATIVE
  fire(serv, player, arrow, { speed: CROSSBOW_SPEED, damage: DAMAGE, isCritical: true, isTaken })
  serv.playSound('item.crossbow.shoot', player.position)
}

/**
 * @param {Server} serv @param {Player} player @param {Item} item
 * @param {{speed: number, damage: number, isCritical: boolean, isTaken: boolean}} how
 */
function fire(serv, player, item, { speed, ...how }) {
  const velocity = directionOf(player.yaw, player.pitch).scaled(speed)
  const position = player.position.offset(0, EYES, 0)
  shootArrow(serv, item, { owner: player, position, velocity, ...how })
}

/**
 * Launch an arrow.
 * @param {Server} serv @param {Item} item
 * @param {{owner: Player | null, position: Vec3, velocity: Vec3, damage: number, isCritical: boolean, isTaken: boolean}} shot `isTaken`: true if it can be picked up
 */
export function shootArrow(serv, item, { owner, position, velocity, damage, isCritical, isTaken }) {
  const name = item.name === 'spectral_arrow' ? 'spectral_arrow' : 'arrow'
  /** @param {Exclude<Entity, Drop>} struck @param {number} strength @param {Vec3} from */
  const strike = (struck, strength, from) => {
    const bonus = isCritical ? Math.floor(serv.random() * (strength / 2 + 2)) : 0
    if (owner && !serv.mayHurt(owner, struck)) return false
    const wound = struck.hurt?.(strength + bonus, 'arrow', owner ?? undefined)
    if (struck.type === 'thing') return true
    if (wound === 'new') serv.pushAway(struck, from)
    if (!wound) return false
    const fields = { reason: 'arrow_hit_player', gameMode: 0 }
    if (struck.type === 'player') owner?._client.write('game_state_change', fields)
    return true
  }
  /** @param {Thing} thing @param {number} ticks */
  const bePickedUp = (thing, ticks) => {
    const taker = serv.players.find(
      (other) =>
        !other.isDead && other.position.offset(0, 0.9, 0).distanceTo(thing.position) < PICKUP_BLOCKS
    )
    if (!taker || ticks < PICKUP_TICKS || taker.giveItem(item)) return
    serv.send([...thing.watchers], 'collect', {
      collectedEntityId: thing.id,
      collectorEntityId: taker.id,
      pickupItemCount: 1
    })
    serv.removeThing(thing)
  }
  const lie = isTaken ? bePickedUp : undefined
  const drop = isTaken
    ? (/** @type {Thing} */ thing) => serv.dropItem(item, thing.position)
    : undefined
  return launchArrow(serv, { name, owner, position, velocity }, damage, strike, { lie, drop })
}
