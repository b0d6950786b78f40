/** Trampling: jumping or falling onto a field may turn it to dirt and destroy its crop. */
import { registry } from '../minecraft/index.js'
import { blockAt } from '../blocks/blocks.js'

/** @import { Server } from '../types/index.d.ts' */

/**
 * Fall distance that has no effect; the distance beyond it is the chance of trampling, as in
 * vanilla.
 */
const HARMLESS_BLOCKS = 0.5
const FIELD_HEIGHT = 15 / 16

/** @param {Server} serv */
export function server(serv) {
  const random = serv.randomSequence('minecraft:trampling')

  serv.on('playerLanded', (player, blocks) => {
    const field = player.position.offset(0, -0.2, 0).floored()
    if (blockAt(serv, field)?.name !== 'farmland') return
    if (random() >= blocks - HARMLESS_BLOCKS) return
    serv.setBlock(field, registry.blocksByName.dirt.defaultState)
    for (const other of serv.players) {
      // Dirt is higher than farmland, so the player is lifted onto it.
      const { x, y, z } = other.position
      const isThere = other.position.floored().equals(field) && y < field.y + 1
      if (isThere && y >= field.y + FIELD_HEIGHT)
        other.teleport(other.position.offset(0, field.y + 1 - y, 0))
    }
  })
}
