/**
 * Hearing: the block changes that a client has certainly received, that is, once it has answered a
 * ping sent after the change (delays.js), or after a timeout. The server does not judge a movement
 * by walls that the client cannot know about.
 */
import { wall } from '@voxpolis/clock'

/** @import { Player, Position, Server } from '../types/index.d.ts' */

/**
 * In wall-clock time. The server assumes that a client which has not answered for this long does
 * not want to.
 */
const LONGEST_MS = 10_000
const PRUNE_TICKS = 20
const MOST = 200_000
/** Ticks between a change and the packets that announce it. */
const TOLD_TICKS = 2

/** @param {Position} position @returns {number} unique among blocks within 32,768 of each other */
const keyOf = ({ x, y, z }) => ((x & 0xffff) * 0x10000 + (z & 0xffff)) * 0x200 + ((y + 64) & 0x1ff)

/** @param {Server} serv */
export function server(serv) {
  /** Recently changed blocks, oldest first. @type {Map<number, {tick: number, at: number}>} */
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
    player.heardTick = serv.tickCount // the client's columns are up to date
  })
}
