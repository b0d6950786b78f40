/**
 * Sounds: packets that a 1.20.4 client can read.
 *
 * Since 1.19.3 a sound is an entry of the sound registry; names of older versions that upstream
 * still uses ("random.pop", "dig.stone") are not in it and are left out.
 */

const FIXED_POINT = 8 // positions are sent in eighths of a block

/** @param {any} serv */
export function server(serv) {
  serv.playSound = (
    /** @type {string} */ name,
    /** @type {any} */ world,
    /** @type {any} */ position,
    { whitelist, radius = 32, volume = 1, pitch = 1 } = /** @type {any} */ ({})
  ) => {
    const sound = serv.registry.soundsByName?.[name.replace(/^minecraft:/, '')]
    if (!sound) return
    const listeners = whitelist ? [whitelist].flat() : serv.getNearby({ world, position, radius })
    for (const player of listeners) {
      const at = (position ?? player.position).scaled(FIXED_POINT).floored()
      player._client.write('sound_effect', {
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
  serv.playNoteBlock = () => {}
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  player.playSound = (/** @type {string} */ name, options = {}) =>
    serv.playSound(name, player.world, null, { ...options, whitelist: player })
}

/** @param {any} entity @param {any} serv */
export function entity(entity, serv) {
  entity.playSoundAtSelf = (/** @type {string} */ name, options = {}) =>
    serv.playSound(name, entity.world, entity.position, options)
}
