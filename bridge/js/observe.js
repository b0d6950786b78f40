/** A bot's observation as one plain object. */

/** @import { Block, Bot, Item, Vec3 } from './types.d.ts' */

const BLOCK_RADIUS = 16
const MAX_BLOCKS = 256
const ENTITY_RADIUS = 32
const CHEST_RADIUS = 32
const MAX_CHESTS = 16

/** @param {Bot} bot @returns {import('./protocol.d.ts').Observation} */
export function observe(bot) {
  return {
    position: round(bot.entity.position),
    health: bot.health,
    food: bot.food,
    held_item: bot.heldItem?.name ?? null,
    equipment: bot.entity.equipment.filter(Boolean).map((item) => item.name),
    inventory: countByName(bot.inventory.items()),
    inventory_slots_used: bot.inventory.items().length,
    chests: knownChests(bot),
    biome: bot.blockAt(bot.entity.position)?.biome?.name || 'unknown',
    nearby_blocks: nearbyBlocks(bot),
    nearby_entities: nearbyEntities(bot),
    time_of_day: bot.time.timeOfDay ?? 0
  }
}

/** @param {{name: string, count: number}[]} items @returns {Record<string, number>} */
export function countByName(items) {
  /** @type {Record<string, number>} */
  const counts = {}
  for (const { name, count } of items) counts[name] = (counts[name] ?? 0) + count
  return counts
}

/** @param {{x: number, y: number, z: number}} position @returns {[number, number, number]} */
export const round = ({ x, y, z }) => [
  Math.round(x * 100) / 100,
  Math.round(y * 100) / 100,
  Math.round(z * 100) / 100
]

/** @type {WeakMap<object, Map<string, Record<string, number>>>} */
const lookedInto = new WeakMap()

/** @param {Vec3} position */
const place = ({ x, y, z }) => `(${Math.floor(x)}, ${Math.floor(y)}, ${Math.floor(z)})`

/**
 * Remember a chest's items.
 * @param {Bot} bot @param {Vec3} position @param {Record<string, number>} items
 */
export function rememberChest(bot, position, items) {
  const known = lookedInto.get(bot) ?? new Map()
  lookedInto.set(bot, known.set(place(position), items))
}

/** @param {Bot} bot @returns {Record<string, Record<string, number> | null>} */
function knownChests(bot) {
  const matching = ['chest', 'trapped_chest', 'barrel'].map((n) => bot.registry.blocksByName[n].id)
  const near = bot.findBlocks({ matching, maxDistance: CHEST_RADIUS, count: MAX_CHESTS })
  const unopened = near.map((position) => [place(position), null])
  return Object.fromEntries([...unopened, ...(lookedInto.get(bot) ?? [])].slice(-MAX_CHESTS))
}

/** @param {Bot} bot @returns {string[]} block types, nearest first */
function nearbyBlocks(bot) {
  const positions = bot.findBlocks({
    matching: (block) => block && block.boundingBox === 'block',
    maxDistance: BLOCK_RADIUS,
    count: MAX_BLOCKS
  })
  return [...new Set(positions.map((at) => /** @type {Block} */ (bot.blockAt(at)).name))].filter(
    (name) => name !== 'barrier'
  )
}

/** @param {Bot} bot @returns {import('./protocol.d.ts').SeenEntity[]} */
function nearbyEntities(bot) {
  return Object.values(bot.entities)
    .filter((entity) => entity !== bot.entity)
    .map((entity) => ({
      name: entity.username ?? entity.getDroppedItem?.()?.name ?? entity.name ?? 'unknown',
      distance: Math.round(entity.position.distanceTo(bot.entity.position) * 10) / 10
    }))
    .filter(({ distance }) => distance <= ENTITY_RADIUS)
    .sort((a, b) => a.distance - b.distance)
}
