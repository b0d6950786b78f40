/** Falls: how deep a player has fallen, and what the ground does to it. */
import { blockAt } from './blocks.js'
import { levelOfEffect } from './effects.js'

/** @import { Player, Server, Vec3 } from '../types.d.ts' */

const SAFE_FALL_BLOCKS = 3
/** Blocks that catch a fall. */
const SOFT = ['water', 'ladder', 'vine']

/** @param {Server} serv */
export function server(serv) {
  serv.on('playerMoved', (player, before, onGround) => {
    player.tireOfSprint(before)
    player.feelFall(before, onGround)
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.fallBlocks = 0

  /** @param {Vec3} before where the player was @param {boolean} onGround */
  player.feelFall = (before, onGround) => {
    const { y } = player.position
    const feet = blockAt(serv, player.position.floored())?.name
    if (SOFT.includes(feet) || levelOfEffect(player, 'SlowFalling')) player.fallBlocks = 0
    else if (y < before.y) player.fallBlocks += before.y - y
    else if (y > before.y) player.fallBlocks = 0
    if (!onGround) return
    if (player.fallBlocks > 0) serv.emit('playerLanded', player, player.fallBlocks)
    const damage = Math.ceil(
      player.fallBlocks - SAFE_FALL_BLOCKS - levelOfEffect(player, 'JumpBoost')
    )
    player.fallBlocks = 0
    if (damage > 0 && serv.gamerules.fallDamage) player.hurt(damage, 'fall')
  }
}
