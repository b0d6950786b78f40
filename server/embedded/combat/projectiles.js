/**
 * Projectiles fly with vanilla's gravity and drag and take effect where they hit: snowballs push,
 * eggs hatch, pearls teleport their thrower, arrows hurt and stick.
 */
import { plainOf } from '../minecraft/snbt.js'
import { Item, itemNamed, registry, Vec3 } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'
import { blockOnWay, entityOnWay } from '../entities/bodies.js'
import { CREATIVE, SPECTATOR } from '../players/game-modes.js'
import { splash } from '../items/potions.js'

/** @import { Entity, Packet, Player, Server, Tag, Thing } from '../types/index.d.ts' */
/** @import { Flight, Hit } from '../types/additions.d.ts' */

const EYES = 1.52
const DRAG = 0.99
const WATER_DRAG = 0.8
const VOID_Y = -128
const LIFE_TICKS = 1200
const PEARL_DAMAGE = 5
const PEARL_COOLDOWN_TICKS = 20
/** Fraction of eggs that hatch, and fraction of those that hatch four chickens. */
const [HATCHES, HATCHES_FOUR] = [1 / 8, 1 / 32]
const ORBS = { least: 3, most: 11 }
/** Ticks in which a projectile cannot hit its shooter. */
const OWN_TICKS = 5

/**
 * Items thrown by hand: speed and gravity in blocks per tick.
 * @type {Record<string, {entity: string, speed: number, gravity: number, up?: number}>}
 */
export const THROWN = {
  snowball: { entity: 'snowball', speed: 1.5, gravity: 0.03 },
  egg: { entity: 'egg', speed: 1.5, gravity: 0.03 },
  ender_pearl: { entity: 'ender_pearl', speed: 1.5, gravity: 0.03 },
  experience_bottle: { entity: 'experience_bottle', speed: 0.7, gravity: 0.07, up: 20 },
  splash_potion: { entity: 'potion', speed: 0.5, gravity: 0.05, up: 20 },
  lingering_potion: { entity: 'potion', speed: 0.5, gravity: 0.05, up: 20 }
}

/** @param {Server} serv */
export function server(serv) {
  serv.shoot = (flight) => shoot(serv, flight)

  serv.once('asap', () => {
    serv.onUse(Object.keys(THROWN), (player, item, hand) => {
      if ((player.cooldowns.get(item.type) ?? 0) > serv.tickCount) return
      const { speed, up = 0 } = THROWN[item.name]
      const direction = directionOf(player.yaw, player.pitch - up, player.pitch)
      const place = player.position.offset(0, EYES, 0)
      throwFrom(serv, /** @type {Item} */ (copyOf(item, 1)), player, place, direction.scaled(speed))
      player.useUp(hand)
      if (item.name === 'ender_pearl') player.coolDown(item, PEARL_COOLDOWN_TICKS)
    })
  })

  for (const name of ['snowball', 'egg', 'experience_bottle', 'potion']) {
    serv.onSummon([name], (position, data) => {
      const item = itemNamed(registry.itemsByName[name] ? name : 'splash_potion')
      const onHit = (/** @type {Hit} */ hit) => land(serv, item, null, hit)
      const flight = { name, owner: null, position, velocity: motionOf(data) }
      return serv.shoot({ ...flight, gravity: 0.03, item, onHit })
    })
  }
}

/** Return the velocity of a summoned entity, in blocks per tick. @param {Tag | undefined} data */
export function motionOf(data) {
  const [x, y, z] = plainOf(data, 'Motion') ?? [0, 0, 0]
  return new Vec3(x, y, z)
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.cooldowns = new Map()
  player.coolDown = (item, ticks) => {
    player.cooldowns.set(item.type, serv.tickCount + ticks)
    player._client.write('set_cooldown', { itemID: item.type, cooldownTicks: ticks })
  }
}

/**
 * Return the direction in which a player looks, as vanilla computes it for throws.
 * @param {number} yaw @param {number} pitch vertical
 * @param {number} [level] pitch that scales the horizontal part
 */
export function directionOf(yaw, pitch, level = pitch) {
  const [turn, tilt, flat] = [yaw, pitch, level].map((degrees) => (degrees * Math.PI) / 180)
  const across = Math.cos(flat)
  const way = new Vec3(-Math.sin(turn) * across, -Math.sin(tilt), Math.cos(turn) * across)
  return way.scaled(1 / (way.norm() || 1))
}

/**
 * @param {Server} serv @param {Item} item one that can be thrown @param {Player | null} owner
 * @param {Vec3} position @param {Vec3} velocity
 */
export function throwFrom(serv, item, owner, position, velocity) {
  const { entity: name, gravity } = THROWN[item.name]
  const onHit = (/** @type {Hit} */ hit) => land(serv, item, owner, hit)
  serv.shoot({ name, owner, position, velocity, gravity, item, onHit })
}

/** @param {Server} serv @param {Flight} flight */
function shoot(serv, { name, owner, position, velocity, gravity, item, onHit, arrow }) {
  const thing = serv.addThing(name, position, (thing) => ({
    velocity: velocity.clone(),
    objectData: owner ? owner.id : 0,
    yaw: (Math.atan2(velocity.x, velocity.z) * 180) / Math.PI,
    pitch: (Math.atan2(velocity.y, Math.hypot(velocity.x, velocity.z)) * 180) / Math.PI,
    appearance: () => looksOf(thing, item),
    step: () => fly(serv, thing, gravity, owner, onHit, arrow)
  }))
  return thing
}

/** @param {Thing} thing @param {Item | undefined} item @returns {Packet[]} */
function looksOf(thing, item) {
  const key = thing.kind.metadataKeys.indexOf('item_stack')
  if (!item || key < 0) return []
  const metadata = [{ key, type: 'item_stack', value: Item.toNotch(item) }]
  return [['entity_metadata', { entityId: thing.id, metadata }]]
}

/**
 * @param {Server} serv @param {Thing} thing @param {number} gravity @param {Entity | null} owner
 * @param {Flight['onHit']} onHit @param {Flight['arrow']} arrow
 */
function fly(serv, thing, gravity, owner, onHit, arrow) {
  if (thing.ageTicks > LIFE_TICKS || thing.position.y < VOID_Y) return serv.removeThing(thing)
  if (arrow?.isStuck) return arrow.rest(thing)
  const { position, velocity } = thing
  const next = position.plus(velocity)
  const block = blockOnWay(serv, position, next)
  const mayHit = (/** @type {Entity} */ entity) =>
    (entity.type === 'mob' ||
      (entity.type === 'player' && !entity.isDead && entity.gameMode !== SPECTATOR) ||
      (entity.type === 'thing' && Boolean(entity.hurt))) &&
    !(entity === owner && thing.ageTicks <= OWN_TICKS)
  const hit = entityOnWay(serv, position, next, mayHit)
  const struck = hit && (!block || hit.share <= block.share) ? hit.entity : null
  if (struck || block) {
    const share = struck ? (hit?.share ?? 0) : (block?.share ?? 0)
    const place = position.plus(velocity.scaled(Math.max(0, share - 0.05)))
    serv.moveEntity(thing, place)
    const what = { thing, place, entity: struck, block: struck ? null : (block?.position ?? null) }
    if (arrow) return arrow.hit(what)
    serv.removeThing(thing)
    return onHit?.(what)
  }
  serv.moveEntity(thing, next)
  const isInWater = isWater(serv, next)
  const drag = isInWater ? WATER_DRAG : DRAG
  thing.velocity = velocity.scaled(drag).offset(0, -gravity, 0)
}

/** @param {Server} serv @param {Vec3} position */
function isWater(serv, { x, y, z }) {
  const column = serv.overworld.getLoadedColumn(Math.floor(x) >> 4, Math.floor(z) >> 4)
  const at = { x: Math.floor(x) & 15, y: Math.floor(y), z: Math.floor(z) & 15 }
  return registry.blocksByStateId[column?.getBlockStateId(at) ?? 0]?.name === 'water'
}

/**
 * Apply a thrown item's effect where it hits.
 * @param {Server} serv @param {Item} item @param {Player | null} owner @param {Hit} hit
 */
function land(serv, item, owner, { entity, place }) {
  if (item.name === 'ender_pearl' && owner) return carry(serv, owner, place)
  if (item.name === 'egg') hatch(serv, place)
  if (item.name === 'experience_bottle') {
    serv.spillExperience(
      ORBS.least + Math.floor(serv.random() * (ORBS.most - ORBS.least + 1)),
      place
    )
  }
  if (item.name.endsWith('_potion')) splash(serv, item, place)
  const isStruck = item.name === 'snowball' || item.name === 'egg'
  if (!isStruck || !entity || entity.type === 'object') return
  const wound = entity.hurt?.(entity.name === 'blaze' ? 3 : 0, 'thrown', owner ?? undefined)
  if (entity.type !== 'thing' && wound === 'new') serv.pushAway(entity, owner?.position ?? place)
}

/** @param {Server} serv @param {Player} owner @param {Vec3} place */
function carry(serv, owner, place) {
  if (owner.isDead || owner.disconnected) return
  if (owner.vehicle) serv.dismount(owner)
  owner.teleport(place)
  if (owner.gameMode !== CREATIVE) owner.hurt(PEARL_DAMAGE, 'fall')
}

/** @param {Server} serv @param {Vec3} place */
function hatch(serv, place) {
  if (serv.random() >= HATCHES) return
  const count = serv.random() < HATCHES_FOUR ? 4 : 1
  for (let index = 0; index < count; index++) serv.spawnAnimal('chicken', place)
}
