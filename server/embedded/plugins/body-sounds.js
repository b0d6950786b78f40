/** Sounds that bodies make when they are hurt and die, and chests when they are opened and shut. */

/** @import { Server } from '../types.d.ts' */

const CHEST_VOLUME = 0.5

/** @param {Server} serv */
export function server(serv) {
  serv.on('animalHurt', (animal) => {
    const what = animal.health > 0 ? 'hurt' : 'death'
    const category = animal.kind.type === 'hostile' ? 'hostile' : 'neutral'
    serv.playSound(`entity.${animal.name}.${what}`, animal.position, { category })
  })
  serv.on('playerHurt', (player) => {
    const what = player.health > 0 ? 'hurt' : 'death'
    serv.playSound(`entity.player.${what}`, player.position, { category: 'player' })
  })
  serv.soundLid = (name, position, isOpened) => {
    const kind = name === 'ender_chest' ? 'ender_chest' : 'chest'
    const middle = position.offset(0.5, 0.5, 0.5)
    const what = isOpened ? 'open' : 'close'
    serv.playSound(`block.${kind}.${what}`, middle, { volume: CHEST_VOLUME })
  }
}
