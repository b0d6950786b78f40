/**
 * Entity data in Minecraft's format: what the `data` command returns and may change.
 *
 * If a mob was summoned with data that this server ignores, that data is returned unchanged.
 * Source: https://minecraft.wiki/w/Entity_format
 */
import { plainOf, setPart } from '../minecraft/snbt.js'
import { compounds, itemOf, tagOfItem } from '../minecraft/items.js'
import { isSame } from '../commands/arguments/nbt-path.js'
import { BOUNDS, nbt, registry, Vec3 } from '../minecraft/index.js'
import { componentOf } from '../minecraft/texts.js'
import { dimensionAt, isInDimension, shiftAt, shown } from '../world/dimensions.js'
import { pointsOf } from '../players/experience.js'
import { nameOf } from './labels.js'
import { fullHealthOf } from '../mobs/mob-health.js'

/** @import { Animal, Component, Drop, Entity, Item, Player, Server, Tag, Thing } from '../types/index.d.ts' */
/** @typedef {Record<string, Tag>} Parts of a compound */

/** Vanilla's values, in ticks, for full air and for not burning. */
const MOST_AIR = 300
const NOT_BURNING = { player: -20, others: -1 }
const DATA_VERSION = 3700
const GROWING = /^(animal|passive|water_creature)$/
/** Window slot → vanilla's slot number. @type {Record<number, number>} */
const ARMOUR_AND_OFF_HAND = { 5: 103, 6: 102, 7: 101, 8: 100, 45: -106 }

/** @param {'float' | 'double' | 'string' | 'int'} type @param {unknown[]} values @returns {Tag} */
const listOf = (type, values) => ({ type: 'list', value: { type, value: values } })
/** @param {number} value @returns {Tag} */
const flag = (value) => nbt.byte(Number(Boolean(value)))

/** Return a text as JSON; vanilla's short form if it is plain. @param {Component} component */
const jsonOf = (component) =>
  JSON.stringify(Object.keys(component).join() === 'text' ? component.text : component)

/** @param {string} uuid @returns {Tag} */
export const uuidTag = (uuid) => {
  const digits = uuid.replaceAll('-', '')
  const value = [0, 8, 16, 24].map((at) => parseInt(digits.slice(at, at + 8), 16) | 0)
  return { type: 'intArray', value }
}

/** @param {Server} serv @param {Entity} entity @returns {Tag} */
export function tagOfEntity(serv, entity) {
  const parts = {
    ...bodyParts(entity),
    ...(entity.type === 'object' ? dropParts(entity) : {}),
    ...(entity.type === 'player' ? playerParts(serv, entity) : {}),
    ...(entity.type === 'mob' ? mobParts(serv, entity) : {})
  }
  return { type: 'compound', value: parts }
}

/** Return the data that all kinds of entities have. @param {Entity} entity @returns {Parts} */
function bodyParts(entity) {
  const { position, velocity, yaw, pitch, tags, customName } = entity
  const isPlayer = entity.type === 'player'
  const burning = 'burnTicks' in entity ? Math.max(0, entity.burnTicks ?? 0) : 0
  return {
    Pos: listOf('double', shown(position).toArray()),
    Motion: listOf('double', velocity.toArray()),
    Rotation: listOf('float', [yaw, pitch]),
    FallDistance: nbt.float(isPlayer ? Math.max(0, entity.fallBlocks) : 0),
    Fire: nbt.short(burning || NOT_BURNING[isPlayer ? 'player' : 'others']),
    Air: nbt.short(isPlayer ? entity.air : MOST_AIR),
    OnGround: flag(Number(entity.onGround)),
    Invulnerable: flag(0),
    PortalCooldown: nbt.int(isPlayer ? entity.portalCooldown : 0),
    UUID: uuidTag(entity.uuid),
    ...(customName ? { CustomName: nbt.string(jsonOf(customName)) } : {}),
    ...(tags.size ? { Tags: listOf('string', [...tags]) } : {})
  }
}

/** @param {Drop} drop @returns {Parts} */
const dropParts = (drop) => ({
  Item: tagOfItem(drop.item),
  Age: nbt.short(drop.ageTicks),
  PickupDelay: nbt.short(Math.max(0, drop.pickupTicks - drop.ageTicks)),
  Health: nbt.short(5)
})

/** @param {Server} serv @param {Player} player @returns {Parts} */
function playerParts(serv, player) {
  const { level, points, totalPoints, heldItem, spawnPoint } = player
  const effects = [...player.activeEffects].map(([id, { ticks, amplifier }]) =>
    nbt.comp({
      id: nbt.string(`minecraft:${effectName(id)}`),
      duration: nbt.int(ticks),
      amplifier: nbt.byte(amplifier),
      ambient: flag(0),
      show_particles: flag(1),
      show_icon: flag(1)
    })
  )
  return {
    DataVersion: nbt.int(DATA_VERSION),
    Health: nbt.float(player.health),
    AbsorptionAmount: nbt.float(player.absorption),
    DeathTime: nbt.short(0),
    ...(effects.length ? { active_effects: compounds(effects) } : {}),
    Inventory: compounds(
      inventorySlots(player).flatMap(({ item, slot }) => (item ? [tagOfItem(item, slot)] : []))
    ),
    EnderItems: itemsTag(player.enderChest.slots),
    ...(heldItem ? { SelectedItem: tagOfItem(heldItem) } : {}),
    SelectedItemSlot: nbt.int(player.heldItemSlot),
    playerGameType: nbt.int(player.gameMode),
    foodLevel: nbt.int(player.food),
    foodSaturationLevel: nbt.float(player.foodSaturation),
    foodExhaustionLevel: nbt.float(player.exhaustion),
    XpLevel: nbt.int(level),
    XpP: nbt.float(points / pointsOf(level)),
    XpTotal: nbt.int(totalPoints),
    XpSeed: nbt.int(player.enchantmentSeed | 0),
    Dimension: nbt.string(dimensionAt(player.position)),
    ...(spawnPoint ? spawnParts(player, spawnPoint) : {})
  }
}

/** @param {Player} player @param {Vec3} place @returns {Parts} */
const spawnParts = ({ isBedSpawn, spawnAngle }, place) => ({
  SpawnX: nbt.int(Math.floor(shown(place).x)),
  SpawnY: nbt.int(Math.floor(place.y)),
  SpawnZ: nbt.int(Math.floor(place.z)),
  SpawnAngle: nbt.float(spawnAngle),
  SpawnForced: flag(Number(!isBedSpawn)),
  SpawnDimension: nbt.string(dimensionAt(place))
})

/** @param {number} id */
const effectName = (id) => registry.effects[id].name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase()

/** @param {(Item | null)[]} slots @returns {Tag} */
export const itemsTag = (slots) =>
  compounds(slots.flatMap((item, slot) => (item ? [tagOfItem(item, slot)] : [])))

/**
 * Window slots in vanilla's inventory numbers: hotbar 0–8, main 9–35, armor 100–103, off hand -106.
 * @param {Player} player
 */
const inventorySlots = (player) =>
  player.inventory.slots
    .map((item, slot) => ({
      item,
      slot: slot >= 36 && slot <= 44 ? slot - 36 : (ARMOUR_AND_OFF_HAND[slot] ?? slot),
      crafting: slot < 5
    }))
    .filter((entry) => !entry.crafting)
    .sort((a, b) => a.slot - b.slot)

/** @param {Server} serv @param {Animal} animal @returns {Parts} */
function mobParts(serv, animal) {
  const { data, kind, adultTick, restUntil, loveUntil } = animal
  const left = (/** @type {number} */ until) => Math.max(0, until - serv.tickCount)
  const given = /** @type {Parts} */ (data?.value ?? {})
  /** @type {Parts} */
  const live = {
    ...given,
    Health: nbt.float(animal.health),
    ...(animal.isStill || given.NoAI ? { NoAI: flag(Number(animal.isStill)) } : {})
  }
  for (const name of ['id', 'Passengers', ...Object.keys(bodyParts(animal))]) delete live[name]
  if (GROWING.test(kind.type) && kind.metadataKeys.includes('baby')) {
    live.Age = nbt.int(adultTick ? -left(adultTick) : left(restUntil))
    live.InLove = nbt.int(left(loveUntil))
  }
  if (animal.isSaddled) live.Saddle = flag(1)
  if (animal.name !== 'sheep') return live
  return { ...live, Color: nbt.byte(animal.colour), Sheared: flag(Number(animal.isShorn)) }
}

/**
 * Changeable parts of an entity.
 * @type {Record<string, (serv: Server, entity: Exclude<Entity, Player>, value: any) => void>}
 */
const TAKEN = {
  Pos: (serv, entity, place) => {
    const [x, y, z] = place.map((/** @type {number} */ at) =>
      Math.max(-FARTHEST, Math.min(FARTHEST, at))
    )
    const { x: before } = entity.position
    const to = new Vec3(x + shiftAt(before), y, z)
    if (isInDimension(to, entity.position)) serv.moveEntity(entity, to)
  },
  Motion: (_serv, entity, [x, y, z]) => void (entity.velocity = new Vec3(x, y, z)),
  Rotation: (serv, entity, [yaw, pitch]) =>
    void Object.assign(entity, { yaw, pitch, turnedTick: serv.tickCount }),
  Tags: (_serv, entity, tags) => void (entity.tags = new Set(tags ?? [])),
  CustomName: (_serv, entity, name) =>
    void (entity.customName = name === undefined ? null : componentOf(String(name)))
}

/** Of mobs. @type {Record<string, (serv: Server, mob: Animal, value: any) => void>} */
const TAKEN_OF_MOBS = {
  Health: (_serv, mob, health) => {
    if (health === undefined) return
    const full = Math.max(mob.health, fullHealthOf(mob.name))
    if (health > 0) mob.health = Math.min(full, health)
    else mob.hurt(mob.health, 'generic_kill')
  },
  Fire: (_serv, mob, ticks = 0) => void (mob.burnTicks = Math.max(0, ticks)),
  NoAI: (_serv, mob, isStill) => void (mob.isStill = Boolean(isStill)),
  Age: (serv, mob, age = 0) => {
    mob.adultTick = age < 0 ? serv.tickCount - age : 0
    mob.restUntil = age > 0 ? serv.tickCount + age : 0
  },
  InLove: (serv, mob, ticks = 0) => void (mob.loveUntil = serv.tickCount + ticks),
  Color: (_serv, mob, colour = 0) => void (mob.colour = colour & 15),
  Sheared: (_serv, mob, isShorn) => void (mob.isShorn = Boolean(isShorn)),
  Saddle: (_serv, mob, isSaddled) => void (mob.isSaddled = Boolean(isSaddled))
}

/**
 * Changeable parts of dropped items.
 * @type {Record<string, (serv: Server, drop: Drop, value: any, tag: Tag | undefined) => void>}
 */
const TAKEN_OF_DROPS = {
  Age: (_serv, drop, age = 0) => void (drop.ageTicks = age),
  PickupDelay: (_serv, drop, ticks = 0) => void (drop.pickupTicks = drop.ageTicks + ticks),
  Item: (serv, drop, _value, tag) => {
    const item = itemOf(tag)
    if (item) serv.changeDrop(drop, item)
    else serv.removeDrop(drop)
  }
}
/** Parts that cannot be changed. */
const FIXED = ['id', 'UUID', 'Passengers']
/** Maximum coordinate of an entity, in blocks. */
const FARTHEST = BOUNDS.edge - 1
/** Lists of fixed length. @type {Record<string, number>} */
const LENGTHS = { Pos: 3, Motion: 3, Rotation: 2 }

/**
 * Apply a changed tag to an entity; a mob keeps data that this server ignores.
 * @param {Server} serv @param {Drop | Animal | Thing} entity
 * @param {Tag} before its data before the change @param {Tag} after
 */
export function takeTag(serv, entity, before, after) {
  const [was, is] = [before, after].map(({ value }) => /** @type {Parts} */ (value))
  const names = Object.keys({ ...was, ...is }).filter(
    (name) =>
      !isSame(was[name], is[name]) && !FIXED.includes(name) && fits(name, plainOf(after, name))
  )
  for (const name of names) {
    const value = plainOf(after, name)
    TAKEN[name]?.(serv, entity, value)
    if (entity.type === 'mob') TAKEN_OF_MOBS[name]?.(serv, entity, value)
    if (entity.type === 'object') TAKEN_OF_DROPS[name]?.(serv, entity, value, is[name])
  }
  if (entity.type === 'mob') keep(entity, names, is)
  if (!serv.entities[entity.id]) return
  const looks = entity.type === 'thing' ? nameOf(entity) : (entity.appearance?.() ?? [])
  for (const [packet, fields] of looks) entity._writeNearby(packet, fields)
}

/**
 * Return true if a value has a valid form; data that this server ignores may have any form.
 * @param {string} name @param {any} value
 */
function fits(name, value) {
  if (name === 'Tags') {
    const texts = value ?? []
    return Array.isArray(texts) && texts.every((one) => typeof one === 'string')
  }
  const length = LENGTHS[name]
  if (length) return Array.isArray(value) && value.length === length && value.every(Number.isFinite)
  if (name === 'CustomName') return value === undefined || typeof value === 'string'
  const isNumber = [TAKEN_OF_MOBS, TAKEN_OF_DROPS].some((taken) => Object.hasOwn(taken, name))
  return !isNumber || name === 'Item' || value === undefined || Number.isFinite(value)
}

/** @param {Animal} mob @param {string[]} names that changed @param {Parts} now */
function keep(mob, names, now) {
  const value = { .../** @type {Parts} */ (mob.data?.value ?? {}) }
  for (const name of names) {
    if (Object.hasOwn(now, name)) setPart(value, name, now[name])
    else delete value[name]
  }
  mob.data = { type: 'compound', value }
}
