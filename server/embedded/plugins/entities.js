/**
 * Entities: who is in the world, who sees whom, and how movements are told.
 *
 * Each player hears of the entities within reach. A moved entity is told by its absolute position,
 * so the same bytes serve every watcher at whatever pace: near ones ten times a second, far ones
 * twice, and slower still for who sees a crowd, so that the cost grows evenly with the crowd.
 */
import { createRequire } from 'node:module'
import { randomUUID } from 'node:crypto'
import { Entity, registry, Vec3 } from '../minecraft.js'

const require = createRequire(import.meta.url)

const SIGHT_BLOCKS = { player: 80, mob: 64, object: 48 }
const SIGHT_MARGIN = 8
const LOOK_TICKS = 10
const CELL = 32
/** Ticks between two updates, by distance in blocks. */
const PACES = [
  { within: 12, ticks: 2 },
  { within: 32, ticks: 4 },
  { within: Infinity, ticks: 10 }
]
const CROWD = 50

/** @param {number} degrees @returns {number} as a signed byte */
export const angleByte = (degrees) => (Math.floor((degrees * 256) / 360) << 24) >> 24

/** @param {any} serv @param {any} options */
export function server(serv, options) {
  const { builtinPlugins } = require('flying-squid/src/lib/plugins')
  let lastId = 0

  /**
   * @param {'player' | 'mob' | 'object'} type
   * @param {string} name such as item or cow
   * @param {any} position
   */
  serv.newEntity = (type, name, position) => {
    const entity = new Entity(++lastId)
    const kind = registry.entitiesByName[name]
    Object.assign(entity, {
      type,
      name,
      kind,
      uuid: randomUUID(),
      world: serv.overworld,
      position: position.clone(),
      velocity: new Vec3(0, 0, 0),
      width: kind.width,
      height: kind.height,
      watchers: new Set(),
      movedTick: 0,
      turnedTick: 0
    })
    for (const plugin of builtinPlugins) plugin.entity?.(entity, serv, options)
    return entity
  }

  /** Puts an entity into the world: who is near sees it. @param {any} entity */
  serv.enterEntity = (entity) => {
    serv.entities[entity.id] = entity
    for (const player of serv.players) {
      if (player !== entity && player.spawned && sees(player, entity, 0)) show(player, entity)
    }
  }

  /** @param {any} entity */
  serv.removeEntity = (entity) => {
    if (serv.entities[entity.id] !== entity) return
    delete serv.entities[entity.id]
    serv.send([...entity.watchers], 'entity_destroy', { entityIds: [entity.id] })
    for (const player of entity.watchers) player.seen.delete(entity)
    entity.watchers.clear()
  }

  /** @param {any} entity @param {any} position @param {boolean} [onGround] */
  serv.moveEntity = (entity, position, onGround = entity.onGround) => {
    entity.position = position
    entity.onGround = onGround
    entity.movedTick = serv.tickCount
  }

  /** Looks around for one player, at once. @param {any} player */
  serv.lookAround = (player) => {
    const cells = cellsOf(Object.values(serv.entities))
    update(player, cells)
  }

  serv.on('tick', () => {
    if (serv.tickCount % LOOK_TICKS === 0) lookAll()
    for (const player of serv.players) if (player.spawned) tellMovements(player)
  })

  function lookAll() {
    const cells = cellsOf(Object.values(serv.entities))
    for (const player of serv.players) if (player.spawned) update(player, cells)
  }

  /** @param {any} player @param {Map<string, any[]>} cells */
  function update(player, cells) {
    for (const entity of player.seen.keys()) {
      if (!sees(player, entity, SIGHT_MARGIN)) hide(player, entity)
    }
    for (const entity of nearby(cells, player.position)) {
      if (entity !== player && !player.seen.has(entity) && sees(player, entity, 0)) {
        show(player, entity)
      }
    }
  }

  /** @param {any} player @param {any} entity @param {number} margin */
  function sees(player, entity, margin) {
    if (entity.type === 'player' && !entity.spawned) return false
    const sight = SIGHT_BLOCKS[/** @type {keyof typeof SIGHT_BLOCKS} */ (entity.type)] + margin
    return player.position.distanceTo(entity.position) <= sight
  }

  /** @param {any} player @param {any} entity */
  function show(player, entity) {
    player.seen.set(entity, serv.tickCount)
    entity.watchers.add(player)
    player._client.write('spawn_entity', {
      entityId: entity.id,
      objectUUID: entity.uuid,
      type: entity.kind.id,
      x: entity.position.x,
      y: entity.position.y,
      z: entity.position.z,
      pitch: angleByte(entity.pitch),
      yaw: angleByte(entity.yaw),
      headPitch: angleByte(entity.yaw),
      objectData: 0,
      velocity: { x: 0, y: 0, z: 0 }
    })
    for (const [name, fields] of entity.appearance?.() ?? []) player._client.write(name, fields)
  }

  /** @param {any} player @param {any} entity */
  function hide(player, entity) {
    player.seen.delete(entity)
    entity.watchers.delete(player)
    player._client.write('entity_destroy', { entityIds: [entity.id] })
  }

  /** @param {any} player */
  function tellMovements(player) {
    const crowd = 1 + Math.floor(player.seen.size / CROWD)
    for (const [entity, told] of player.seen) {
      const isNews = entity.movedTick > told || entity.turnedTick > told
      if (!isNews || serv.tickCount - told < PACES[0].ticks) continue
      const away = entity.position.distanceTo(player.position)
      const pace = PACES.find(({ within }) => away < within)?.ticks ?? 0
      if (serv.tickCount - told < pace * crowd) continue
      player.seen.set(entity, serv.tickCount)
      serv.sendBytes(player, moveBytes(player, entity, entity.turnedTick > told))
    }
  }

  /** @param {any} player @param {any} entity @param {boolean} hasTurned */
  function moveBytes(player, entity, hasTurned) {
    if (entity.bytesTick !== serv.tickCount) {
      entity.bytesTick = serv.tickCount
      entity.moveBytes = null
      entity.turnBytes = null
    }
    entity.moveBytes ??= serv.encode([player], 'entity_teleport', {
      entityId: entity.id,
      x: entity.position.x,
      y: entity.position.y,
      z: entity.position.z,
      yaw: angleByte(entity.yaw),
      pitch: angleByte(entity.pitch),
      onGround: entity.onGround
    })
    if (!hasTurned) return entity.moveBytes
    entity.turnBytes ??= Buffer.concat([
      entity.moveBytes,
      serv.encode([player], 'entity_head_rotation', {
        entityId: entity.id,
        headYaw: angleByte(entity.yaw)
      })
    ])
    return entity.turnBytes
  }
}

/** @param {any[]} entities @returns {Map<string, any[]>} by cell of the plane */
function cellsOf(entities) {
  const cells = new Map()
  for (const entity of entities) {
    const id = `${Math.floor(entity.position.x / CELL)},${Math.floor(entity.position.z / CELL)}`
    if (!cells.has(id)) cells.set(id, [])
    cells.get(id).push(entity)
  }
  return cells
}

/** @param {Map<string, any[]>} cells @param {any} position */
function* nearby(cells, { x, z }) {
  const reach = Math.ceil(SIGHT_BLOCKS.player / CELL)
  const [cellX, cellZ] = [Math.floor(x / CELL), Math.floor(z / CELL)]
  for (let dx = -reach; dx <= reach; dx++) {
    for (let dz = -reach; dz <= reach; dz++) yield* cells.get(`${cellX + dx},${cellZ + dz}`) ?? []
  }
}

/** @param {any} player */
export function player(player) {
  /** @type {Map<any, number>} what the client knows of → tick of the last update */
  player.seen = new Map()
}
