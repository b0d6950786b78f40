/** Effects: given by commands, counted down in ticks, told to clients. */
import { registry } from '../minecraft.js'

const INFINITE = -1

/** @param {any} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const player of serv.players) {
      for (const [id, effect] of player.activeEffects) {
        if (effect.ticks !== INFINITE && --effect.ticks <= 0) player.endEffect(id)
      }
    }
  })
}

/** @param {any} player @param {any} serv */
export function player(player, serv) {
  /** @type {Map<number, {ticks: number, amplifier: number}>} */
  player.activeEffects = new Map()
  /** As prismarine-block's dig times want them. @type {Record<number, {amplifier: number}>} */
  player.effects = {}

  /** @param {number} id @param {number} ticks @param {number} amplifier */
  player.giveEffect = (id, ticks, amplifier) => {
    player.activeEffects.set(id, { ticks, amplifier })
    player.effects[id] = { amplifier }
    if (registry.effects[id].name === 'InstantHealth') player.health = 20
    player._writeNearby('entity_effect', {
      entityId: player.id,
      effectId: id,
      amplifier,
      duration: ticks,
      hideParticles: 0,
      factorCodec: undefined
    })
  }

  player.endEffect = (/** @type {number} */ id) => {
    player.activeEffects.delete(id)
    delete player.effects[id]
    player._writeNearby('remove_entity_effect', { entityId: player.id, effectId: id })
  }
}
