/**
 * Load generator: many bots in one process. They use trusted skills only; no agent's program runs
 * here.
 *
 * It reads JSON lines ({op: 'join' | 'measure' | 'quit', …}) and answers with JSON lines. Bots walk
 * with the pathfinder, dig and rebuild, use chests and chat; `bridge.bench` counts completed
 * actions.
 */
import '@voxpolis/clock'
import { createInterface } from 'node:readline'
import { createBot, libraries } from './bot.js'

/** @import { Block, Bot } from './types.d.ts' */

const { goals, Vec3 } = libraries
const LOOK_CHUNKS = 4
/** Fraction of a busy bot's actions that are chat lines. */
const CHAT_SHARE = 0.05
const CHEST_SHARE = 0.2
const DIG_SHARE = 0.35
const ACTION_TIMEOUT_MS = 15_000

/** @type {Bot[]} */
const bots = []
const done = { walk: 0, dig: 0, chest: 0, chat: 0, failed: 0 }
let isBusy = false
/** Bots that wait for work. @type {(() => void)[]} */
const idle = []

/** @param {object} line */
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** @typedef {{low: number, high: number, y: number, chests: number[][]}} Arena */

/** @param {{names: string[], host: string, port: number, arena: Arena}} options */
async function join({ names, host, port, arena }) {
  for (const bot of names) {
    const joined = await createBot(
      { bot, host, port, version: '1.20.4', viewDistance: LOOK_CHUNKS },
      (reason) => say({ op: 'lost', bot, reason })
    )
    bots.push(joined)
    live(joined, arena)
  }
  say({ op: 'joined', count: bots.length })
}

/** @param {Bot} bot @param {Arena} arena */
async function live(bot, arena) {
  while (bot._client.state === 'play') {
    if (!isBusy) {
      await new Promise((resolve) => idle.push(() => resolve(undefined)))
      continue
    }
    const draw = Math.random()
    const kind =
      draw < CHAT_SHARE ? 'chat' : draw < CHEST_SHARE ? 'chest' : draw < DIG_SHARE ? 'dig' : 'walk'
    try {
      await within(ACTIONS[kind](bot, arena))
      done[kind] += 1
    } catch {
      done.failed += 1
      bot.pathfinder.setGoal(null)
      if (bot.currentWindow) bot.closeWindow(bot.currentWindow)
    }
  }
}

/** @param {Promise<unknown>} work */
function within(work) {
  /** @type {NodeJS.Timeout} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), ACTION_TIMEOUT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** @param {number} low @param {number} high */
const between = (low, high) => Math.floor(low + Math.random() * (high - low))

/** @type {Record<'walk' | 'dig' | 'chest' | 'chat', (bot: Bot, arena: Arena) => Promise<unknown>>} */
const ACTIONS = {
  walk: (bot, { low, high, y }) => {
    const { x, z } = bot.entity.position
    const near = (/** @type {number} */ at) =>
      Math.max(low, Math.min(high, Math.floor(at) + between(-10, 11)))
    return bot.pathfinder.goto(new goals.GoalNear(near(x), y, near(z), 1))
  },
  dig: async (bot) => {
    const feet = bot.entity.position.floored()
    const below = feet.offset(between(0, 2) ? 1 : -1, -1, between(0, 2) ? 1 : -1)
    const block = bot.blockAt(below)
    if (!block?.diggable || block.name === 'chest') return
    await bot.dig(block, true)
    await bot.waitForTicks(12)
    const item = bot.inventory.items().find((i) => i.name === 'dirt')
    if (!item) return
    await bot.equip(item, 'hand')
    const ground = /** @type {Block} */ (bot.blockAt(below.offset(0, -1, 0)))
    await bot.placeBlock(ground, new Vec3(0, 1, 0))
  },
  chest: async (bot, { chests, y }) => {
    const [x, z] = chests[between(0, chests.length)]
    await bot.pathfinder.goto(new goals.GoalNear(x, y, z, 2))
    const chest = await bot.openContainer(/** @type {Block} */ (bot.blockAt(new Vec3(x, y, z))))
    const own = bot.inventory.items().find((i) => i.name === 'dirt')
    const theirs = chest.containerItems()[0]
    if (theirs && (!own || own.count < 8)) await chest.withdraw(theirs.type, null, 1)
    else if (own) await chest.deposit(own.type, null, 1)
    await chest.close()
  },
  chat: async (bot) => bot.chat('all is well')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.op === 'join')
    join(message).catch((error) => say({ op: 'failed', error: error.message }))
  if (message.op === 'busy') isBusy = message.busy
  if (isBusy) for (const go of idle.splice(0)) go()
  if (message.op === 'measure') {
    const memory = process.memoryUsage()
    say({
      op: 'measured',
      done: { ...done },
      rss: memory.rss,
      cpu: process.cpuUsage(),
      bots: bots.length
    })
  }
  if (message.op === 'quit') process.exit(0)
})
process.stdin.on('close', () => process.exit(0))
process.on('uncaughtException', (error) => say({ op: 'error', error: String(error) }))
process.on('unhandledRejection', (error) => say({ op: 'error', error: String(error) }))
