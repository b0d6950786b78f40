/** Entities: summoned, named, placed from the hand, ridden. */
import { ensure, Vec3 } from '../stage.js'
import { check, once } from './helpers.js'

/** @typedef {import('../stage.js').Stage} Stage */
/** @import { Entity } from 'prismarine-entity' */

const PLACE = '3.5 151 0.5'

/**
 * @param {Stage} stage @param {string} name @param {string} [data]
 * @returns {Promise<Entity>} the entity that the bot sees
 */
async function summon(stage, name, data = '') {
  const seen = once(stage.bot, 'entitySpawn', (entity) => entity.name === name)
  const answer = await stage.command(`summon ${name} ${PLACE} ${data}`.trim())
  ensure(answer.startsWith('Summoned new'), answer)
  const [entity] = await seen
  return entity
}

/** @param {Stage} stage @param {Entity} entity */
const gone = (stage, entity) => stage.until('it is gone', () => !stage.bot.entities[entity.id])

/**
 * Use an item on the platform and wait for the resulting entity.
 * @param {Stage} stage @param {string} item @param {string} entity
 */
async function put(stage, item, entity) {
  await stage.give(item)
  await stage.bot.equip(stage.item(item), 'hand')
  const seen = once(stage.bot, 'entitySpawn', (one) => one.name === entity)
  await /** @type {any} */ (stage.bot).placeEntity(
    stage.block(stage.at(2, 0, -1)),
    new Vec3(0, 1, 0)
  )
  const [placed] = await seen
  await stage.holds(item, 0)
  return placed
}

/** @type {import('./index.js').Check[]} */
const summoned = [
  'creeper',
  'zombie',
  'villager',
  'bee',
  'armor_stand',
  'boat',
  'minecart',
  'item_frame'
].map((name) => [
  'entities',
  `a ${name} is summoned, and killed`,
  async (stage) => {
    const entity = await summon(stage, name, '{NoAI:1b}')
    await stage.command(`kill @e[type=${name}]`)
    await gone(stage, entity)
  }
])

/** @type {import('./index.js').Check[]} */
const placed = [
  ['armor_stand', 'armor_stand'],
  ['pig_spawn_egg', 'pig'],
  ['oak_boat', 'boat']
].map(([item, entity]) => [
  'entities',
  `${item} is placed`,
  async (stage) => {
    await put(stage, item, entity)
  }
])

export const checks = [
  ...summoned,
  ...placed,
  check('entities', 'names and tags are set, and selectors find them', async (stage) => {
    await summon(stage, 'pig', `{NoAI:1b,CustomName:'"Bob"',Tags:["ours"]}`)
    const answer = await stage.command('kill @e[tag=ours]')
    ensure(answer === 'Killed Bob', answer)
  }),
  check('entities', 'unknown entities are refused', async (stage) => {
    const answer = await stage.command('summon unicorn')
    ensure(answer.includes('unicorn'), answer)
    const player = await stage.command('summon player')
    ensure(player.startsWith("Can't summon"), player)
  }),
  check('entities', 'a bot rides a minecart, and gets off', async (stage) => {
    const cart = await summon(stage, 'minecart')
    await stage.walkTo(stage.at(2, 0))
    const mounted = once(stage.bot, 'mount')
    stage.bot.mount(/** @type {any} */ (cart))
    await mounted
    const left = once(stage.bot._client, 'set_passengers', (packet) => !packet.passengers.length)
    stage.bot.dismount()
    await left
  }),
  check('entities', 'a boat follows its rider, and no faster than a boat', async (stage) => {
    const boat = await summon(stage, 'boat')
    await stage.walkTo(stage.at(2, 0))
    const mounted = once(stage.bot, 'mount')
    stage.bot.mount(/** @type {any} */ (boat))
    await mounted
    const { x, y, z } = boat.position
    const row = (/** @type {number} */ east) =>
      stage.bot._client.write('vehicle_move', { x: x + east, y, z, yaw: 0, pitch: 0 })
    const east = async () => {
      const answer = await stage.command('data get entity @e[type=boat,limit=1] Pos')
      return Number(answer.match(/\[(-?[\d.]+)d/)?.[1]) - x
    }
    row(1)
    await stage.until('it goes', async () => Math.abs((await east()) - 1) < 0.01)
    for (let step = 1; step <= 300; step++) row(1 + 9 * step)
    const heard = once(stage.other, 'chat')
    stage.bot.chat('ahoy') // after everything that was sent before
    await heard
    ensure((await east()) < 1500, `it went ${await east()}`)
    const left = once(stage.bot._client, 'set_passengers', (packet) => !packet.passengers.length)
    await stage.command(`tp ConformA ${stage.where(stage.at(0, 0))}`) // a teleported rider gets off
    await left
  }),
  check('entities', 'a boat breaks into its item', async (stage) => {
    const boat = await put(stage, 'oak_boat', 'boat')
    await stage.until('it breaks', async () => {
      if (stage.bot.entities[boat.id]) stage.bot.attack(boat)
      return !stage.bot.entities[boat.id]
    })
    await stage.walkTo(stage.at(2, 0))
    await stage.holds('oak_boat', 1)
  }),
  check('entities', 'an item frame shows its item', async (stage) => {
    await stage.place(stage.at(2, 0), 'stone')
    await stage.give('item_frame')
    await stage.bot.equip(stage.item('item_frame'), 'hand')
    const seen = once(stage.bot, 'entitySpawn', (entity) => entity.name === 'item_frame')
    await /** @type {any} */ (stage.bot)._genericPlace(
      stage.block(stage.at(2, 0)),
      new Vec3(-1, 0, 0),
      {}
    )
    const [frame] = await seen
    await stage.give('diamond')
    await stage.bot.equip(stage.item('diamond'), 'hand')
    await stage.bot.activateEntity(frame)
    await stage.holds('diamond', 0)
    await stage.until('it shows it', () => JSON.stringify(frame.metadata).includes('itemCount'))
  }),
  check('entities', 'an armour stand is dressed', async (stage) => {
    const stand = await put(stage, 'armor_stand', 'armor_stand')
    await stage.give('iron_helmet')
    await stage.bot.equip(stage.item('iron_helmet'), 'hand')
    await stage.bot.activateEntityAt(stand, stand.position.offset(0, 1.8, 0))
    await stage.until('it wears it', () => stand.equipment[5]?.name === 'iron_helmet')
  })
]
