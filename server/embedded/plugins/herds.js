/** Herds: animals come with new land, once a column. */
import { Vec3 } from '../minecraft.js'
import { columnRandom } from '../terrain/noise.js'
import { ANIMALS } from './animals.js'
import { blockAt, stateAt } from './blocks.js'

/** @import { Server } from '../types.d.ts' */

const HERD_SHARE = 0.12
const HERD_SALT = 90_210

/** @param {Server} serv */
export function server(serv) {
  serv.herds = new Set()

  serv.on('columnMade', (chunkX, chunkZ) => {
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
