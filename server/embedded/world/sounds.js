/**
 * Sounds: which players receive them, and the sounds that bodies and chests make. Clients know a
 * sound by its number in the registry of 1.20.4.
 */
import { registry } from '../minecraft/index.js'

/** @import { Server } from '../types/index.d.ts' */

const FIXED_POINT = 8 // positions are sent in eighths of a block

/** @param {Server} serv */
export function server(serv) {
  serv.playSound = (
    name,
    position,
    { radius = 32, volume = 1, pitch = 1, category = 'block' } = {}
  ) => {
    const sound = registry.soundsByName?.[name]
    if (!sound) return
    const at = position.scaled(FIXED_POINT).floored()
    serv.send(serv.getNearby({ position, radius }), 'sound_effect', {
      sound: { soundId: sound.id },
      soundCategory: category,
      x: at.x,
      y: at.y,
      z: at.z,
      volume,
      pitch,
      seed: 0n
    })
  }
  soundBodies(serv)
}

// Sounds when bodies are hurt or die, and when chests are opened or closed.

const CHEST_VOLUME = 0.5

/** @param {Server} serv */
function soundBodies(serv) {
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
