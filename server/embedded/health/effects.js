/** Effects: given by commands, counted down in ticks, sent to clients. */
import { registry } from '../minecraft/index.js'

/** @import { ActiveEffect, Player, Server } from '../types/index.d.ts' */

const INFINITE = -1
/** Half hearts of absorption per level. */
const GOLDEN = 4

/**
 * What effects do in a tick (minecraft.wiki: Effect); effects not listed here only matter to
 * clients.
 * @type {Record<string, (player: Player, effect: ActiveEffect) => void>}
 */
const WORKS = {
  Hunger: (player, { amplifier }) => player.tire(0.005 * (amplifier + 1)),
  InstantHealth: (player, effect) => {
    player.heal(4 * 2 ** effect.amplifier)
    effect.ticks = 1
  },
  InstantDamage: (player, effect) => {
    player.hurt(6 * 2 ** effect.amplifier, 'magic')
    effect.ticks = 1
  },
  Regeneration: (player, { ticks, amplifier }) => {
    if (ticks % Math.max(1, 50 >> amplifier) === 0) player.heal(1)
  },
  Poison: (player, { ticks, amplifier }) => {
    if (ticks % Math.max(1, 25 >> amplifier) === 0 && player.health > 1) player.hurt(1, 'magic')
  },
  Wither: (player, { ticks, amplifier }) => {
    if (ticks % Math.max(1, 40 >> amplifier) === 0) player.hurt(1, 'wither')
  },
  Absorption: (player, effect) => {
    if (!player.absorption) effect.ticks = 1
  },
  Saturation: (player, { amplifier }) => player.feed(amplifier + 1, 2 * (amplifier + 1))
}

/**
 * What effects do when they start and end.
 * @type {Record<string, {start(player: Player, amplifier: number): void, end(player: Player): void}>}
 */
const STARTS = {
  Absorption: {
    start: (player, amplifier) =>
      player.setAbsorption(Math.max(player.absorption, GOLDEN * (amplifier + 1))),
    end: (player) => player.setAbsorption(0)
  },
  Speed: { start: (player) => player.sendAttributes(), end: (player) => player.sendAttributes() },
  Slowness: {
    start: (player) => player.sendAttributes(),
    end: (player) => player.sendAttributes()
  },
  Invisibility: { start: showPoses, end: showPoses },
  Glowing: { start: showPoses, end: showPoses }
}

/** @param {Player} player */
function showPoses(player) {
  for (const [name, fields] of player.poses()) player._writeNearby(name, fields)
}

/** Return the level of a body's effect, or 0. @param {Player} player @param {string} name */
export function levelOfEffect({ effects }, name) {
  const effect = effects[IDS.get(name) ?? -1]
  return effect ? effect.amplifier + 1 : 0
}
const IDS = new Map(registry.effectsArray.map(({ id, name }) => [name, id]))

/** @param {Server} serv */
export function server(serv) {
  serv.on('tick', () => {
    for (const player of serv.players) {
      for (const [id, effect] of player.activeEffects) {
        WORKS[registry.effects[id].name]?.(player, effect)
        if (effect.ticks !== INFINITE && --effect.ticks <= 0) player.endEffect(id)
      }
    }
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.activeEffects = new Map()
  player.effects = {}

  player.giveEffect = (id, ticks, amplifier) => {
    player.activeEffects.set(id, { ticks, amplifier })
    player.effects[id] = { amplifier }
    player._writeNearby('entity_effect', told(player, id))
    STARTS[registry.effects[id].name]?.start(player, amplifier)
  }

  player.takeEffects = (kept) => {
    for (const [id, effect] of kept) {
      player.activeEffects.set(id, { ...effect })
      player.effects[id] = { amplifier: effect.amplifier }
    }
  }

  player.sendEffects = () => {
    for (const id of player.activeEffects.keys())
      player._client.write('entity_effect', told(player, id))
  }

  player.endEffect = (id) => {
    player.activeEffects.delete(id)
    delete player.effects[id]
    player._writeNearby('remove_entity_effect', { entityId: player.id, effectId: id })
    STARTS[registry.effects[id].name]?.end(player)
  }
}

/**
 * Return the packet fields of an effect.
 * @param {Player} player @param {number} effectId of one that it has
 */
function told({ id, activeEffects }, effectId) {
  const { ticks: duration = 0, amplifier = 0 } = activeEffects.get(effectId) ?? {}
  return {
    entityId: id,
    effectId,
    amplifier: (amplifier << 24) >> 24,
    duration,
    hideParticles: 0,
    factorCodec: undefined
  }
}
