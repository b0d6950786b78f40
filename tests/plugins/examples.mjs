/** What the READMEs of plugins show, in our own words, and what must have come of it. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { plugin: collectBlock } = require('mineflayer-collectblock')
const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
const { plugin: pvp } = require('mineflayer-pvp')

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

/**
 * It walks behind a player that moves on. The plugin goes on when the player is more than two blocks
 * from where it was, to two blocks from there.
 */
async function follows(platform) {
  const bot = await platform.join('Bot', MIDDLE, pathfinder)
  const player = await platform.join('Player', EDGE, pathfinder)
  await platform.until('they see each other', () => bot.players[player.username]?.entity)
  const { entity } = bot.players[player.username]
  bot.pathfinder.setGoal(new goals.GoalFollow(entity, 2), true)
  for (const corner of [platform.at(6, 6), platform.at(-6, 6), platform.at(-6, -6)]) {
    await player.pathfinder.goto(new goals.GoalBlock(corner.x, corner.y, corner.z))
    await platform.until('the bot is with it', () => near(bot, player) < 5.5)
  }
}

/** The bot gathers one grass block after the other, until there is none. */
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

/** A player says "fight me" and comes up again after each blow, until the bot has killed it. */
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

export const EXAMPLES = {
  comes,
  follows,
  collects,
  fights
}
