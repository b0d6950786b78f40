/** What a world of Minecraft holds besides blocks: chests' items, signs, its time and rules. */
import { plainOf } from '../commands/snbt.js'
import { readLevel, rulesOf } from '../anvil/level.js'
import { Vec3 } from '../minecraft.js'

/** @import { Options, Server } from '../types.d.ts' */

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.opened = new Set()
  const { anvil, manifest } = options.world
  if (!anvil) return

  serv.once('asap', () => {
    if (manifest) return // it has a time and rules of its own
    const { time, difficulty, gamerules } = rulesOf(readLevel(anvil))
    const known = Object.entries(gamerules).filter(([name]) => name in serv.gamerules)
    Object.assign(serv, { time, difficulty })
    Object.assign(serv.gamerules, Object.fromEntries(known))
  })

  serv.on('columnMade', (chunkX, chunkZ) => {
    serv.emit('columnRestored', chunkX, chunkZ)
    const id = `${chunkX},${chunkZ}`
    if (serv.opened.has(id)) return // what it held then is kept with the world's state
    serv.opened.add(id)
    for (const tag of serv.land.blockEntities?.(chunkX, chunkZ) ?? []) {
      const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(plainOf(tag, name)))
      if (x >> 4 === chunkX && z >> 4 === chunkZ) serv.setBlockData(new Vec3(x, y, z), tag)
    }
  })
}
