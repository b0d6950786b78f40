/** Shields: a raised shield blocks damage from the front; axes disable it (minecraft.wiki: Shield). */
import { registry } from '../minecraft/index.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const RAISE_TICKS = 5
const DISABLED_TICKS = 100
const LEAST_WEAR = 3
const STATUS = { blocked: 29, struckDown: 30 }
/** Damage types that a shield blocks. */
const BLOCKED =
  /^(player_attack|mob_attack|arrow|thrown|trident|explosion|player_explosion|fireball)$/

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () =>
    serv.onUse(['shield'], (player, item, hand) => {
      if ((player.cooldowns.get(item.type) ?? 0) <= serv.tickCount) player.startUsing(hand)
    })
  )
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.blocks = (damage, cause, by) => {
    const { using } = player
    const isRaised = using && serv.tickCount - using.since >= RAISE_TICKS
    if (!using || !isRaised || !by || !BLOCKED.test(cause)) return false
    if (player.inHand(using.hand)?.name !== 'shield' || !isAhead(player, by.position)) return false
    if (damage >= LEAST_WEAR) player.wearHand(using.hand, 1 + Math.floor(damage))
    const isAxe = by.type === 'player' && /_axe$/.test(by.heldItem?.name ?? '')
    if (isAxe) {
      player.stopUsing()
      player.coolDown({ type: registry.itemsByName.shield.id }, DISABLED_TICKS)
    }
    const entityStatus = isAxe ? STATUS.struckDown : STATUS.blocked
    player._writeNearby('entity_status', { entityId: player.id, entityStatus })
    return true
  }
}

/**
 * Return true if a position is in front of a player.
 * @param {Player} player @param {import('../types/index.d.ts').Vec3} place
 */
function isAhead({ position, yaw }, place) {
  const turn = (yaw * Math.PI) / 180
  const { x, z } = place.minus(position)
  return x * -Math.sin(turn) + z * Math.cos(turn) > 0
}
