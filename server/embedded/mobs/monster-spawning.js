/**
 * Monsters spawn in the dark and despawn far from players (minecraft.wiki: Mob spawning). They
 * spawn only if `doMobSpawning` is on, the world is not peaceful, and the server was started
 * without `--no-monsters` (vanilla's `spawn-monsters=false`).
 *
 * As in vanilla, the server picks random positions in loaded columns, but it tries fewer of them
 * per tick, so that the cost is bounded for any number of players. Therefore monsters reach their
 * normal number a minute after nightfall instead of within seconds.
 */
import { plainOf } from '../minecraft/snbt.js'
import { registry, Vec3 } from '../minecraft/index.js'
import { OPACITY } from '../world/light/states.js'
import { isSolid, stateAt } from '../blocks/blocks.js'
import { isNether } from '../world/dimensions.js'
import { isFull } from '../blocks/full.js'
import { SPECTATOR } from '../players/game-modes.js'
import { MONSTERS, PEACEFUL } from './monster-kinds.js'

/** @import { Animal, Options, Player, Server } from '../types/index.d.ts' */

/** Number of attempts per tick. */
const TRIES = 24
/** Radius around players in columns, and number of monsters per 17 by 17 columns. */
const REACH_COLUMNS = 8
const CAP = { monsters: 70, columns: 289 }
const RANGE = { least: 24, most: 128 }
const LIST_TICKS = 40
const BOTTOM = -64
/** Kinds, weights and group sizes. @type {[string, number, number][]} */
const COMERS = [
  ['zombie', 95, 4],
  ['zombie_villager', 5, 1],
  ['skeleton', 100, 4],
  ['spider', 100, 4]
]
const STRIDE = 6
/** Upper bounds of the random thresholds for light from the sky and from blocks. */
const SKY_DRAWS = 32
const LIGHT_DRAWS = 8
/**
 * A monster that has been farther than `from` from all players for this many ticks despawns with a
 * probability of 1 in `chance` per tick.
 */
const LEAVES = { from: 32, ticks: 600, chance: 800 }
const LEAVE_TICKS = 20

/** @param {Server} serv @param {Options} options */
export function server(serv, { monsters }) {
  /** @type {[number, number][]} */
  let columns = []
  serv.on('tick', () => {
    if (serv.tickCount % LEAVE_TICKS === 0) leave(serv)
    if (!monsters || !serv.gamerules.doMobSpawning || serv.difficulty === PEACEFUL) return
    if (serv.tickCount % LIST_TICKS === 0) columns = columnsNear(serv)
    if (!columns.length) return
    const most = Math.floor((CAP.monsters * columns.length) / CAP.columns)
    let count = 0
    for (const { name } of serv.animals.values()) if (MONSTERS[name]) count += 1
    for (let tries = 0; tries < TRIES && count < most; tries++) count += come(serv, columns)
  })
}

/** @param {Server} serv */
const present = (serv) =>
  serv.players.filter((player) => player.spawned && player.gameMode !== SPECTATOR)

/**
 * Return the columns around players that contain blocks.
 * @param {Server} serv @returns {[number, number][]}
 */
function columnsNear(serv) {
  /** @type {Map<string, [number, number]>} */
  const found = new Map()
  const centres = new Set(
    present(serv)
      .filter(({ position }) => !isNether(position.x))
      .map(({ position: { x, z } }) => `${Math.floor(x) >> 4},${Math.floor(z) >> 4}`)
  )
  for (const centre of centres) {
    const [chunkX, chunkZ] = centre.split(',').map(Number)
    for (let x = chunkX - REACH_COLUMNS; x <= chunkX + REACH_COLUMNS; x++) {
      for (let z = chunkZ - REACH_COLUMNS; z <= chunkZ + REACH_COLUMNS; z++) {
        const id = `${x},${z}`
        if (!found.has(id) && serv.overworld.getLoadedColumn(x, z)) found.set(id, [x, z])
      }
    }
  }
  return [...found.values()]
}

/** @param {Server} serv @param {number} below @returns {number} a whole number from 0 */
const draw = (serv, below) => Math.floor(serv.random() * below)

/**
 * Pick a random position, and spawn monsters there if allowed.
 * @param {Server} serv @param {[number, number][]} columns @returns {number} number of monsters
 */
function come(serv, columns) {
  const [chunkX, chunkZ] = columns[draw(serv, columns.length)]
  const place = new Vec3(chunkX * 16 + draw(serv, 16), 0, chunkZ * 16 + draw(serv, 16))
  place.y = BOTTOM + draw(serv, serv.openHeightAt(place) + 2 - BOTTOM)
  if (isSolid(serv, place)) return 0
  const [name, , size] = drawn(serv)
  let count = 0
  for (let one = 0; one < size; one++) {
    if (maySpawn(serv, place)) {
      serv.spawnAnimal(name, place.offset(0.5, 0, 0.5))
      count += 1
    } else if (one === 0) return 0
    place.x += draw(serv, STRIDE) - draw(serv, STRIDE)
    place.z += draw(serv, STRIDE) - draw(serv, STRIDE)
  }
  return count
}

/** @param {Server} serv */
function drawn(serv) {
  let left = draw(
    serv,
    COMERS.reduce((sum, [, weight]) => sum + weight, 0)
  )
  for (const comer of COMERS) {
    left -= comer[1]
    if (left < 0) return comer
  }
  return COMERS[0]
}

/** @param {Server} serv @param {Vec3} place of the feet */
function maySpawn(serv, place) {
  const floor = stateAt(serv.overworld, place.offset(0, -1, 0))
  if (!isFull(floor) || OPACITY[floor] < 15) return false
  if (![place, place.offset(0, 1, 0)].every((cell) => isFree(serv, cell))) return false
  if (!serv.overworld.getLoadedColumn(place.x >> 4, place.z >> 4)) return false
  const middle = place.offset(0.5, 0, 0.5)
  const away = nearest(present(serv), middle)
  if (away < RANGE.least || away > RANGE.most) return false
  return middle.distanceTo(serv.worldSpawn) >= RANGE.least && isDark(serv, place)
}

/** Return true if a cell is free of blocks and fluids. @param {Server} serv @param {Vec3} cell */
function isFree(serv, cell) {
  const { boundingBox, name } = registry.blocksByStateId[stateAt(serv.overworld, cell)]
  return boundingBox === 'empty' && name !== 'water' && name !== 'lava'
}

/**
 * Return true if it is dark enough, by vanilla's random thresholds: no block light at all, and
 * rarely any sky light.
 * @param {Server} serv @param {Vec3} place
 */
function isDark(serv, place) {
  if (serv.blockLightAt(place) > 0) return false
  if (serv.skyLightAt(place) > draw(serv, SKY_DRAWS)) return false
  return serv.brightnessAt(place) <= draw(serv, LIGHT_DRAWS)
}

/** @param {Player[]} players @param {Vec3} position @returns {number} */
const nearest = (players, position) =>
  Math.min(...players.map((player) => player.position.distanceTo(position)))

/** Despawn monsters far from all players. @param {Server} serv */
function leave(serv) {
  const players = present(serv)
  if (!players.length) return
  for (const animal of serv.animals.values()) {
    if (!MONSTERS[animal.name] || isPersistent(animal)) continue
    const away = nearest(players, animal.position)
    if (away <= LEAVES.from) animal.nearTick = serv.tickCount
    const isLong = serv.tickCount - animal.nearTick > LEAVES.ticks
    const isDrawn = serv.random() < LEAVE_TICKS / LEAVES.chance
    if (away > RANGE.most || (isLong && isDrawn)) serv.removeAnimal(animal)
  }
}

/**
 * Return true for mobs that never despawn: named, motionless and persistent ones.
 * @param {Animal} animal
 */
const isPersistent = (animal) =>
  animal.isStill ||
  animal.customName !== null ||
  Boolean(plainOf(animal.data, 'PersistenceRequired'))
