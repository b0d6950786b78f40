/**
 * Hearing: which changes of blocks a client has certainly been told of. It has, once it has answered
 * a question that was asked after a change (delays.js); one that does not answer, after a while.
 * Nobody is judged by a wall that it could not know of.
 */
import { wall } from '@voxpolis/clock'

/** @import { Player, Position, Server } from '../types/index.d.ts' */

/** Of the wall's clock: who has not answered for so long is taken for one that does not want to. */
const LONGEST_MS = 10_000
const PRUNE_TICKS = 20
const MOST = 200_000
/** Ticks between a change and when all are told of it. */
const TOLD_TICKS = 2

/** @param {Position} position @returns {number} one for each block within 32,768 of each other */
const keyOf = ({ x, y, z }) => ((x & 0xffff) * 0x10000 + (z & 0xffff)) * 0x200 + ((y + 64) & 0x1ff)

/** @param {Server} serv */
export function server(serv) {
  /** Blocks that changed of late, the oldest first. @type {Map<number, {tick: number, at: number}>} */
  const changed = new Map()
  serv.on('blockChanged', (position) => {
    const key = keyOf(position)
    changed.delete(key)
    if (changed.size < MOST) changed.set(key, { tick: serv.tickCount, at: wall.now() })
  })
  serv.on('tick', () => {
    if (serv.tickCount % PRUNE_TICKS !== 0) return
    for (const [key, { at }] of changed) {
      if (wall.now() - at <= LONGEST_MS) break
      changed.delete(key)
    }
  })

  serv.hasHeard = (player, position) => {
    const change = changed.size ? changed.get(keyOf(position)) : null
    if (!change) return true
    return change.tick + TOLD_TICKS <= player.heardTick || wall.now() - change.at > LONGEST_MS
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.heardTick = -Infinity
  player.on('spawned', () => {
    player.heardTick = serv.tickCount // its columns are as they are now
  })
}
