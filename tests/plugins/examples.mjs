/** What the READMEs of plugins show, in our own words, and what must have come of it. */
import { createRequire } from 'node:module'
import { loader as autoEat } from 'mineflayer-auto-eat'

const require = createRequire(import.meta.url)
const armorManager = require('mineflayer-armor-manager')
const { plugin: collectBlock } = require('mineflayer-collectblock')
const { goals, Movements, pathfinder } = require('mineflayer-pathfinder')
const { plugin: pvp } = require('mineflayer-pvp')
const { plugin: tool } = require('mineflayer-tool')
const {
  BehaviorFollowEntity,
  BehaviorGetClosestEntity,
  BehaviorLookAtEntity,
  BotStateMachine,
  EntityFilters,
  NestedStateMachine,
  StateTransition
} = require('mineflayer-statemachine')

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

/** The best tool that the bot has goes into its hand, and it digs what it stands on. */
async function equips(platform) {
  const bot = await platform.join('Bot', MIDDLE, tool)
  const below = platform.at(0, 0, -1)
  for (const item of ['diamond_shovel', 'stone_pickaxe', 'iron_pickaxe', 'diamond_axe']) {
    await platform.give(bot, item)
  }
  await platform.place(below, 'stone')
  await platform.until('it sees the stone', () => bot.blockAt(below)?.name === 'stone')
  await bot.tool.equipForBlock(bot.blockAt(below), {})
  if (bot.heldItem.name !== 'iron_pickaxe') throw new Error(`it holds ${bot.heldItem.name}`)
  await bot.dig(bot.blockAt(below))
  await isAir(platform, below)
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
  if (blows < 4) throw new Error(`a sword of iron kills with ${blows} blows`)
}

/** A hungry bot eats until it has the 15 points that the plugin asks for. */
async function eats(platform, held) {
  const bot = await platform.join('Bot', MIDDLE, autoEat)
  await platform.give(bot, 'bread 20')
  await platform.command(`effect give ${bot.username} hunger 30 255`)
  await platform.until('it is hungry', () => bot.food <= 10)
  await platform.command(`effect clear ${bot.username}`)
  await platform.until('it is not made hungry', () => !Object.keys(bot.entity.effects).length)
  const eaten = []
  bot.autoEat.on('eatFinish', ({ food }) => eaten.push(food.name))
  bot.autoEat.enableAuto()
  await platform.until('it has eaten', () => bot.food >= 15)
  await platform.until('the bread is gone', () => held(bot, 'bread') === 20 - eaten.length)
  if (eaten.length === 0) throw new Error('it ate without saying so')
}

/** Armour that is there is put on, and better armour that lies about, too. */
async function arms(platform) {
  const bot = await platform.join('Bot', MIDDLE, armorManager)
  for (const part of ['helmet', 'chestplate', 'leggings', 'boots']) {
    await platform.give(bot, `iron_${part}`)
  }
  await bot.armorManager.equipAll()
  const worn = () => [5, 6, 7, 8].map((slot) => bot.inventory.slots[slot]?.name ?? '')
  await platform.until('it wears iron', () => worn().every((name) => name.startsWith('iron_')))
  const { x, y, z } = platform.at(0.5, 0.5)
  const diamond = 'Item:{id:"minecraft:diamond_helmet",Count:1b}'
  await platform.command(`summon item ${x} ${y} ${z} {${diamond}}`)
  await platform.until('it wears the better helmet', () => worn()[0] === 'diamond_helmet')
}

/** A machine of three states: find a player, follow it, look at it when it is near. */
async function states(platform) {
  const bot = await platform.join('Bot', MIDDLE, pathfinder)
  const player = await platform.join('Player', EDGE)
  await platform.until('they see each other', () => bot.players[player.username]?.entity)
  const targets = {}
  const find = new BehaviorGetClosestEntity(bot, targets, EntityFilters().PlayersOnly)
  const follow = new BehaviorFollowEntity(bot, targets)
  const look = new BehaviorLookAtEntity(bot, targets)
  const change = (parent, child, shouldTransition) =>
    new StateTransition({ parent, child, shouldTransition })
  const changes = [
    change(find, follow, () => true),
    change(follow, look, () => follow.distanceToTarget() < 2),
    change(look, follow, () => look.distanceToTarget() >= 2)
  ]
  const root = new NestedStateMachine(changes, find)
  new BotStateMachine(bot, root)
  await platform.until('it looks at the player', () => root.activeState === look)
  const { x, y, z } = platform.at(-5.5, 0.5)
  await platform.command(`tp ${player.username} ${x} ${y} ${z}`)
  await platform.until('it follows again', () => root.activeState === follow)
  await platform.until('it looks again', () => root.activeState === look)
}

const near = (bot, player) => bot.entity.position.distanceTo(player.entity.position)

/** Until the server, too, has nothing there. */
function isAir(platform, { x, y, z }) {
  return platform.until('it is dug', async () => {
    const answer = await platform.command(`execute if block ${x} ${y} ${z} air`)
    return answer === 'Test passed'
  })
}

export const EXAMPLES = {
  comes,
  follows,
  collects,
  equips,
  fights,
  eats,
  arms,
  states
}
