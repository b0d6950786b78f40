/**
 * Bottles: filled at water sources and cauldrons, emptied into cauldrons, used to make mud
 * (minecraft.wiki: Glass Bottle, Water Bottle, Mud).
 */
import { itemNamed, registry } from '../minecraft/index.js'
import { potionNamed, potionOf } from '../workshops/brewing.js'
import { blockAt } from '../blocks/blocks.js'
import { CREATIVE } from '../players/game-modes.js'
import { blockInSight } from './gaze.js'

/** @import { Item, Player, Server } from '../types/index.d.ts' */

const REACH_BLOCKS = 5
const MUDDY = /^(dirt|coarse_dirt|rooted_dirt)$/
const DOWN = 0

/** @param {Server} serv */
export function server(serv) {
  serv.onUse(['glass_bottle'], (player, _item, hand) => {
    if (serv.tickCount - player.pouredTick <= 1) return // the click was on a cauldron
    const seen = blockInSight(serv, player, REACH_BLOCKS, { sources: true })
    if (!seen || blockAt(serv, seen.position).name !== 'water') return
    exchange(player, hand, potionNamed('water'))
    serv.playSound('item.bottle.fill', player.position, { category: 'neutral' })
  })

  serv.onUseItem('potion', (player, position, { direction }) => {
    if (direction === DOWN || potionOf(player.heldItem) !== 'water') return false
    if (!MUDDY.test(blockAt(serv, position).name)) return false
    serv.setBlock(position, registry.blocksByName.mud.defaultState)
    exchange(player, 0, itemNamed('glass_bottle'))
    serv.playSound('item.bottle.empty', position)
    return true
  })
}

/**
 * Replace one item of a stack with another item.
 * @param {Player} player @param {number} hand @param {Item} item
 */
export function exchange(player, hand, item) {
  if (player.gameMode === CREATIVE) return
  player.useUp(hand)
  if (!player.inHand(hand)) return player.putInHand(hand, item)
  const left = player.giveItem(item)
  if (left) player.throwItem(left)
}
