/** Trampling: who jumps or falls onto a field may tread it down to dirt, and what grew on it is gone. */
import { registry } from '../minecraft/index.js'
import { blockAt } from '../blocks/blocks.js'

/** @import { Server } from '../types/index.d.ts' */

/** So much of a fall does no harm; what is more is the chance, as in vanilla. */
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
      // Dirt is higher: who stands there is lifted onto it.
      const { x, y, z } = other.position
      const isThere = other.position.floored().equals(field) && y < field.y + 1
      if (isThere && y >= field.y + FIELD_HEIGHT)
        other.teleport(other.position.offset(0, field.y + 1 - y, 0))
    }
  })
}
