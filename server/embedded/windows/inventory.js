/**
 * Inventories of players.
 *
 * Slots 5–8 of `player.inventory` are armour, 9–35 the main part, 36–44 the hotbar, 45 the off
 * hand, as in the protocol's inventory window; 0–4 stay empty, because the crafting grid is a
 * separate store.
 */
import { itemFrom } from '../minecraft/items.js'
import { Store } from './store.js'
import { HOTBAR, HOTBAR_START, MAIN, OFF_HAND } from './window.js'
import { CREATIVE } from '../players/game-modes.js'

/** @import { Player, Server } from '../types/index.d.ts' */

/** Maximum stack size. */
const MOST = 64

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player.inventory = new Store(46)
  player.enderChest = new Store(27)
  player.grid = new Store(4)
  player.hand = {
    inventory: player.inventory,
    get isCreative() {
      return player.gameMode === CREATIVE
    },
    drop: (item) => player.throwItem(item),
    give: (item) => player.giveItem(item),
    crafted: (item) => serv.emit('itemCrafted', player, item)
  }

  player._client.on('set_creative_slot', ({ slot, item }) => {
    if (player.gameMode !== CREATIVE) return
    const wanted = itemFrom(item)
    if (wanted && (wanted.count < 1 || wanted.count > MOST)) return
    if (slot === -1 && wanted) player.throwItem(wanted)
    if (slot >= 5 && slot <= OFF_HAND) player.inventory.set(slot, wanted)
  })

  /**
   * Add an item as in vanilla: to stacks in the hands first, then to other stacks, then to the
   * first free slot. Return what does not fit, or null.
   */
  player.giveItem = (item) => {
    const held = HOTBAR_START + player.heldItemSlot
    const stacks = [held, OFF_HAND, ...HOTBAR, ...MAIN]
    return player.inventory.add(item, stacks, [...HOTBAR, ...MAIN])
  }

  /** Return the items on the cursor and in grids, outside the inventory. */
  player.looseItems = () => {
    const { window, grid } = player
    const table = window.type === 'minecraft:crafting' ? window.slots.slice(1, 10) : []
    const inGrids = [...grid.slots, ...table.map((slot) => slot.item)]
    return [window.cursor, ...inGrids].filter((item) => item !== null)
  }

  /** Remove and return everything that the player carries. */
  player.emptyPockets = () => {
    const { window, grid } = player
    const cursor = window.cursor ? [window.cursor] : []
    window.cursor = null
    return [...cursor, ...grid.empty(), ...player.inventory.empty()]
  }
}
