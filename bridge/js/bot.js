/** A Mineflayer bot, ready to act: joined, its chunks loaded, its path finder set up. */
import { createRequire } from 'node:module'
import { borrows, CLOCK_CHANNEL, getSpeed, wall } from '@voxpolis/clock'
import { movementsThroughDoors, openDoors } from './doors.js'
import { goals, pathfinder } from './pathfinder.js'
import { carryQuickly } from './frames.js'
import { keepAlive } from './keep-alive.js'
import { moveOnLeanLand } from './lean-land.js'
import { knowPlayersByUuid } from './player-list.js'
import { restWhereNothingActs } from './resting.js'

/** @import { Bot, MineflayerBot } from './types.d.ts' */

// Everything agents can reach is loaded here, before the sandbox's lockdown freezes the language.
const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')
const minecraftData = require('minecraft-data')
const { Vec3 } = require('vec3')

export const libraries = { goals, minecraftData, Vec3 }

/** How long a joining bot may see no step of a join. The join itself may take as long as the machine needs. */
const PATIENCE_MS = 60_000
/** How often a bot looks within that time: what came while its process was held up is read before the next look. */
const LOOKS = 6
/** Packets and events that bring a join on. A server that only says that it is there brings nothing on. */
const STEPS = ['connect', 'compress', 'success', 'state', 'registry_data', 'tags', 'login']
STEPS.push('position', 'map_chunk', 'update_health')
/** Steps of all joining bots of this thread: a bot that waits while others join is not stuck. */
let steps = 0
/** How long the path finder may work on one way, and how much of that within one tick. */
const THINK_MS = 10_000
const THINK_A_TICK_MS = 40
/** Of game time: less than a bot has to answer before the clock waits for it (the server's lockstep.js). */
const LONGEST_THOUGHT_MS = 100
const LAST_WORDS_MS = 250
/** How long a server may say nothing. */
const SILENCE_MS = 30_000

/**
 * @param {object} options
 * @param {string} options.bot its name
 * @param {string} options.host
 * @param {number} options.port
 * @param {string} options.version
 * @param {number} [options.viewDistance] in chunks
 * @param {import('./protocol.d.ts').Spawn['movement']} [options.movement]
 * @param {number} [options.patienceMs] how long a joining bot may see no step of a join
 * @param {(reason: string) => void} onLost called once if the connection ends later
 * @returns {Promise<Bot>} recordEvents, which sees to its digging, is still to be called
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
    validateChannelProtocol: false, // the library's own protocol, anew for each bot
    keepAlive: false, // the library's, which ends what only this process was too late for
    ...(viewDistance && { viewDistance })
  })
  carryQuickly(bot._client)
  keepAlive(bot._client, SILENCE_MS * getSpeed()) // of the wall's clock, where it does not stand
  bot.once('inject_allowed', () => {
    moveOnLeanLand(bot)
    restWhereNothingActs(bot)
    knowPlayersByUuid(bot)
  })
  // Load the plugins now. Mineflayer does so by a timer, and a busy process reads packets before it.
  bot.emit('inject_allowed')
  await joined(bot, `${host}:${port}`, options.patienceMs ?? PATIENCE_MS)
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
  if (borrows())
    bot._client.write('custom_payload', { channel: CLOCK_CHANNEL, data: Buffer.alloc(0) })
  keepWhatLayIn(bot)
  bot.loadPlugin(pathfinder)
  bot.pathfinder.setMovements(movement === 'free' ? movementsThroughDoors(bot) : careful(bot))
  openDoors(bot)
  if (movement === 'free') thinkLong(bot)
  return /** @type {Bot} */ (bot)
}

/** @param {MineflayerBot} bot @param {string} address @param {number} patienceMs @returns {Promise<void>} */
function joined(bot, address, patienceMs) {
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
      wall.setTimeout(() => fail(reason), LAST_WORDS_MS) // a kick may be read a moment after the end
    }
    // Mineflayer's own `kicked` is not told to a bot that is refused before all its plugins are loaded.
    const onKick = (/** @type {{reason: string}} */ { reason }) =>
      fail(`kicked: ${JSON.stringify(reason)}`)
    const onError = (/** @type {NodeJS.ErrnoException} */ error) =>
      fail(error.code ?? error.message)
    let stage = 'not logged in'
    bot._client.on('state', (state) => {
      stage = state
    })
    let [looks, seen] = [0, steps]
    const timer = wall.setInterval(() => {
      looks = steps === seen ? looks + 1 : 0
      seen = steps
      if (looks >= LOOKS) fail(`too slow: ${stage}, and nothing came for ${patienceMs / 1000} s`)
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
      bot.off('end', onEnd).off('error', onError)
      bot._client.off('disconnect', onKick).off('kick_disconnect', onKick)
      resolve()
    })
  })
}

/**
 * Has the bot know what it carries when the server closes a window, as it does when somebody takes the
 * chest away: Mineflayer itself takes a window's account over only where the bot closes it.
 * @param {Pick<MineflayerBot, '_client' | 'currentWindow' | 'inventory'>} bot
 */
export function keepWhatLayIn(bot) {
  bot._client.prependListener('close_window', () => {
    const { currentWindow: window, inventory } = bot
    if (!window) return
    for (let slot = window.inventoryStart; slot < window.inventoryEnd; slot++) {
      const carried = slot - window.inventoryStart + inventory.inventoryStart
      inventory.updateSlot(carried, /** @type {any} */ (window.slots[slot])) // or null
    }
  })
}

/** Gives the path finder the time that ways through rock take to find. @param {MineflayerBot} bot */
function thinkLong(bot) {
  bot.pathfinder.thinkTimeout = THINK_MS
  bot.pathfinder.tickTimeout = Math.min(THINK_A_TICK_MS, LONGEST_THOUGHT_MS / getSpeed())
}

/** Walks without digging or building: an ore in the way is not the path finder's to break. @param {MineflayerBot} bot */
function careful(bot) {
  const movements = movementsThroughDoors(bot)
  movements.canDig = false
  movements.allow1by1towers = false
  movements.scafoldingBlocks = []
  return movements
}
