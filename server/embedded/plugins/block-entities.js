/** Block entities: the blocks that clients draw only when a column lists them, such as chests. */
import { nbt, registry, Vec3 } from '../minecraft.js'
import { key, positionOf } from './blocks.js'
import { blocksIn } from './scan.js'

/** @import { Server } from '../types.d.ts' */

/** Numbers of block entity types in 1.20.4. @type {Record<string, number>} */
const TYPES = {
  furnace: 0,
  chest: 1,
  trapped_chest: 2,
  ender_chest: 3,
  smoker: 27,
  blast_furnace: 28,
  barrel: 26,
  ...Object.fromEntries(
    Object.keys(registry.blocksByName)
      .filter((name) => name.endsWith('_sign'))
      .map((name) => [name, name.endsWith('_hanging_sign') ? 8 : 7])
  )
}

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<string, Map<string, string>>} column → position → block name */
  const drawn = new Map()

  /** @param {string} id of the column @param {Vec3} position @param {string} name */
  function draw(id, position, name) {
    if (!drawn.has(id)) drawn.set(id, new Map())
    drawn.get(id)?.set(key(position), name)
  }

  serv.on('blockChanged', (position, _before, after) => {
    const { name } = registry.blocksByStateId[after]
    const id = `${position.x >> 4},${position.z >> 4}`
    if (name in TYPES) draw(id, position, name)
    else drawn.get(id)?.delete(key(position))
  })

  // A column that comes from the disk brings its blocks at once.
  serv.on('columnRestored', (chunkX, chunkZ) => {
    for (const { position, name } of blocksIn(serv, chunkX, chunkZ, (block) => block in TYPES)) {
      draw(`${chunkX},${chunkZ}`, position, name)
    }
  })

  /** Block entities of a column as chunk packets list them. */
  serv.blockEntitiesIn = (chunkX, chunkZ) =>
    [...(drawn.get(`${chunkX},${chunkZ}`) ?? [])].map(([text, name]) => {
      const { x, y, z } = positionOf(text)
      const nbtData = name.endsWith('_sign') ? serv.signData(new Vec3(x, y, z)) : nbt.comp({})
      return { x: x & 15, z: z & 15, y, type: TYPES[name], nbtData }
    })
}
