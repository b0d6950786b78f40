/** Use of items without a block, and clicks on entities. */
import { SPECTATOR } from '../players/game-modes.js'

/** @import { Player, Server } from '../types/index.d.ts' */
/** @import { Use } from '../types/additions.d.ts' */

const INTERACT = 0
const INTERACT_AT = 2
const REACH_BLOCKS = 6

/** @type {WeakMap<Server, Map<string, Use>>} */
const uses = new WeakMap()

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<string, Use>} */
  const known = new Map()
  uses.set(serv, known)
  serv.onUse = (names, use) => {
    for (const name of names) known.set(name, use)
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.usedItem = null

  player._client.on('use_item', ({ hand }) => {
    const item = player.inHand(hand)
    player.usedItem = item
    if (!item || player.isDead || player.gameMode === SPECTATOR) return
    uses.get(serv)?.get(item.name)?.(player, item, hand)
  })

  player._client.on('use_entity', ({ mouse, target, hand }) => {
    const entity = serv.entities[target]
    if (!entity?.interact || player.isDead || player.gameMode === SPECTATOR || hand === 1) return
    // Clients send two packets for one click; armour stands need the one that contains the position.
    if (mouse !== (entity.name === 'armor_stand' ? INTERACT_AT : INTERACT)) return
    if (player.position.distanceTo(entity.position) <= REACH_BLOCKS) entity.interact(player)
  })
}
