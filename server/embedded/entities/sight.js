/** Sight: the entities within range of each player. */

/** @import { Entity, Packet, Player, Position, Server } from '../types/index.d.ts' */

const SIGHT_BLOCKS = { player: 80, mob: 64, object: 48, thing: 64 }
const VELOCITY_UNIT = 8000 // units per block per tick
const FASTEST = 3.9 // maximum in packets, in blocks per tick
const SIGHT_MARGIN = 8
const LOOK_TICKS = 10
const CELL = 32

/** @param {number} degrees @returns {number} as a signed byte */
export const angleByte = (degrees) => (Math.floor((degrees * 256) / 360) << 24) >> 24

/** @param {Server} serv */
export function server(serv) {
  /** Update one player's sight immediately. */
  serv.lookAround = (player) => update(serv, player, cellsOf(Object.values(serv.entities)))

  serv.on('tick', () => {
    if (serv.tickCount % LOOK_TICKS !== 0) return
    const since = serv.tickCount - LOOK_TICKS
    const entities = Object.values(serv.entities)
    const cells = cellsOf(entities)
    // Nothing changes for a pair if neither has moved, so a crowd at rest costs nothing.
    const moved = new Set(entities.filter(({ movedTick }) => movedTick >= since))
    const movedCells = cellsOf([...moved])
    for (const player of serv.players) {
      if (!player.spawned) continue
      if (moved.has(player)) update(serv, player, cells)
      else if (moved.size) update(serv, player, movedCells, moved)
    }
  })
}

/** @param {Player} player */
export function player(player) {
  player.seen = new Map()
}

/**
 * @param {Server} serv @param {Player} player
 * @param {Map<string, Entity[]>} cells of entities that may come into sight
 * @param {Iterable<Entity>} [moved] entities that may leave it; default all
 */
function update(serv, player, cells, moved = player.seen.keys()) {
  for (const entity of moved) {
    if (player.seen.has(entity) && !sees(player, entity, SIGHT_MARGIN)) hide(player, entity)
  }
  for (const cell of nearby(cells, player.position)) {
    for (const entity of cell) {
      if (entity !== player && !player.seen.has(entity) && sees(player, entity, 0)) {
        show(serv, [player], entity)
      }
    }
  }
}

/** @param {Player} player @param {Entity} entity @param {number} margin in blocks */
export function sees(player, entity, margin) {
  if (entity.type === 'player' && !entity.spawned) return false
  const { x, y, z } = player.position
  const { position } = entity
  const away = (position.x - x) ** 2 + (position.y - y) ** 2 + (position.z - z) ** 2
  return away <= (SIGHT_BLOCKS[entity.type] + margin) ** 2
}

/** @param {Server} serv @param {Player[]} players who begin to see it @param {Entity} entity */
export function show(serv, players, entity) {
  if (!players.length) return
  for (const player of players) {
    player.seen.set(entity, serv.tickCount)
    entity.watchers.add(player)
  }
  const packets = [spawnOf(entity), ...(entity.appearance?.() ?? []), ...seats(entity)]
  for (const [name, fields] of packets) serv.send(players, name, fields)
}

/** @param {Entity} entity @returns {Packet} */
function spawnOf(entity) {
  const { x, y, z } = entity.position
  if (entity.name === 'experience_orb') {
    const { id: entityId, objectData: count = 1 } = entity
    return ['spawn_entity_experience_orb', { entityId, x, y, z, count }]
  }
  return [
    'spawn_entity',
    {
      entityId: entity.id,
      objectUUID: entity.uuid,
      type: entity.kind.id,
      x,
      y,
      z,
      pitch: angleByte(entity.pitch),
      yaw: angleByte(entity.yaw),
      headPitch: angleByte(entity.yaw),
      objectData: entity.objectData ?? 0,
      velocity: velocityOf(entity)
    }
  ]
}

/** Return the velocity in a packet's units. @param {Entity} entity */
export function velocityOf({ velocity }) {
  const part = (/** @type {number} */ speed) =>
    Math.trunc(Math.max(-FASTEST, Math.min(FASTEST, speed)) * VELOCITY_UNIT)
  return { x: part(velocity.x), y: part(velocity.y), z: part(velocity.z) }
}

/**
 * Return the packets of an entity's riders and of its vehicle.
 * @param {Entity} entity @returns {Packet[]}
 */
function seats(entity) {
  return [entity, entity.vehicle]
    .filter((one) => one !== null && one.passengers.length > 0)
    .map((one) => ['set_passengers', seatsOf(/** @type {Entity} */ (one))])
}

/** @param {Entity} vehicle */
export const seatsOf = ({ id, passengers }) => ({
  entityId: id,
  passengers: passengers.map((passenger) => passenger.id)
})

/** @param {Player} player @param {Entity} entity */
function hide(player, entity) {
  player.seen.delete(entity)
  entity.watchers.delete(player)
  player._client.write('entity_destroy', { entityIds: [entity.id] })
}

/** @param {Entity[]} entities @returns {Map<string, Entity[]>} by horizontal cell */
function cellsOf(entities) {
  const cells = new Map()
  for (const entity of entities) {
    const id = `${Math.floor(entity.position.x / CELL)},${Math.floor(entity.position.z / CELL)}`
    if (!cells.has(id)) cells.set(id, [])
    cells.get(id).push(entity)
  }
  return cells
}

/**
 * @param {Map<string, Entity[]>} cells @param {Position} position
 * @returns {Entity[][]} those within range
 */
function nearby(cells, { x, z }) {
  const reach = Math.ceil(SIGHT_BLOCKS.player / CELL)
  const [cellX, cellZ] = [Math.floor(x / CELL), Math.floor(z / CELL)]
  const near = []
  for (let dx = -reach; dx <= reach; dx++) {
    for (let dz = -reach; dz <= reach; dz++) {
      near.push(cells.get(`${cellX + dx},${cellZ + dz}`) ?? [])
    }
  }
  return near
}
