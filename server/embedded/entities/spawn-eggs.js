/** Spawn eggs: using one summons its mob there. */
import { registry } from '../minecraft/index.js'
import { FACES } from '../blocks/blocks.js'
import { topOf } from './bodies.js'

/** @import { Server } from '../types/index.d.ts' */

const EGG = /_spawn_egg$/
const EGGS = Object.keys(registry.itemsByName).filter((name) => EGG.test(name))

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () => {
    for (const egg of EGGS) {
      serv.onUseItem(egg, (player, position, { direction }) => {
        const cell = topOf(serv, position) === null ? position : position.plus(FACES[direction])
        const name = egg.replace(EGG, '')
        if (!serv.summon(name, cell.offset(0.5, 0, 0.5), undefined)) return false
        player.useUpHeld()
        return true
      })
    }
  })
}
