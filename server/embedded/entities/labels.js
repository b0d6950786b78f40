/** Names and tags that commands give to entities. */
import { partOf, plainOf } from '../minecraft/snbt.js'
import { componentOf, packed } from '../minecraft/texts.js'

/** @import { Entity, Packet, Server, Tag } from '../types/index.d.ts' */

/** @param {Server} serv */
export function server(serv) {
  serv.label = (entity, data) => {
    if (!data) return
    for (const tag of plainOf(data, 'Tags') ?? []) entity.tags.add(tag)
    const name = plainOf(data, 'CustomName')
    if (name !== undefined) entity.customName = componentOf(name)
    if (entity.type === 'mob') {
      entity.isStill = Boolean(plainOf(data, 'NoAI'))
      entity.health = plainOf(data, 'Health') ?? entity.health
      entity.isShorn = Boolean(plainOf(data, 'Sheared'))
      const age = Number(plainOf(data, 'Age') ?? 0)
      if (age < 0) entity.adultTick = serv.tickCount - age
      entity.data = data
    }
    const [yaw, pitch] = plainOf(data, 'Rotation') ?? [entity.yaw, entity.pitch]
    Object.assign(entity, { yaw, pitch, turnedTick: serv.tickCount })
    const looks = entity.type === 'mob' ? entity.appearance?.() : null
    for (const [packet, fields] of looks ?? nameOf(entity)) entity._writeNearby(packet, fields)
    ride(serv, entity, data)
  }
}

/** @param {Entity} entity */
export function entity(entity) {
  entity.tags = new Set()
  entity.customName = null
}

/** Return the packets with an entity's name. @param {Entity} entity @returns {Packet[]} */
export function nameOf(entity) {
  const at = entity.kind.metadataKeys.indexOf('custom_name')
  if (!entity.customName || at < 0) return []
  const metadata = [{ key: at, type: 'optional_component', value: packed(entity.customName) }]
  return [['entity_metadata', { entityId: entity.id, metadata }]]
}

/** Summon an entity's passengers. @param {Server} serv @param {Entity} vehicle @param {Tag} data */
function ride(serv, vehicle, data) {
  const list = /** @type {{value: unknown[]} | undefined} */ (partOf(data, 'Passengers')?.value)
  for (const value of list?.value ?? []) {
    const tag = { type: 'compound', value }
    const name = String(plainOf(tag, 'id') ?? '').replace('minecraft:', '')
    const passenger = serv.summon(name, vehicle.position.clone(), tag)
    if (passenger) serv.mount(passenger, vehicle)
  }
}
