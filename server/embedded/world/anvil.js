/** Everything in a Minecraft world except blocks: items in chests, signs, mobs, time and rules. */
import { kindOf } from './anvil/mobs.js'
import { plainOf } from '../minecraft/snbt.js'
import { Vec3 } from '../minecraft/index.js'
import { restoreBoard } from './world-state.js'
import { shown } from './dimensions.js'

/** @import { Options, Server, Tag } from '../types/index.d.ts' */

/** @param {Server} serv @param {Options} options */
export function server(serv, options) {
  serv.opened = new Set()
  serv.peopled = new Set()
  const { told, manifest } = options.world
  if (!told) return

  serv.once('asap', () => {
    const { time, difficulty, gamerules, board } = told
    restoreBoard(serv, board) // replaced by the saved state, if there is one
    if (manifest) return // a saved world has its time and rules already
    const known = Object.entries(gamerules).filter(
      ([name, value]) => typeof serv.gamerules[name] === typeof value
    )
    Object.assign(serv, { time, difficulty })
    Object.assign(serv.gamerules, Object.fromEntries(known))
  })

  serv.on('columnMade', (chunkX, chunkZ) => {
    serv.emit('columnRestored', chunkX, chunkZ)
    const id = `${chunkX},${chunkZ}`
    people(serv, chunkX, chunkZ)
    if (serv.opened.has(id)) return // the saved state contains the column's items
    for (const tag of serv.land.blockEntities?.(chunkX, chunkZ) ?? []) {
      const [x, y, z] = ['x', 'y', 'z'].map((name) => Number(plainOf(tag, name)))
      if (x >> 4 === chunkX && z >> 4 === chunkZ) take(serv, new Vec3(x, y, z), tag)
    }
    serv.opened.add(id)
  })
}

/**
 * Load a column's mobs, once.
 * @param {Server} serv @param {number} chunkX @param {number} chunkZ
 */
function people(serv, chunkX, chunkZ) {
  const id = `${chunkX},${chunkZ}`
  if (serv.peopled.has(id)) return
  serv.peopled.add(id)
  for (const tag of serv.land.mobs?.(chunkX, chunkZ) ?? []) {
    const [x, y, z] = plainOf(tag, 'Pos')
    serv.summon(kindOf(tag), new Vec3(x, y, z), tag)
  }
}

/** @param {Server} serv @param {Vec3} position @param {Tag} tag */
function take(serv, position, tag) {
  const parts = /** @type {Record<string, Tag>} */ ({ .../** @type {object} */ (tag.value) })
  delete parts.auto // a map's command blocks wait until they are switched on
  try {
    serv.setBlockData(position, { type: 'compound', value: parts })
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    serv.err(`the data of the block at ${shown(position)} cannot be read: ${message}`)
  }
}
