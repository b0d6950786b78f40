/** Blocks that other players are digging now, recognized by the cracks that the server shows. */

/** @import { Bot, MineflayerBot, Vec3 } from './types.d.ts' */

/** Stages of a crack; other numbers remove it. */
const STAGES = 10
/** A dig whose crack has not grown for this long counts as abandoned. */
const STALE_MS = 3_000

/** @type {WeakMap<object, Map<string, number>>} */
const reservations = new WeakMap()

/** @param {Bot} bot */
export function watchReservations(bot) {
  /** @type {Map<string, number>} */
  const mine = new Map()
  reservations.set(bot, mine)
  bot._client.on('block_break_animation', ({ location, entityId, destroyStage }) => {
    const { x, y, z } = location
    const at = `(${x}, ${y}, ${z})`
    if (destroyStage < 0 || destroyStage >= STAGES) mine.delete(at)
    else if (entityId !== bot.entity.id) mine.set(at, Date.now())
  })
}

/**
 * Let Mineflayer look a cracked block up only if a program listens. Otherwise each stage of each
 * dig costs a lookup in every bot nearby.
 * @param {Pick<MineflayerBot, '_client' | 'listenerCount'>} bot with its plugins loaded
 */
export function skipUnheardCracks(bot) {
  const [show] = bot._client.listeners('block_break_animation')
  bot._client.removeAllListeners('block_break_animation')
  bot._client.on('block_break_animation', (packet) => {
    if (
      bot.listenerCount('blockBreakProgressObserved') + bot.listenerCount('blockBreakProgressEnd')
    )
      show(packet)
  })
}

/** Return true if another player is digging there. @param {Bot} bot @param {Vec3} position */
export function isReserved(bot, position) {
  const since = reservations.get(bot)?.get(String(position))
  return since !== undefined && Date.now() - since < STALE_MS
}
