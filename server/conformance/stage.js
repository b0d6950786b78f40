/** Stage for a check: a clean platform high above the ground, two bots, and ways to wait. */
import { createRequire } from 'node:module'
import { followsGrants, CLOCK_CHANNEL, getSpeed, wall } from '@voxpolis/clock'

/** @typedef {import('vec3').Vec3} Position */
/** @import { Bot } from 'mineflayer' */
/** @import { Block } from 'prismarine-block' */
/** @import { Rcon } from './rcon.js' */

const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')
const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
export const { Vec3 } = require('vec3')

const VERSION = '1.20.4'
/** In wall-clock time, so that the machine's load does not matter. */
const WAIT_MS = 20_000
const THINK_MS = 20_000
const SILENCE_MS = 30_000
const LOOK_MS = 50
const LAST_WORDS_MS = 250
export const FLOOR_Y = 150
const SIZE = 12
/** x and z of the platform's corners; each corner is in a different column. */
const CORNERS = [-SIZE, SIZE].flatMap((x) => [-SIZE, SIZE].map((z) => [x, z]))
const NAMES = ['ConformA', 'ConformB']
/** x of the two bots: far enough apart not to pick up each other's items. */
const PLACES = [0, 7]

export class Stage {
  /** @param {Rcon} rcon @param {Bot[]} bots @param {{host: string, port: number}} address */
  constructor(rcon, bots, address) {
    this.rcon = rcon
    this.address = address
    this.bots = bots
  }

  get bot() {
    return this.bots[0]
  }

  get other() {
    return this.bots[1]
  }

  /** @param {string} line @returns {Promise<string>} */
  command(line) {
    return this.rcon.command(line)
  }

  /** Return a position on the platform. @param {number} x @param {number} z @param {number} [up] */
  at(x, z, up = 0) {
    return new Vec3(x, FLOOR_Y + 1 + up, z)
  }

  /** @param {Position} position */
  where({ x, y, z }) {
    return `${x} ${y} ${z}`
  }

  /** Restore an empty platform with both bots on it, healthy and empty-handed. */
  async clean() {
    const [low, high] = [-SIZE, SIZE]
    const lines = [
      'gamerule keepInventory true',
      'gamerule fallDamage true',
      'gamerule naturalRegeneration true',
      'gamerule doTileDrops true',
      // no loot while entities are killed: a bot next to them would pick it up
      'gamerule doMobLoot false',
      'gamerule doEntityDrops false',
      'gamerule showDeathMessages true',
      'gamerule pvp true',
      'gamerule doDaylightCycle true',
      'gamerule doMobSpawning false',
      'gamerule doFireTick false',
      'gamerule doImmediateRespawn true',
      'difficulty normal',
      `forceload add ${low} ${low} ${high} ${high}`,
      `fill ${low} ${FLOOR_Y} ${low} ${high} ${FLOOR_Y} ${high} smooth_stone`,
      `fill ${low} ${FLOOR_Y + 1} ${low} ${high} ${FLOOR_Y + 6} ${high} air`,
      'kill @e[type=!player]',
      'gamerule doMobLoot true',
      'gamerule doEntityDrops true',
      ...NAMES.flatMap((name, index) => [
        `gamemode survival ${name}`,
        `effect clear ${name}`,
        `effect give ${name} instant_health 1 5`,
        `effect give ${name} saturation 1 20`,
        `clear ${name}`,
        `spawnpoint ${name} ${PLACES[index]} ${FLOOR_Y + 1} 0`,
        `tp ${name} ${PLACES[index] + 0.5} ${FLOOR_Y + 1} 0.5 0 0`
      ])
    ]
    /**
     * Bots that know about their teleport, which leaves a bot off the ground for a moment.
     * @type {Set<Bot>}
     */
    const moved = new Set()
    for (const bot of this.bots) bot.once('forcedMove', () => void moved.add(bot))
    for (const line of lines) await this.command(line)
    for (const [index, bot] of this.bots.entries()) {
      const place = this.at(PLACES[index] + 0.5, 0.5)
      await this.until('the bots stand on the platform', () => {
        if (!moved.has(bot)) return false
        return bot.entity.onGround && bot.entity.position.distanceTo(place) < 0.6
      })
      await this.until('the bots hold nothing', () => bot.inventory.items().length === 0)
      await this.until('the bots are well', () => bot.health === 20 && bot.food === 20)
      await this.until('the bots have no window open', () => !bot.currentWindow)
      await this.until('the platform is clean', () => {
        return CORNERS.every(([x, z]) => {
          const floor = bot.blockAt(this.at(x, z, -1))
          const above = bot.blockAt(this.at(x, z))
          return floor?.name === 'smooth_stone' && above?.name === 'air'
        })
      })
    }
  }

  /** @param {string} what is waited for @param {() => unknown} isSo @param {number} [ms] */
  async until(what, isSo, ms = WAIT_MS) {
    const deadline = Date.now() + ms * getSpeed()
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`never came true: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  /** @param {string} items such as "oak_log 3" @param {Bot} [bot] */
  async give(items, bot = this.bot) {
    const [name, count = '1'] = items.split(' ')
    const before = this.count(name, bot)
    await this.command(`give ${bot.username} ${name} ${count}`)
    await this.until(`${bot.username} has ${items}`, () => {
      return this.count(name, bot) === before + Number(count)
    })
  }

  /** @param {string} name of an item @param {Bot} [bot] */
  count(name, bot = this.bot) {
    return bot.inventory
      .items()
      .filter((item) => item.name === name)
      .reduce((sum, item) => sum + item.count, 0)
  }

  /** @param {string} name @param {number} count @param {Bot} [bot] */
  holds(name, count, bot = this.bot) {
    return this.until(
      `${bot.username} holds ${count} ${name}`,
      () => this.count(name, bot) === count
    )
  }

  /** @param {Position} position @param {string} block */
  async place(position, block) {
    await this.command(`setblock ${this.where(position)} ${block}`)
    await this.blockIs(position, block.replace(/[[{].*/, ''))
  }

  /** @param {Position} position @param {string} name */
  blockIs(position, name) {
    return this.until(`there is ${name}`, () => this.bot.blockAt(position)?.name === name)
  }

  /**
   * @param {Position} position @param {Bot} [bot]
   * @returns {Block} the block that the bot sees there
   */
  block(position, bot = this.bot) {
    const found = bot.blockAt(position)
    if (!found) throw new Error(`nothing is loaded at ${this.where(position)}`)
    return found
  }

  /** @param {string} name */
  item(name) {
    const found = this.bot.inventory.items().find((i) => i.name === name)
    if (!found) throw new Error(`the bot has no ${name}`)
    return found
  }

  /** @param {Position} position @param {Bot} [bot] */
  async walkTo(position, bot = this.bot) {
    await bot.pathfinder.goto(new goals.GoalNear(position.x, position.y, position.z, 0))
  }

  /**
   * Dig a block, and wait until the server has also removed it: the client removes it first.
   * @param {Position} position @param {string} tool
   * @returns {Promise<number>} milliseconds that the client took
   */
  async dig(position, tool) {
    if (tool) await this.bot.equip(this.item(tool), 'hand')
    const block = this.block(position)
    const started = performance.now()
    await this.bot.dig(block, true)
    const took = performance.now() - started
    const isThere = `execute if block ${this.where(position)} ${block.name}`
    await this.until('it is dug', async () => (await this.command(isThere)) === 'Test failed')
    return took
  }
}

/**
 * Report why a connection ended. The server's reason may be read a moment after the end, because it
 * passes through more steps. Mineflayer does not emit its own `kicked` for a bot that is refused
 * before all plugins are loaded.
 * @param {Bot} bot @param {(why: string) => void} tell only the first call counts
 */
export function onEnd(bot, tell) {
  for (const packet of ['disconnect', 'kick_disconnect']) {
    bot._client.once(packet, ({ reason }) => tell(`kicked: ${JSON.stringify(reason)}`))
  }
  bot.once('end', (/** @type {string} */ reason) => {
    wall.setTimeout(() => tell(`ended: ${reason}`), LAST_WORDS_MS)
  })
}

/** @param {string} username @param {{host: string, port: number}} address @returns {Promise<Bot>} */
export async function join(username, { host, port }) {
  const bot = mineflayer.createBot({
    username,
    host,
    port,
    version: VERSION,
    auth: 'offline',
    hideErrors: false,
    checkTimeoutInterval: SILENCE_MS * getSpeed() // in wall-clock time
  })
  // Load the plugins now: Mineflayer uses a timer, and a busy process would read packets before the
  // timer fires.
  bot.emit('inject_allowed')
  bot.loadPlugin(pathfinder)
  await new Promise((resolve, reject) => {
    bot.once('spawn', () => resolve(undefined))
    bot.once('error', reject)
    onEnd(bot, (why) => reject(new Error(why)))
  })
  if (followsGrants())
    bot._client.write('custom_payload', { channel: CLOCK_CHANNEL, data: Buffer.alloc(0) })
  bot.waitForTicks = (count) => ticksOf(bot, count)
  const movements = new Movements(bot)
  movements.canDig = false
  movements.scafoldingBlocks = []
  bot.pathfinder.setMovements(movements)
  bot.pathfinder.thinkTimeout = THINK_MS * getSpeed()
  // Do not interrupt searches: upstream shifts the positions of partial paths and may then miss the
  // goal.
  bot.pathfinder.tickTimeout = THINK_MS * getSpeed()
  return bot
}

/**
 * Wait for some ticks of the bot. Mineflayer's own method times out after five seconds of game
 * time, which pass all at once if this process was stalled while the game continued.
 * @param {Bot} bot @param {number} count @returns {Promise<void>}
 */
function ticksOf(bot, count) {
  return new Promise((resolve) => {
    const tick = () => {
      if (--count > 0) return
      bot.off('physicsTick', tick)
      resolve()
    }
    bot.on('physicsTick', tick)
  })
}

/** @param {Rcon} rcon @param {{host: string, port: number}} address */
export async function openStage(rcon, address) {
  const bots = []
  for (const name of NAMES) bots.push(await join(name, address))
  return new Stage(rcon, bots, address)
}

/** @param {boolean} isSo @param {string} message */
export function ensure(isSo, message) {
  if (!isSo) throw new Error(message)
}
