/** Sounds, by their number in the registry of 1.20.4. */

import { registry } from '../minecraft.js'

const FIXED_POINT = 8 // positions are sent in eighths of a block

/** @param {any} serv */
export function server(serv) {
  /**
   * @param {string} name such as entity.item.pickup
   * @param {any} position
   * @param {{radius?: number, volume?: number, pitch?: number}} [options]
   */
  serv.playSound = (name, position, { radius = 32, volume = 1, pitch = 1 } = {}) => {
    const sound = registry.soundsByName?.[name]
    if (!sound) return
    const at = position.scaled(FIXED_POINT).floored()
    serv.send(serv.getNearby({ position, radius }), 'sound_effect', {
      sound: { soundId: sound.id },
      soundCategory: 'block',
      x: at.x,
      y: at.y,
      z: at.z,
      volume,
      pitch,
      seed: 0n
    })
  }
}
