/**
 * Item uses that take time. Meals and drinks complete only if the item stays in the hand; bows,
 * shields and similar items are in use until the player releases them.
 */
import { itemNamed, registry } from '../minecraft/index.js'
import { CREATIVE } from '../players/game-modes.js'
import { FULL } from '../health/health.js'
import { drink, giveEffects } from './potions.js'

/** @import { Item, Player, Server } from '../types/index.d.ts' */

const EAT_TICKS = 32
const FAST_TICKS = 16
const HONEY_TICKS = 40
const ATE_STATUS = 9
const FLAGS_KEY = 8
const FLAG = { active: 1, offHand: 2 }
const DRINKS = /^(potion|milk_bucket|honey_bottle)$/
const ALWAYS_EDIBLE =
  /^(golden_apple|enchanted_golden_apple|chorus_fruit|honey_bottle|milk_bucket|potion|suspicious_stew)$/
/** @type {Record<string, string>} */
const LEAVES_BEHIND = {
  mushroom_stew: 'bowl',
  rabbit_stew: 'bowl',
  beetroot_soup: 'bowl',
  suspicious_stew: 'bowl',
  honey_bottle: 'glass_bottle',
  potion: 'glass_bottle',
  milk_bucket: 'bucket'
}
/**
 * Effects of food, with their probabilities (minecraft.wiki: Food).
 * @type {Record<string, {chance: number, effects: [string, number, number?][]}>}
 */
const EFFECTS = {
  golden_apple: {
    chance: 1,
    effects: [
      ['Regeneration', 100, 1],
      ['Absorption', 2400]
    ]
  },
  enchanted_golden_apple: {
    chance: 1,
    effects: [
      ['Regeneration', 400, 1],
      ['Resistance', 6000],
      ['FireResistance', 6000],
      ['Absorption', 2400, 3]
    ]
  },
  rotten_flesh: { chance: 0.8, effects: [['Hunger', 600]] },
  chicken: { chance: 0.3, effects: [['Hunger', 600]] },
  poisonous_potato: { chance: 0.6, effects: [['Poison', 100]] },
  spider_eye: { chance: 1, effects: [['Poison', 100]] },
  pufferfish: {
    chance: 1,
    effects: [
      ['Hunger', 300, 2],
      ['Poison', 1200, 1],
      ['Nausea', 300]
    ]
  }
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /** @type {{slot: number, hand: number, item: Item, until: number} | null} */
  let eating = null
  player.using = null

  player._client.on('use_item', ({ hand, sequence }) => {
    const item = player.inHand(hand)
    const isSame = item === player.usedItem // do not drink a bottle that was just filled
    if (item && isSame && !player.isDead && isEdible(player, item)) {
      const until = serv.tickCount + ticksOf(item)
      eating = { slot: player.heldItemSlot, hand, item, until }
      show(hand)
    }
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })

  player.startUsing = (hand) => {
    eating = null
    player.using = { hand, since: serv.tickCount }
    show(hand)
  }

  player.releaseUse = () => {
    const { using } = player
    player.stopUsing()
    if (using) serv.emit('usingStopped', player, using.hand, serv.tickCount - using.since)
  }

  player.stopUsing = () => {
    if (eating || player.using) show(null)
    eating = null
    player.using = null
  }

  /** Show other players the hand in use. @param {number | null} hand */
  function show(hand) {
    const value = hand === null ? 0 : FLAG.active | (hand === 1 ? FLAG.offHand : 0)
    const metadata = [{ key: FLAGS_KEY, type: 'byte', value }]
    player._writeOthersNearby('entity_metadata', { entityId: player.id, metadata })
  }

  /** Finish a meal when its time is over. */
  player.eat = () => {
    if (!eating || serv.tickCount < eating.until) return
    const { item, hand, slot } = eating
    const isSame = player.heldItemSlot === slot && player.inHand(hand)?.type === item.type
    player.stopUsing()
    if (!isSame) return
    leaveRest(player, item, hand)
    takeIn(serv, player, item)
    serv.emit('itemUsed', player, item)
    serv.sendWindows()
    player._client.write('entity_status', { entityId: player.id, entityStatus: ATE_STATUS })
    player.sendHealth()
  }
}

/** @param {Player} player @param {Item} item */
function isEdible(player, item) {
  if (!registry.foodsByName[item.name] && !DRINKS.test(item.name)) return false
  return player.food < FULL || player.gameMode === CREATIVE || ALWAYS_EDIBLE.test(item.name)
}

/** @param {Item} item */
function ticksOf({ name }) {
  if (name === 'honey_bottle') return HONEY_TICKS
  return name === 'dried_kelp' ? FAST_TICKS : EAT_TICKS
}

/** @param {Player} player @param {Item} item @param {number} hand */
function leaveRest(player, item, hand) {
  const rest = LEAVES_BEHIND[item.name]
  player.useUp(hand)
  if (!rest || player.gameMode === CREATIVE) return
  if (player.inHand(hand)) player.giveOrThrow(rest)
  else player.putInHand(hand, itemNamed(rest))
}

/** @param {Server} serv @param {Player} player @param {Item} item */
function takeIn(serv, player, item) {
  if (item.name === 'potion') return drink(player, item)
  if (item.name === 'milk_bucket')
    for (const id of [...player.activeEffects.keys()]) player.endEffect(id)
  const food = registry.foodsByName[item.name]
  if (food) player.feed(food.foodPoints, food.saturation)
  const extra = EFFECTS[item.name]
  if (extra && serv.random() < extra.chance) giveEffects(player, extra.effects)
}
