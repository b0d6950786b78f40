/** Entities of the world, and their positions. */
import { randomUUID } from 'node:crypto'
import { Entity, registry, Vec3 } from '../minecraft/index.js'
import { sees, show } from './sight.js'
import { upstream } from '../process/upstream.js'

/** @import { EntityTypes, Options, Server } from '../types/index.d.ts' */

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  let lastId = 0

  /**
   * Create an entity that is not in the world yet.
   * @template {keyof EntityTypes} Type
   * @param {Type} type @param {string} name such as item or cow @param {Vec3} position
   */
  serv.newEntity = (type, name, position) => {
    const kind = registry.entitiesByName[name]
    const bare = Object.assign(new Entity(++lastId), {
      type,
      name,
      kind,
      uuid: randomUUID(),
      position: position.clone(),
      velocity: new Vec3(0, 0, 0),
      width: kind.width,
      height: kind.height,
      watchers: new Set(),
      movedTick: 0,
      turnedTick: 0
    })
    // The plugins and the caller set the other properties of this type.
    const entity = /** @type {EntityTypes[Type]} */ (/** @type {unknown} */ (bare))
    for (const plugin of upstream.builtinPlugins) plugin.entity?.(entity, serv, options)
    return entity
  }

  /** Add an entity to the world; players near it see it. */
  serv.enterEntity = (entity) => {
    serv.entities[entity.id] = entity
    const near = serv.players.filter((player) => {
      return player !== entity && player.spawned && sees(player, entity, 0)
    })
    show(serv, near, entity)
  }

  serv.removeEntity = (entity) => {
    if (serv.entities[entity.id] !== entity) return
    delete serv.entities[entity.id]
    serv.send([...entity.watchers], 'entity_destroy', { entityIds: [entity.id] })
    for (const player of entity.watchers) player.seen.delete(entity)
    entity.watchers.clear()
  }

  serv.moveEntity = (entity, position, onGround = entity.onGround) => {
    // Idle clients report their position every second; other players need not receive that.
    const isElsewhere = !position.equals(entity.position) || onGround !== entity.onGround
    if (isElsewhere) entity.movedTick = serv.tickCount
    entity.position = position
    entity.onGround = onGround
  }
}
