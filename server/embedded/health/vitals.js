/**
 * Vitals: health and attributes for clients.
 *
 * As in vanilla, health is part of the metadata of living entities, sent when it changes. Speed and
 * full health are attributes, sent when a body comes into sight (minecraft.wiki: Attribute; speeds
 * are from each mob's page). The speed and slowness effects change the speed attribute by vanilla's
 * modifiers.
 */
import { registry } from '../minecraft/index.js'
import { fullHealthOf } from '../mobs/mob-health.js'

/** @import { Animal, Entity, Packet, Player } from '../types/index.d.ts' */

const USUAL_SPEED = 0.7
const PLAYER_SPEED = 0.1
/** Speeds that differ from the usual one. @type {[speed: number, names: RegExp][]} */
const SPEEDS = [
  [0.09, /^camel$/],
  [0.1, /^(allay|sniffer)$/],
  [0.15, /^panda$/],
  [0.175, /^(donkey|mule|llama|trader_llama|strider)$/],
  [0.2, /^(cow|mooshroom|goat|parrot|snow_golem|skeleton_horse|zombie_horse|magma_cube)$/],
  [0.225, /^horse$/],
  [0.23, /^(sheep|zombie|husk|drowned|zombie_villager|zombified_piglin|blaze)$/],
  [0.25, /^(pig|chicken|skeleton|stray|wither_skeleton|creeper|endermite|silverfish|witch)$/],
  [0.25, /^(iron_golem|polar_bear|turtle)$/],
  [0.3, /^(rabbit|wolf|cat|ocelot|fox|bee|spider|cave_spider|enderman|hoglin|zoglin|ravager)$/],
  [0.3, /^(elder_guardian|warden|slime)$/],
  [0.35, /^(piglin|piglin_brute|vindicator|pillager)$/],
  [0.5, /^(villager|evoker|illusioner|guardian|giant)$/],
  [0.6, /^wither$/],
  [1, /^(axolotl|frog|tadpole)$/],
  [1.2, /^dolphin$/]
]
const MULTIPLIES = 2
/** Effects on speed: vanilla's modifiers, with the amount per level. */
const MODIFIERS = [
  { effect: 'Speed', uuid: '91aeaa56-376b-4498-935b-2f7f68070635', amount: 0.2 },
  { effect: 'Slowness', uuid: '7107de5e-7ce8-4030-940e-514c1f160890', amount: -0.15 }
].map((modifier) => ({
  ...modifier,
  id: registry.effectsArray.find(({ name }) => name === modifier.effect)?.id ?? -1
}))

/** @param {Entity} entity */
export function entity(entity) {
  if (entity.type !== 'mob') return
  const { appearance } = entity
  entity.appearance = () => [...(appearance?.() ?? []), attributesOf(entity)]
}

/** @param {Player} player */
export function player(player) {
  let told = NaN
  player.showHealthToOthers = () => {
    if (player.health === told || !player.spawned) return
    told = player.health
    for (const [name, fields] of healthOf(player)) player._writeNearby(name, fields)
  }
  player.sendAttributes = () => player._writeNearby(...attributesOf(player))
  player.absorption = 0
  player.setAbsorption = (amount) => {
    if (amount === player.absorption) return
    player.absorption = amount
    const [[name, fields]] = absorptionOf(player)
    player._writeNearby(name, fields)
  }

  const { appearance } = player
  player.appearance = () => [
    ...(appearance?.() ?? []),
    ...healthOf(player),
    ...(player.absorption ? absorptionOf(player) : []),
    attributesOf(player)
  ]
  player.on('connected', () => player._client.write(...attributesOf(player)))
}

/** @param {Player | Animal} body @returns {Packet[]} */
export function healthOf({ id, kind, health }) {
  const metadata = [{ key: kind.metadataKeys.indexOf('health'), type: 'float', value: health }]
  return [['entity_metadata', { entityId: id, metadata }]]
}

/** @param {Player} player @returns {Packet[]} */
function absorptionOf({ id, kind, absorption }) {
  const key = kind.metadataKeys.indexOf('player_absorption')
  const metadata = [{ key, type: 'float', value: absorption }]
  return [['entity_metadata', { entityId: id, metadata }]]
}

/** @param {Player | Animal} body @returns {Packet} */
function attributesOf(body) {
  const properties = [
    { name: 'minecraft:generic.movement_speed', value: speedOf(body), modifiers: changesOf(body) },
    { name: 'minecraft:generic.max_health', value: fullHealthOf(body.name), modifiers: [] }
  ]
  return ['entity_update_attributes', { entityId: body.id, properties }]
}

/** @param {Player | Animal} body */
function speedOf({ type, name }) {
  if (type === 'player') return PLAYER_SPEED
  return SPEEDS.find(([, names]) => names.test(name))?.[0] ?? USUAL_SPEED
}

/** Return the modifiers of a body's speed. @param {Player | Animal} body */
function changesOf(body) {
  if (body.type !== 'player') return []
  return MODIFIERS.filter(({ id }) => body.effects[id]).map(({ id, uuid, amount }) => ({
    uuid,
    amount: amount * (body.effects[id].amplifier + 1),
    operation: MULTIPLIES
  }))
}
