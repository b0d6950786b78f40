/** Buckets: players scoop up and pour out water and lava, and milk cows. */
import { registry } from '../minecraft/index.js'
import { blockAt } from '../blocks/blocks.js'
import { isNether } from '../world/dimensions.js'
import { ADVENTURE, SPECTATOR } from '../players/game-modes.js'
import { blockInSight } from './gaze.js'
import { isReplaceable } from '../blocks/placing.js'

/** @import { Item, Player, Server } from '../types/index.d.ts' */

const REACH_BLOCKS = 5
const FILLED = /^(water|lava)_bucket$/

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.pouredTick = -1

  player._client.on('use_item', ({ hand }) => {
    const { heldItem: item, gameMode } = player
    // The client's click on the block arrived first and has already emptied the bucket.
    if (hand !== 0 || !item || player.isDead || serv.tickCount - player.pouredTick <= 1) return
    if (gameMode === ADVENTURE || gameMode === SPECTATOR) return
    if (item.name === 'bucket') scoop(serv, player, item)
    else if (FILLED.test(item.name)) pour(serv, player, item)
  })
}

/** @param {Server} serv @param {Player} player @param {Item} held */
function scoop(serv, player, held) {
  const seen = blockInSight(serv, player, REACH_BLOCKS, { sources: true })
  const name = seen && blockAt(serv, seen.position).name
  if (!seen || !name || !(name === 'water' || name === 'lava')) return
  serv.setBlock(seen.position, 0)
  serv.emit('itemUsed', player, held)
  player.exchangeHeld(`${name}_bucket`)
  serv.playSound(name === 'lava' ? 'item.bucket.fill_lava' : 'item.bucket.fill', seen.position)
}

/** @param {Server} serv @param {Player} player @param {Item} held */
function pour(serv, player, held) {
  const fluid = held.name.replace('_bucket', '')
  const seen = blockInSight(serv, player, REACH_BLOCKS, { sources: false })
  if (!seen) return
  const isOver = isReplaceable(serv, seen.position)
  const target = isOver ? seen.position : seen.position.plus(seen.face)
  if (!isReplaceable(serv, target)) return
  // Water evaporates in the Nether.
  const isGone = fluid === 'water' && isNether(target.x)
  if (!isGone) serv.setBlock(target, registry.blocksByName[fluid].defaultState)
  serv.emit('itemUsed', player, held)
  player.exchangeHeld('bucket')
  serv.playSound(fluid === 'lava' ? 'item.bucket.empty_lava' : 'item.bucket.empty', target)
}
