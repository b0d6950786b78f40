/**
 * Herds: animals appear when new land is created, once per column, and later wherever few are left.
 *
 * As in vanilla, herds may appear every twenty seconds on grass in columns that players see, at
 * least 24 blocks away, up to ten animals per 289 columns; they stay until they are killed
 * (minecraft.wiki: Mob spawning).
 */
import { Vec3 } from '../minecraft/index.js'
import { columnRandom } from '../world/terrain/noise.js'
import { ANIMALS } from './animals.js'
import { blockAt, stateAt } from '../blocks/blocks.js'
import { isNetherColumn } from '../world/dimensions.js'

/** @import { Server } from '../types/index.d.ts' */

const HERD_SHARE = 0.12
const HERD_SALT = 90_210
const COME_BACK_TICKS = 400
/** Maximum number of animals, per this number of columns. */
const MOST = { animals: 10, columns: 289 }
const NEAREST_BLOCKS = 24
const FARTHEST_BLOCKS = 128
/** Weight of each kind, and size of its herds. @type {[string, number][]} */
const WEIGHTS = [
  ['sheep', 12],
  ['pig', 10],
  ['chicken', 10],
  ['cow', 8]
]
const TOGETHER = 4
/** Maximum distance from a herd's first animal to the others. */
const SPREAD_BLOCKS = 5

/** @param {Server} serv */
export function server(serv) {
  serv.herds = new Set()

  serv.on('columnMade', (chunkX, chunkZ) => {
    if (isNetherColumn(chunkX)) return
    const id = `${chunkX},${chunkZ}`
    if (serv.terrain !== 'natural' || !serv.gamerules.doMobSpawning || serv.herds.has(id)) return
    const random = columnRandom(serv.seed + HERD_SALT, chunkX, chunkZ)
    if (random() > HERD_SHARE) return
    serv.herds.add(id)
    const names = Object.keys(ANIMALS)
    const name = names[Math.floor(random() * names.length)]
    const size = 2 + Math.floor(random() * 3)
    for (let index = 0; index < size; index++) {
      const [x, z] = [
        chunkX * 16 + Math.floor(random() * 16),
        chunkZ * 16 + Math.floor(random() * 16)
      ]
      const place = grassAt(serv, x, z)
      if (place) serv.spawnAnimal(name, place, random)
    }
  })

  const random = serv.randomSequence('minecraft:herds')
  serv.on('tick', () => {
    if (serv.tickCount % COME_BACK_TICKS !== 0 || serv.terrain !== 'natural') return
    if (serv.gamerules.doMobSpawning && serv.players.length) comeBack(serv, random)
  })
}

/** @param {Server} serv @param {() => number} random */
function comeBack(serv, random) {
  const columns = [...new Set(serv.players.flatMap((player) => [...player.chunks]))]
  const isSeen = new Set(columns)
  const living = [...serv.animals.values()].filter(
    ({ name, position: { x, z } }) =>
      ANIMALS[name] && isSeen.has(`${Math.floor(x) >> 4},${Math.floor(z) >> 4}`)
  )
  let left = Math.floor((MOST.animals * columns.length) / MOST.columns) - living.length
  for (let tries = columns.length; left > 0 && tries > 0; tries--) {
    const [chunkX, chunkZ] = columns[Math.floor(random() * columns.length)].split(',').map(Number)
    const [x, z] = [chunkX * 16 + random() * 16, chunkZ * 16 + random() * 16].map(Math.floor)
    const name = drawn(random)
    for (let one = 0; one < Math.min(left, TOGETHER); one++) {
      const [dx, dz] = [0, 0].map(() =>
        one ? Math.floor((random() - random()) * SPREAD_BLOCKS) : 0
      )
      const place = grassAt(serv, x + dx, z + dz)
      if (!place || !isApart(serv, place)) continue
      serv.spawnAnimal(name, place)
      left -= 1
    }
  }
}

/** @param {() => number} random */
function drawn(random) {
  let left = random() * WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0)
  return (WEIGHTS.find(([, weight]) => (left -= weight) < 0) ?? WEIGHTS[0])[0]
}

/**
 * Return true if the nearest player is neither too near nor too far.
 * @param {Server} serv @param {Vec3} place
 */
function isApart(serv, place) {
  const nearest = Math.min(...serv.players.map(({ position }) => position.distanceTo(place)))
  return nearest >= NEAREST_BLOCKS && nearest <= FARTHEST_BLOCKS
}

/** @param {Server} serv @param {number} x @param {number} z */
function grassAt(serv, x, z) {
  for (let y = 110; y > 60; y--) {
    const position = new Vec3(x, y, z)
    if (!stateAt(serv.overworld, position)) continue
    const isGrass = blockAt(serv, position).name === 'grass_block'
    return isGrass ? new Vec3(x + 0.5, y + 1, z + 0.5) : null
  }
  return null
}
