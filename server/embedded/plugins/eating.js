/** Eating: a meal takes its time, and is eaten only if it stays in the hand. */
import { registry } from '../minecraft.js'
import { FULL } from './health.js'

/** @import { Item, Player, Server } from '../types.d.ts' */

const EAT_TICKS = 32
const ATE_STATUS = 9
const ALWAYS_EDIBLE =
  /^(golden_apple|enchanted_golden_apple|chorus_fruit|honey_bottle|milk_bucket)$/
/** @type {Record<string, string>} */
const LEAVES_BEHIND = {
  mushroom_stew: 'bowl',
  rabbit_stew: 'bowl',
  beetroot_soup: 'bowl',
  suspicious_stew: 'bowl',
  honey_bottle: 'glass_bottle',
  milk_bucket: 'bucket'
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  /** @type {{slot: number, item: Item, until: number} | null} */
  let eating = null

  player._client.on('use_item', ({ hand, sequence }) => {
    const { heldItem: item } = player
    const isHungry = player.food < FULL || ALWAYS_EDIBLE.test(item?.name ?? '')
    if (hand === 0 && item && registry.foodsByName[item.name] && isHungry && !player.isDead) {
      eating = { slot: player.heldItemSlot, item, until: serv.tickCount + EAT_TICKS }
    }
    player._client.write('acknowledge_player_digging', { sequenceId: sequence ?? 0 })
  })

  player.stopUsing = () => {
    eating = null
  }

  /** Finishes a meal when its time has come. */
  player.eat = () => {
    if (!eating || serv.tickCount < eating.until) return
    const { item } = eating
    const isSame = player.heldItemSlot === eating.slot && player.heldItem?.type === item.type
    eating = null
    if (!isSame) return
    const { foodPoints, saturation } = registry.foodsByName[item.name]
    const rest = LEAVES_BEHIND[item.name]
    if (rest) player.exchangeHeld(rest)
    else player.useUpHeld()
    player.feed(foodPoints, saturation)
    serv.tellWindows()
    player._client.write('entity_status', { entityId: player.id, entityStatus: ATE_STATUS })
    player.sendHealth()
  }
}
