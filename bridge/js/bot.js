/** Create a Mineflayer bot that is ready to act: joined, chunks loaded, pathfinder set up. */
import { createRequire } from 'node:module'
import { followsGrants, CLOCK_CHANNEL, getSpeed, wall } from '@voxpolis/clock'
import { skipUnheardCracks } from './block-reservations.js'
import { movementsThroughDoors, openDoors } from './doors.js'
import { goals, pathfinder } from './pathfinder.js'
import { bypassStreams } from './frames.js'
import { keepAlive } from './keep-alive.js'
import { useLeanLandForPhysics } from './lean-land.js'
import { indexPlayersByUuid } from './player-list.js'
import { restWhereNothingActs } from './resting.js'

/** @import { Bot, MineflayerBot } from './types.d.ts' */

// Load everything that agents can reach before the sandbox's lockdown freezes JavaScript's built-in
// objects.
const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')
const minecraftData = require('minecraft-data')
const { Vec3 } = require('vec3')

export const libraries = { goals, minecraftData, Vec3 }

/**
 * A joining bot gives up after this long without progress. The whole join may take as long as the
 * machine needs.
 */
const PATIENCE_MS = 60_000
/**
 * Number of checks within that time. Packets that arrived while the process was stalled are read
 * before the next check.
 */
const LOOKS = 6
/** Number of checks without progress that are too many: as many as the longest join so far took. */
let mostLooks = LOOKS
/** Packets and events that count as progress of a join. Keep-alives alone are no progress. */
const STEPS = ['connect', 'compress', 'success', 'state', 'registry_data', 'tags', 'login']
STEPS.push('position', 'map_chunk', 'update_health')
/** Progress of all joining bots in this thread: a bot that waits while others join is not stuck. */
let steps = 0
/** Time limits of the pathfinder: for one path, and within one tick. */
const THINK_MS = 10_000
const THINK_A_TICK_MS = 40
/**
 * In game time; shorter than the time after which the clock waits for a bot (the server's
 * lockstep.js).
 */
const LONGEST_THOUGHT_MS = 100
const LAST_WORDS_MS = 250
/** If a server is silent for this long, the connection is lost. */
const SILENCE_MS = 30_000

/**
 * @param {object} options @param {string} options.bot its name @param {string} options.host
 * @param {number} options.port @param {string} options.version
 * @param {number} [options.viewDistance] in chunks
 * @param {import('./protocol.d.ts').Spawn['movement']} [options.movement]
 * @param {number} [options.patienceMs] a joining bot gives up after this long without progress
 * @param {(reason: string) => void} onLost called once if the connection ends later
 * @returns {Promise<Bot>} the caller must still call recordEvents, which handles digging
 */
export async function createBot(options, onLost) {
  const { bot: username, host, port, version, viewDistance, movement } = options
  const bot = mineflayer.createBot({
    username,
    host,
    port,
    version,
    auth: 'offline',
    hideErrors: true,
    logErrors: false,
    validateChannelProtocol: false, // the library would compile its protocol again for each bot
    keepAlive: false, // the library's keep-alive would also time out when only this process stalls
    ...(viewDistance && { viewDistance })
  })
  bypassStreams(bot._client)
  // in wall-clock time, except while the clock is stopped
  keepAlive(bot._client, SILENCE_MS * getSpeed())
  bot.once('inject_allowed', () => {
    useLeanLandForPhysics(bot)
    restWhereNothingActs(bot)
    indexPlayersByUuid(bot)
    skipUnheardCracks(bot)
  })
  // Load the plugins now: Mineflayer uses a timer, and a busy process would read packets before it
  // fires.
  bot.emit('inject_allowed')
  await joined(bot, `${host}:${port}`, options.patienceMs)
  let why = ''
  bot.on('kicked', (reason) => {
    why = `kicked: ${JSON.stringify(reason)}`
  })
  bot.on('error', (error) => {
    why ||= error.message
  })
  bot.once('end', (reason) => {
    onLost(`the connection to the server ended (${why || reason})`)
  })
  if (followsGrants())
    bot._client.write('custom_payload', { channel: CLOCK_CHANNEL, data: Buffer.alloc(0) })
  keepWindowItems(bot)
  bot.loadPlugin(pathfinder)
  bot.pathfinder.setMovements(movement === 'free' ? movementsThroughDoors(bot) : careful(bot))
  openDoors(bot)
  if (movement === 'free') allowLongSearches(bot)
  return /** @type {Bot} */ (bot)
}

/**
 * @param {MineflayerBot} bot @param {string} address @param {number} [patienceMs]
 * @returns {Promise<void>} resolves when the bot has spawned and the chunks around it are loaded
 */
export function joined(bot, address, patienceMs = PATIENCE_MS) {
  return new Promise((resolve, reject) => {
    const onStep = () => void steps++
    for (const step of STEPS) bot._client.on(step, onStep)
    const stop = () => {
      clearInterval(timer)
      for (const step of STEPS) bot._client.off(step, onStep)
    }
    let isOver = false
    const fail = (/** @type {string} */ why) => {
      if (isOver) return
      isOver = true
      stop()
      bot.end()
      reject(new Error(`could not join ${address}: ${why}`))
    }
    const onEnd = (/** @type {string} */ reason) => {
      // a kick message may be read a moment after the connection has ended
      wall.setTimeout(() => fail(reason), LAST_WORDS_MS)
    }
    // Mineflayer does not emit its own `kicked` for a bot that is refused before all plugins are
    // loaded.
    const onKick = (/** @type {{reason: string}} */ { reason }) =>
      fail(`kicked: ${JSON.stringify(reason)}`)
    const onError = (/** @type {NodeJS.ErrnoException} */ error) =>
      fail(error.code ?? error.message)
    let stage = 'not logged in'
    bot._client.on('state', (state) => {
      stage = state
    })
    let [looks, silent, seen] = [0, 0, steps]
    const timer = wall.setInterval(() => {
      looks += 1
      silent = steps === seen ? silent + 1 : 0
      seen = steps
      if (silent < mostLooks) return
      fail(`too slow: ${stage}, and no progress for ${(patienceMs * silent) / LOOKS / 1000} s`)
    }, patienceMs / LOOKS)
    bot.once('end', onEnd).once('error', onError)
    bot._client.once('disconnect', onKick).once('kick_disconnect', onKick)
    bot.once('spawn', async () => {
      stage = 'waiting for the world around it'
      try {
        await bot.waitForChunksToLoad()
      } catch (error) {
        return fail(/** @type {Error} */ (error).message)
      }
      stop()
      mostLooks = Math.max(mostLooks, looks)
      bot.off('end', onEnd).off('error', onError)
      bot._client.off('disconnect', onKick).off('kick_disconnect', onKick)
      resolve()
    })
  })
}

/**
 * Keep the inventory correct when the server closes a window, for example because another player
 * has removed the chest. Mineflayer copies a window's slots to the inventory only when the bot
 * closes it.
 * @param {Pick<MineflayerBot, '_client' | 'currentWindow' | 'inventory'>} bot
 */
export function keepWindowItems(bot) {
  bot._client.prependListener('close_window', () => {
    const { currentWindow: window, inventory } = bot
    if (!window) return
    for (let slot = window.inventoryStart; slot < window.inventoryEnd; slot++) {
      const carried = slot - window.inventoryStart + inventory.inventoryStart
      inventory.updateSlot(carried, /** @type {any} */ (window.slots[slot])) // may be null
    }
  })
}

/** Give the pathfinder enough time to find paths through rock. @param {MineflayerBot} bot */
function allowLongSearches(bot) {
  bot.pathfinder.thinkTimeout = THINK_MS
  bot.pathfinder.tickTimeout = Math.min(THINK_A_TICK_MS, LONGEST_THOUGHT_MS / getSpeed())
}

/**
 * Walk without digging or building: the pathfinder must not break an ore that is in the way.
 * @param {MineflayerBot} bot
 */
function careful(bot) {
  const movements = movementsThroughDoors(bot)
  movements.canDig = false
  movements.allow1by1towers = false
  movements.scafoldingBlocks = []
  return movements
}
