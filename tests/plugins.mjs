/**
 * Runs the README examples of well-known Mineflayer plugins in parallel, each with its own bots on
 * its own platform; prints one JSON line for each as it ends.
 *
 * Usage: node plugins.mjs HOST PORT RCON_PORT, the password in VOXPOLIS_RCON_PASSWORD
 */
import { createRequire } from 'node:module'
import { openRcon } from '../server/conformance/rcon.js'

const require = createRequire(import.meta.url)
const mineflayer = require('mineflayer')
const { plugin: collectBlock } = require('mineflayer-collectblock')
const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
const { plugin: pvp } = require('mineflayer-pvp')
const { Vec3 } = require('vec3')

const FLOOR_Y = 150
const HALF = 8
/** Corners of a platform as [x, z], each in a different chunk column. */
const CORNERS = [-HALF, HALF].flatMap((x) => [-HALF, HALF].map((z) => [x, z]))
const APART = 64
const WAIT_MS = 40_000
const THINK_MS = 5_000
const LOOK_MS = 50

const [host, port, rconPort] = process.argv.slice(2)
const password = process.env.VOXPOLIS_RCON_PASSWORD
const rcon = await openRcon({ host, port: Number(rconPort), password })

/** Suppress output of plugins, which the test does not read. */
console.info = () => {}
console.warn = (...words) => process.stderr.write(`${words.join(' ')}\n`)
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** The platform of an example, with helpers for setup and checks. */
class Platform {
  constructor(name, index) {
    this.name = name
    this.x = index * APART
  }

  /** Return a position relative to its middle. */
  at(x, z, up = 0) {
    return new Vec3(this.x + x, FLOOR_Y + 1 + up, z)
  }

  command(line) {
    return rcon.command(line)
  }

  async build() {
    const [west, east] = [this.x - HALF, this.x + HALF]
    await this.command(`forceload add ${west} ${-HALF} ${east} ${HALF}`)
    await this.command(`fill ${west} ${FLOOR_Y} ${-HALF} ${east} ${FLOOR_Y} ${HALF} bedrock`)
    const [wall, inside] = [`${FLOOR_Y + 2} ${HALF} bedrock`, `${FLOOR_Y + 6} ${HALF - 1} air`]
    await this.command(`fill ${west} ${FLOOR_Y + 1} ${-HALF} ${east} ${wall}`)
    await this.command(`fill ${west + 1} ${FLOOR_Y + 1} ${1 - HALF} ${east - 1} ${inside}`)
  }

  /** @param {string} block as in a command */
  async place(position, block) {
    const { x, y, z } = position
    const answer = await this.command(`setblock ${x} ${y} ${z} ${block}`)
    if (!answer.startsWith('Changed')) throw new Error(answer)
  }

  /** Join a bot as in the READMEs, with plugins, on this platform. */
  async join(suffix, { x, z }, ...plugins) {
    const username = `${this.name}${suffix}`
    const bot = mineflayer.createBot({ host, port: Number(port), username, version: '1.20.4' })
    bot.on('error', (error) => process.stderr.write(`${username}: ${error}\n`))
    bot.on('kicked', (reason) => process.stderr.write(`${username}: ${JSON.stringify(reason)}\n`))
    for (const plugin of plugins) bot.loadPlugin(plugin)
    await new Promise((resolve) => bot.once('spawn', resolve))
    if (bot.pathfinder) {
      // A search that a busy machine splits into parts may miss its goal, because upstream moves
      // their positions.
      bot.pathfinder.thinkTimeout = bot.pathfinder.tickTimeout = THINK_MS
    }
    const place = this.at(x + 0.5, z + 0.5)
    await this.command(`spawnpoint ${username} ${this.x} ${FLOOR_Y + 1} 0`)
    await this.command(`tp ${username} ${place.x} ${place.y} ${place.z}`)
    await this.until(`${username} stands on the platform`, () => {
      const isThere = bot.entity.position.distanceTo(place) < 0.3 && bot.entity.onGround
      return (
        isThere && CORNERS.every(([x, z]) => bot.blockAt(this.at(x, z, -1))?.name === 'bedrock')
      )
    })
    return bot
  }

  /** @param {string} what description of the condition */
  async until(what, isSo, ms = WAIT_MS) {
    const deadline = Date.now() + ms
    for (;;) {
      const found = await isSo()
      if (found) return found
      if (Date.now() > deadline) throw new Error(`never came true: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async give(bot, items) {
    const [name, count = '1'] = items.split(' ')
    await this.command(`give ${bot.username} ${name} ${count}`)
    await this.until(`${bot.username} has ${items}`, () => held(bot, name) >= Number(count))
  }
}

const MIDDLE = { x: 0, z: 0 }
const EDGE = { x: 6, z: 0 }

/** A player says "come", and the bot walks to it, up a step and around a wall. */
async function comes(platform) {
  const bot = await platform.join('Bot', MIDDLE, pathfinder)
  const player = await platform.join('Player', EDGE)
  for (let z = -3; z <= 3; z++) {
    await platform.place(platform.at(3, z), 'bedrock')
    await platform.place(platform.at(3, z, 1), 'bedrock')
    await platform.place(platform.at(3, z, 2), 'bedrock')
  }
  const movements = new Movements(bot)
  bot.on('chat', (username, message) => {
    const who = bot.players[username]?.entity
    if (username === bot.username || message !== 'come' || !who) return
    const { x, y, z } = who.position
    bot.pathfinder.setMovements(movements)
    bot.pathfinder.setGoal(new goals.GoalNear(x, y, z, 1))
  })
  await platform.until('they see each other', () => bot.players[player.username]?.entity)
  player.chat('come')
  await platform.until('the bot came', () => near(bot, player) < 2)
}

/** The bot gathers all grass blocks. */
async function collects(platform, held) {
  const bot = await platform.join('Bot', MIDDLE, pathfinder, collectBlock)
  const patch = [platform.at(3, 3), platform.at(4, 3), platform.at(-4, -2)]
  for (const position of patch) await platform.place(position, 'grass_block')
  const grass = () => bot.findBlock({ matching: bot.registry.blocksByName.grass_block.id })
  await platform.until('it sees the grass', () => {
    return patch.every((position) => bot.blockAt(position)?.name === 'grass_block')
  })
  for (let block = grass(); block; block = grass()) await bot.collectBlock.collect(block)
  await platform.until('it has the dirt', () => held(bot, 'dirt') === patch.length)
}

/** A player says "fight me" and returns after each blow, until the bot has killed it. */
async function fights(platform) {
  const bot = await platform.join('Bot', MIDDLE, pathfinder, pvp)
  const player = await platform.join('Player', EDGE, pathfinder)
  await platform.give(bot, 'iron_sword')
  await bot.equip(bot.inventory.items()[0], 'hand')
  bot.on('chat', (username, message) => {
    const who = bot.players[username]?.entity
    if (username !== bot.username && message === 'fight me' && who) bot.pvp.attack(who)
  })
  let blows = 0
  let hasDied = false
  bot.on('attackedTarget', () => (blows += 1))
  player.on('death', () => {
    hasDied = true
    player.pathfinder.setGoal(null)
  })
  await platform.until('they see each other', () => bot.players[player.username]?.entity)
  player.chat('fight me')
  await platform.until('the player is dead', async () => {
    const { x, y, z } = bot.entity.position
    await player.pathfinder.goto(new goals.GoalNear(x, y, z, 1)).catch(() => {})
    return hasDied
  })
  if (blows < 3) throw new Error(`a sword of iron kills with ${blows} blows`)
}

const near = (bot, player) => bot.entity.position.distanceTo(player.entity.position)

/** Return how many of an item a bot has. */
function held(bot, name) {
  const those = bot.inventory.items().filter((item) => item.name === name)
  return those.reduce((sum, item) => sum + item.count, 0)
}

async function late() {
  await new Promise((resolve) => setTimeout(resolve, 2 * WAIT_MS))
  throw new Error('took too long')
}

async function play([name, example], index) {
  const platform = new Platform(name, index)
  const started = performance.now()
  let error = ''
  try {
    await platform.build()
    await Promise.race([example(platform, held), late()])
  } catch (failure) {
    error = failure instanceof Error ? failure.stack : String(failure)
  }
  say({ name, error, seconds: (performance.now() - started) / 1000 })
}

process.on('uncaughtException', (error) => {
  say({ name: 'anywhere', error: error.stack })
  process.exit(1)
})
await Promise.all(Object.entries({ comes, collects, fights }).map(play))
process.exit(0)
