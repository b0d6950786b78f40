/** Sounds, by their number in the registry of 1.20.4. */
import { registry } from '../minecraft.js'

/** @import { Server } from '../types.d.ts' */

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
}
