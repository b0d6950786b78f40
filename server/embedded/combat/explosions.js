/**
 * Explosions of TNT, end crystals and other sources. Blast resistance stops the rays that destroy
 * blocks; damage depends on how much of a body is exposed (minecraft.wiki: Explosion).
 */
import { plainOf } from '../minecraft/snbt.js'
import { registry, Vec3 } from '../minecraft/index.js'
import { lootAt } from '../blocks/loot.js'
import { blockAt, FACES, isSolid, key, stateAt } from '../blocks/blocks.js'
import { blockOnWay, fallOn } from '../entities/bodies.js'
import { velocityOf } from '../entities/sight.js'

/** @import { Entity, Server, Thing } from '../types/index.d.ts' */

const RAYS = 16
const RAY_STEP = 0.3
const GRAVITY = 0.04
const FUSE_TICKS = 80
const POWER = { tnt: 4, end_crystal: 6 }
const TOLD_BLOCKS = 64
/** Maximum number of explosions per tick; the others wait. */
const EXPLOSIONS_PER_TICK = 10
/** Block interaction in explosion packets: blocks are destroyed. */
const DESTROYS = 1

/** @param {Server} serv */
export function server(serv) {
  /** @type {[position: Vec3, power: number, by: Entity | null][]} */
  const due = []
  serv.explode = (position, power, by) => void due.push([position, power, by ?? null])
  serv.on('tick', () => {
    for (const explosion of due.splice(0, EXPLOSIONS_PER_TICK)) explode(serv, ...explosion)
  })

  serv.ignite = (position, fuse = FUSE_TICKS) => {
    const thing = serv.addThing('tnt', position, (thing) => ({
      velocity: new Vec3(0, 0.2, 0),
      appearance: () => {
        const key = thing.kind.metadataKeys.indexOf('fuse')
        const metadata = [{ key, type: 'int', value: fuse - thing.ageTicks }]
        return [['entity_metadata', { entityId: thing.id, metadata }]]
      },
      step: () => {
        fallOn(serv, thing, GRAVITY)
        if (thing.ageTicks < fuse) return
        serv.removeThing(thing)
        serv.explode(thing.position.offset(0, 0.06, 0), POWER.tnt)
      }
    }))
    serv.playSound('entity.tnt.primed', position)
    return thing
  }

  serv.onSummon(['tnt'], (position, data) =>
    serv.ignite(position, plainOf(data, 'fuse') ?? plainOf(data, 'Fuse') ?? 0)
  )
  serv.onSummon(['end_crystal'], (position) => crystal(serv, position))

  serv.once('asap', () => {
    serv.onPower(['tnt'], (position, isPowered) => {
      if (!isPowered) return
      serv.setBlock(position, 0)
      serv.ignite(position.offset(0.5, 0, 0.5))
    })
    serv.onUseItem('end_crystal', (player, position) => {
      const above = position.offset(0, 1, 0)
      const isBase = /^(obsidian|bedrock)$/.test(blockAt(serv, position).name)
      if (!isBase || isSolid(serv, above)) return false
      crystal(serv, above.offset(0.5, 0, 0.5))
      player.useUpHeld()
      return true
    })
  })
}

/** @param {Server} serv @param {Vec3} position */
function crystal(serv, position) {
  const thing = serv.addThing('end_crystal', position, (thing) => ({
    hurt: () => {
      serv.removeThing(thing)
      serv.explode(thing.position, POWER.end_crystal)
    }
  }))
  return thing
}

/** @param {Server} serv @param {Vec3} position @param {number} power @param {Entity | null} by */
function explode(serv, position, power, by) {
  const broken = blocksAround(serv, position, power)
  const pushes = hurtAround(serv, position, power, by)
  for (const cell of broken) breakBlock(serv, cell)
  const centre = position.floored()
  for (const player of serv.getNearby({ position, radius: TOLD_BLOCKS })) {
    const push = pushes.get(player) ?? new Vec3(0, 0, 0)
    player._client.write('explosion', {
      x: position.x,
      y: position.y,
      z: position.z,
      radius: power,
      affectedBlockOffsets: broken.map((cell) => {
        const { x, y, z } = cell.minus(centre)
        return { x, y, z }
      }),
      playerMotionX: push.x,
      playerMotionY: push.y,
      playerMotionZ: push.z,
      block_interaction_type: DESTROYS,
      small_explosion_particle: { particleId: registry.particlesByName.explosion.id },
      large_explosion_particle: { particleId: registry.particlesByName.explosion_emitter.id },
      sound: { soundId: registry.soundsByName['entity.generic.explode'].id }
    })
  }
}

/**
 * Return blocks along rays from the centre to the surface of a cube, as in vanilla.
 * @param {Server} serv @param {Vec3} from @param {number} power @returns {Vec3[]}
 */
function blocksAround(serv, from, power) {
  /** @type {Map<string, Vec3>} */
  const broken = new Map()
  const last = RAYS - 1
  for (let i = 0; i < RAYS; i++) {
    for (let j = 0; j < RAYS; j++) {
      for (let k = 0; k < RAYS; k++) {
        const isRim = [i, j, k].some((at) => at === 0 || at === last)
        if (!isRim) continue
        const way = new Vec3(i, j, k).scaled(2 / last).offset(-1, -1, -1)
        castRay(serv, from, way.scaled(RAY_STEP / way.norm()), power, broken)
      }
    }
  }
  return [...broken.values()]
}

/**
 * @param {Server} serv @param {Vec3} from @param {Vec3} step @param {number} power
 * @param {Map<string, Vec3>} broken
 */
function castRay(serv, from, step, power, broken) {
  const at = from.clone()
  for (let left = power * (0.7 + serv.random() * 0.6); left > 0; left -= 0.225) {
    const cell = at.floored()
    const state = stateAt(serv.overworld, cell)
    if (state) {
      left -= ((registry.blocksByStateId[state].resistance ?? 0) + 0.3) * 0.3
      if (left > 0) broken.set(key(cell), cell)
    }
    at.add(step)
  }
}

/** @param {Server} serv @param {Vec3} cell */
function breakBlock(serv, cell) {
  const state = stateAt(serv.overworld, cell)
  const block = registry.blocksByStateId[state]
  if (!state) return
  const isKept = block.name !== 'tnt' && serv.gamerules.doTileDrops
  const loot = isKept ? lootAt(serv, cell, state) : []
  serv.setBlock(cell, 0)
  const centre = cell.offset(0.5, 0.25, 0.5)
  if (block.name === 'tnt') {
    serv.ignite(cell.offset(0.5, 0, 0.5), 10 + Math.floor(serv.random() * 20))
    return
  }
  for (const item of loot) serv.dropItem(item, centre)
}

/**
 * @param {Server} serv @param {Vec3} from @param {number} power @param {Entity | null} by
 * @returns {Map<Entity, Vec3>} knockback of bodies
 */
function hurtAround(serv, from, power, by) {
  const pushes = new Map()
  for (const entity of Object.values(serv.entities)) {
    const away = entity.position.offset(0, entity.height / 2, 0).minus(from)
    const distance = entity.position.distanceTo(from) / (2 * power)
    if (distance > 1 || entity.type === 'object' || (entity.type === 'thing' && !entity.hurt))
      continue
    const impact = (1 - distance) * exposure(serv, from, entity)
    const damage = Math.floor(((impact * impact + impact) / 2) * 7 * 2 * power + 1)
    if (impact <= 0) continue
    const push = away.scaled(impact / (away.norm() || 1))
    pushes.set(entity, push)
    if (entity.type === 'thing') entity.hurt?.(damage, 'explosion')
    else {
      entity.hurt(damage, 'explosion', by?.type === 'player' ? by : undefined)
      if (entity.type === 'mob') {
        entity.velocity.add(push)
        const velocity = velocityOf(entity)
        entity._writeNearby('entity_velocity', { entityId: entity.id, velocity })
      }
    }
  }
  return pushes
}

/**
 * Return the fraction of a body that is exposed to an explosion's centre, from 0 to 1.
 * @param {Server} serv @param {Vec3} from @param {Entity} entity
 */
function exposure(serv, from, { position, width, height }) {
  const shares = [0, 0.5, 1]
  let [seen, all] = [0, 0]
  for (const x of shares) {
    for (const y of shares) {
      for (const z of shares) {
        const place = position.offset((x - 0.5) * width, y * height, (z - 0.5) * width)
        all += 1
        if (!blockOnWay(serv, place, from)) seen += 1
      }
    }
  }
  return seen / all
}
