/**
 * Totems of undying: a totem in either hand prevents a death and is used up (minecraft.wiki: Totem
 * of Undying).
 */
import { giveEffects } from '../items/potions.js'
import { isAbsolute } from './immunity.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const TOTEM = 'totem_of_undying'
const HANDS = [0, 1]
/** Entity status that shows the effect. */
const USED_STATUS = 35
/** @type {[name: string, ticks: number, amplifier?: number][]} */
const EFFECTS = [
  ['Regeneration', 900, 1],
  ['Absorption', 100, 1],
  ['FireResistance', 800]
]

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.isSavedByTotem = (cause) => {
    const hand = HANDS.find((one) => player.inHand(one)?.name === TOTEM)
    const totem = hand === undefined || isAbsolute(cause) ? null : player.inHand(hand)
    if (hand === undefined || !totem) return false
    serv.emit('itemUsed', player, totem)
    player.useUp(hand)
    player.health = 1
    for (const id of [...player.activeEffects.keys()]) player.endEffect(id)
    giveEffects(player, EFFECTS)
    player._writeNearby('entity_status', { entityId: player.id, entityStatus: USED_STATUS })
    return true
  }
}
