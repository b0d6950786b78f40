/** Block entities: blocks, such as chests, that clients draw only if the column packet lists them. */
import { nbt, registry, Vec3 } from '../minecraft/index.js'
import { blockAt, key, positionOf } from './blocks.js'
import { blocksIn } from './scan.js'

/** @import { Server } from '../types/index.d.ts' */

/**
 * Block entity types in the order of 1.20.4's registry, with their blocks.
 * @type {[string, RegExp][]}
 */
const KINDS = [
  ['furnace', /^furnace$/],
  ['chest', /^chest$/],
  ['trapped_chest', /^trapped_chest$/],
  ['ender_chest', /^ender_chest$/],
  ['jukebox', /^jukebox$/],
  ['dispenser', /^dispenser$/],
  ['dropper', /^dropper$/],
  ['sign', /(?<!_hanging)_sign$/],
  ['hanging_sign', /_hanging_sign$/],
  ['mob_spawner', /^spawner$/],
  ['piston', /^moving_piston$/],
  ['brewing_stand', /^brewing_stand$/],
  ['enchanting_table', /^enchanting_table$/],
  ['end_portal', /^end_portal$/],
  ['beacon', /^beacon$/],
  ['skull', /(?<!piston)_(skull|head)$/],
  ['daylight_detector', /^daylight_detector$/],
  ['hopper', /^hopper$/],
  ['comparator', /^comparator$/],
  ['banner', /_banner$/],
  ['structure_block', /^structure_block$/],
  ['end_gateway', /^end_gateway$/],
  ['command_block', /command_block$/],
  ['shulker_box', /shulker_box$/],
  ['bed', /_bed$/],
  ['conduit', /^conduit$/],
  ['barrel', /^barrel$/],
  ['smoker', /^smoker$/],
  ['blast_furnace', /^blast_furnace$/],
  ['lectern', /^lectern$/],
  ['bell', /^bell$/],
  ['jigsaw', /^jigsaw$/],
  ['campfire', /campfire$/],
  ['beehive', /^(beehive|bee_nest)$/],
  ['sculk_sensor', /^sculk_sensor$/],
  ['calibrated_sculk_sensor', /^calibrated_sculk_sensor$/],
  ['sculk_catalyst', /^sculk_catalyst$/],
  ['sculk_shrieker', /^sculk_shrieker$/],
  ['chiseled_bookshelf', /^chiseled_bookshelf$/],
  ['brushable_block', /^suspicious_(sand|gravel)$/],
  ['decorated_pot', /^decorated_pot$/],
  ['crafter', /^crafter$/],
  ['trial_spawner', /^trial_spawner$/]
]
/** Type number by block name. @type {Record<string, number>} */
const TYPES = Object.fromEntries(
  Object.keys(registry.blocksByName).flatMap((name) => {
    const type = KINDS.findIndex(([, names]) => names.test(name))
    return type < 0 ? [] : [[name, type]]
  })
)

/** @param {string} name of a block @returns {string | null} its kind of block entity, or null */
export const kindOf = (name) => (name in TYPES ? KINDS[TYPES[name]][0] : null)

/** @param {Server} serv */
export function server(serv) {
  /** @type {Map<string, Map<string, string>>} column → position → block name */
  const drawn = new Map()

  /** @param {string} id of the column @param {Vec3} position @param {string} name */
  function draw(id, position, name) {
    if (!drawn.has(id)) drawn.set(id, new Map())
    drawn.get(id)?.set(key(position), name)
  }

  serv.on('blockChanged', (position, _before, after) => {
    const { name } = registry.blocksByStateId[after]
    const id = `${position.x >> 4},${position.z >> 4}`
    if (name in TYPES) draw(id, position, name)
    else drawn.get(id)?.delete(key(position))
  })

  // Block entities in a column that is loaded from disk are known immediately.
  serv.on('columnRestored', (chunkX, chunkZ) => {
    for (const { position, name } of blocksIn(serv, chunkX, chunkZ, (block) => block in TYPES)) {
      draw(`${chunkX},${chunkZ}`, position, name)
    }
  })

  /** Return the block entities of a column, as chunk packets contain them. */
  serv.blockEntitiesIn = (chunkX, chunkZ) =>
    [...(drawn.get(`${chunkX},${chunkZ}`) ?? [])].map(([text, name]) => {
      const { x, y, z } = positionOf(text)
      const nbtData = dataOf(serv, name, new Vec3(x, y, z))
      return { x: x & 15, z: z & 15, y, type: TYPES[name], nbtData }
    })

  serv.sendBlockEntity = (position, players = serv.players) => {
    const { name } = blockAt(serv, position)
    const column = `${position.x >> 4},${position.z >> 4}`
    if (!(name in TYPES)) return
    serv.send(
      players.filter(({ chunks }) => chunks.has(column)),
      'tile_entity_data',
      { location: position, action: TYPES[name], nbtData: dataOf(serv, name, position) }
    )
    serv.forgetColumn(position)
  }
}

/**
 * Return a block entity's NBT for clients.
 * @param {Server} serv @param {string} name @param {Vec3} position
 */
function dataOf(serv, name, position) {
  if (name.endsWith('_sign')) return serv.signData(position)
  if (name.endsWith('command_block')) return serv.commandData(position)
  if (name.endsWith('campfire')) return serv.campfireData(position)
  const data = serv.blockData.get(key(position))
  return data ? { ...data, name: '' } : nbt.comp({})
}
