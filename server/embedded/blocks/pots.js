/**
 * Blocks that accept held items: cakes, flower pots, cauldrons and composters (minecraft.wiki:
 * Cake, Flower Pot, Cauldron, Composter).
 */
import { itemNamed, registry } from '../minecraft/index.js'
import { potionNamed, potionOf } from '../workshops/brewing.js'
import { blockAt, propertiesOf, stateAt, stateLike } from './blocks.js'
import { exchange } from '../items/bottles.js'
import { CREATIVE } from '../players/game-modes.js'
import { FULL } from '../health/health.js'

/** @import { Player, Server, Vec3 } from '../types/index.d.ts' */

const SLICE = { food: 2, saturation: 0.4 }
const SLICES = 7
const POTTED = /^potted_(.+)$/
const CAULDRONS = ['cauldron', 'water_cauldron', 'lava_cauldron']
const FULL_CAULDRON = 3
const READY = 8
const COMPOST_TICKS = 20
/** Chance that an item raises a composter's level. @type {[names: RegExp, chance: number][]} */
const COMPOSTS = [
  [/^(cake|pumpkin_pie)$/, 1],
  [/^(baked_potato|bread|cookie|hay_block|.*_mushroom_block|nether_wart_block)$/, 0.85],
  [/^(flowering_azalea|torchflower|pitcher_plant|warped_wart_block)$/, 0.85],
  [/^(apple|beetroot|carrot|cocoa_beans|potato|wheat|melon|pumpkin|carved_pumpkin)$/, 0.65],
  [/^(dandelion|poppy|blue_orchid|allium|azure_bluet|.*_tulip|oxeye_daisy|cornflower)$/, 0.65],
  [/^(lily_of_the_valley|wither_rose|sunflower|lilac|rose_bush|peony|fern|large_fern)$/, 0.65],
  [/^(brown_mushroom|red_mushroom|mushroom_stem|crimson_fungus|warped_fungus)$/, 0.65],
  [/^(lily_pad|sea_pickle|nether_wart|azalea|big_dripleaf|moss_block|shroomlight)$/, 0.65],
  [/^(cactus|melon_slice|sugar_cane|vine|tall_grass|dried_kelp_block|twisting_vines)$/, 0.5],
  [/_leaves$|_sapling$|_seeds$|^(short_grass|grass|kelp|dried_kelp|seagrass)$/, 0.3],
  [/^(sweet_berries|glow_berries|moss_carpet|pink_petals|mangrove_propagule)$/, 0.3]
]

/** @param {Server} serv */
export function server(serv) {
  /**
   * Full composters, and the tick at which they are ready.
   * @type {{position: Vec3, tick: number}[]}
   */
  let ripening = []
  const ripen = (/** @type {Vec3} */ position) =>
    void ripening.push({ position, tick: serv.tickCount + COMPOST_TICKS })
  serv.on('tick', () => {
    const due = ripening.filter(({ tick }) => tick <= serv.tickCount)
    if (!due.length) return
    ripening = ripening.filter(({ tick }) => tick > serv.tickCount)
    for (const { position } of due) {
      const isFull = propertiesOf(stateAt(serv.overworld, position)).level === String(READY - 1)
      if (blockAt(serv, position)?.name !== 'composter' || !isFull) continue
      serv.changeBlock(position, { level: String(READY) })
      serv.playSound('block.composter.ready', position)
    }
  })
  serv.once('asap', () => {
    serv.onUseBlock(['cake'], (player, position) => eatCake(serv, player, position))
    const pots = Object.keys(registry.blocksByName).filter((name) => POTTED.test(name))
    serv.onUseBlock(['flower_pot', ...pots], (player, position) => pot(serv, player, position))
    serv.onUseBlock(CAULDRONS, (player, position) => useCauldron(serv, player, position))
    serv.onUseBlock(['composter'], (player, position) => {
      const isUse = compost(serv, player, position)
      const { level } = propertiesOf(stateAt(serv.overworld, position))
      if (level === String(READY - 1)) ripen(position)
      return isUse
    })
  })
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function eatCake(serv, player, position) {
  if (player.food >= FULL && player.gameMode !== CREATIVE) return false
  const bites = Number(propertiesOf(stateAt(serv.overworld, position)).bites) + 1
  player.feed(SLICE.food, SLICE.saturation)
  player.sendHealth()
  if (bites < SLICES) serv.changeBlock(position, { bites: String(bites) })
  else serv.setBlock(position, 0)
  return true
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function pot(serv, player, position) {
  const planted = blockAt(serv, position).name.match(POTTED)?.[1]
  const wanted = registry.blocksByName[`potted_${player.heldItem?.name}`]
  if (!planted) {
    if (!wanted) return false
    serv.setBlock(position, wanted.defaultState)
    player.useUpHeld()
    return true
  }
  if (wanted || !registry.itemsByName[planted]) return Boolean(wanted)
  serv.setBlock(position, registry.blocksByName.flower_pot.defaultState)
  player.giveOrThrow(planted)
  return true
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function useCauldron(serv, player, position) {
  const { name } = blockAt(serv, position)
  const held = player.heldItem?.name
  const level = Number(propertiesOf(stateAt(serv.overworld, position)).level ?? 0)
  const fill = (/** @type {string} */ kind, /** @type {number} */ next) => {
    const block = registry.blocksByName[kind]
    /** @type {Record<string, string>} */
    const properties = kind === 'water_cauldron' ? { level: String(next) } : {}
    serv.setBlock(position, stateLike(block, properties))
    player.pouredTick = serv.tickCount // clients also send the use of the bucket itself
  }
  if (held === 'water_bucket' || held === 'lava_bucket') {
    fill(held.replace('bucket', 'cauldron'), FULL_CAULDRON)
    player.exchangeHeld('bucket')
    serv.playSound(`item.bucket.empty${held === 'lava_bucket' ? '_lava' : ''}`, position)
    return true
  }
  if (held === 'bucket' && (name === 'lava_cauldron' || level === FULL_CAULDRON)) {
    fill('cauldron', 0)
    player.exchangeHeld(name === 'lava_cauldron' ? 'lava_bucket' : 'water_bucket')
    serv.playSound(`item.bucket.fill${name === 'lava_cauldron' ? '_lava' : ''}`, position)
    return true
  }
  if (held === 'glass_bottle' && name === 'water_cauldron') {
    fill(level > 1 ? name : 'cauldron', level - 1)
    exchange(player, 0, potionNamed('water'))
    serv.playSound('item.bottle.fill', position)
    return true
  }
  const isPoured = potionOf(player.heldItem) === 'water' && held === 'potion'
  if (isPoured && name !== 'lava_cauldron' && level < FULL_CAULDRON) {
    fill('water_cauldron', level + 1)
    exchange(player, 0, itemNamed('glass_bottle'))
    serv.playSound('item.bottle.empty', position)
    return true
  }
  return false
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function compost(serv, player, position) {
  const level = Number(propertiesOf(stateAt(serv.overworld, position)).level)
  const middle = position.offset(0.5, 1, 0.5)
  if (level === READY) {
    serv.changeBlock(position, { level: '0' })
    serv.dropItem(itemNamed('bone_meal'), middle)
    serv.playSound('block.composter.empty', position)
    return true
  }
  const held = player.heldItem?.name ?? ''
  const chance = COMPOSTS.find(([names]) => names.test(held))?.[1]
  if (!chance) return false
  if (level === READY - 1) return true // not ready to be emptied yet
  player.useUpHeld()
  // The first item always raises the level.
  const isRaised = level === 0 || serv.random() < chance
  serv.playSound(`block.composter.fill${isRaised ? '_success' : ''}`, position)
  if (!isRaised) return true
  serv.changeBlock(position, { level: String(level + 1) })
  return true
}
