/**
 * Trading: villagers and wandering traders sell what their entity data offers (`Offers`), up to the
 * limits given there.
 */
import { partOf, plainOf } from '../minecraft/snbt.js'
import { itemOf } from '../minecraft/items.js'
import { Item, registry } from '../minecraft/index.js'
import { fillInput, makingWindow } from './workshops.js'
import { copyOf } from '../windows/store.js'

/** @import { Animal, Player, Server, Tag } from '../types/index.d.ts' */
/** @import { Store } from '../windows/store.js' */
/** @import { Trade } from '../types/additions.d.ts' */

const TRADERS = ['villager', 'wandering_trader']
const USUAL_USES = 4
const MOST_OF_A_KIND = 64
/** Experience per trade (minecraft.wiki: Trading). */
const EXPERIENCE = { least: 3, most: 6 }
const UNHAPPY_STATUS = 13

/** Maximum distance of a customer, in blocks. */
const REACH_BLOCKS = 8

/** @param {Server} serv */
export function server(serv) {
  serv.openTrades = (player, trader) => open(serv, player, trader)

  // As in vanilla, a trade ends when one of the two dies or the player walks away.
  serv.on('tick', () => {
    for (const player of serv.players) {
      const { trader, window } = player
      if (!trader || trader.window !== window) continue
      const { entity } = trader
      const isThere = serv.animals.get(entity.id) === entity
      if (isThere && entity.position.distanceTo(player.position) <= REACH_BLOCKS) continue
      player.shutWindow()
      player.trader = null
    }
  })
}

/** @param {import('../types/index.d.ts').Entity} entity @param {Server} serv */
export function entity(entity, serv) {
  if (entity.type !== 'mob' || !TRADERS.includes(entity.name)) return
  entity.interact = (player) => {
    if (isServing(serv, entity)) return true
    const isGrown = !entity.adultTick
    if (isGrown && tradesOf(entity.data).length) serv.openTrades(player, entity)
    else {
      const fields = { entityId: entity.id, entityStatus: UNHAPPY_STATUS }
      serv.send([...entity.watchers], 'entity_status', fields)
    }
    return true
  }
}

/**
 * Return true if an entity is trading; it serves one player at a time.
 * @param {Server} serv @param {Animal} entity
 */
const isServing = (serv, entity) =>
  serv.players.some(({ trader, window }) => trader?.entity === entity && trader.window === window)

/** @param {Tag | undefined} data @returns {{value: Record<string, Tag>[]} | undefined} */
const recipesIn = (data) => /** @type {any} */ (partOf(partOf(data, 'Offers'), 'Recipes')?.value)

/**
 * Return the offers in an entity's data, which commands may change.
 * @param {Tag | undefined} data @returns {Trade[]}
 */
function tradesOf(data) {
  return (recipesIn(data)?.value ?? []).flatMap((value, at) => {
    const tag = { type: 'compound', value }
    const [buy, sell] = [itemOf(partOf(tag, 'buy')), itemOf(partOf(tag, 'sell'))]
    if (!buy || !sell) return []
    const number = (/** @type {string} */ name, usual = 0) => Number(plainOf(tag, name) ?? usual)
    return [
      {
        at,
        buy,
        buyB: itemOf(partOf(tag, 'buyB')),
        sell,
        most: number('maxUses', USUAL_USES),
        uses: number('uses'),
        xp: number('xp', 1),
        isRewarded: number('rewardExp', 1) !== 0,
        demand: number('demand'),
        multiplier: number('priceMultiplier'),
        special: number('specialPrice')
      }
    ]
  })
}

/**
 * Count that a trade was used, in the trader's entity data.
 * @param {Animal} entity @param {Trade} trade
 */
function countUse(entity, { at, uses }) {
  const data = structuredClone(/** @type {Tag} */ (entity.data))
  const recipe = recipesIn(data)?.value[at]
  if (recipe) recipe.uses = { type: 'int', value: uses + 1 }
  entity.data = data
}

/**
 * Return a trade's current price, which demand raises and the special price changes.
 * @param {Trade} trade @returns {Item}
 */
export function priceOf({ buy, demand, multiplier, special }) {
  const more = Math.max(0, Math.floor(buy.count * demand * multiplier))
  const most = registry.items[buy.type].stackSize
  const count = Math.min(most, Math.max(1, buy.count + more + special))
  return /** @type {Item} */ (copyOf(buy, count))
}

/**
 * Return true if a slot contains enough of an item.
 * @param {Item | null} there @param {Item | null} wanted
 */
const covers = (there, wanted) =>
  wanted ? there?.type === wanted.type && there.count >= wanted.count : there === null

/** @param {Server} serv @param {Player} player @param {Animal} entity */
function open(serv, player, entity) {
  let chosen = 0
  /** @type {Trade | undefined} */
  let current
  const { inventory, hand } = player
  const craft = {
    result: (/** @type {(Item | null)[]} */ [one, two]) => {
      const trades = tradesOf(entity.data)
      current = [trades[chosen], ...trades].find(
        (trade) =>
          trade && trade.uses < trade.most && covers(one, priceOf(trade)) && covers(two, trade.buyB)
      )
      return current ? copyOf(current.sell) : null
    },
    onTake: (/** @type {Store} */ inputs) => {
      if (!current) return
      const [one, two] = inputs.slots
      countUse(entity, current)
      inputs.set(0, one && copyOf(one, one.count - priceOf(current).count))
      if (current.buyB) inputs.set(1, two && copyOf(two, two.count - current.buyB.count))
      if (!current.isRewarded) return
      const amount =
        EXPERIENCE.least + Math.floor(serv.random() * (EXPERIENCE.most - EXPERIENCE.least + 1))
      serv.spillExperience(amount, entity.position.offset(0, 0.5, 0))
    }
  }
  const [type, title] = ['minecraft:merchant', entity.kind.displayName]
  const { window, inputs } = makingWindow({ type, title, inventory, hand, craft })
  const select = (/** @type {number} */ index) => {
    const trade = tradesOf(entity.data)[index]
    if (!trade) return
    chosen = index
    for (const item of inputs.empty()) {
      const left = hand.give(item)
      if (left) hand.drop(left)
    }
    fillInput(inputs, 0, inventory, priceOf(trade))
    fillInput(inputs, 1, inventory, trade.buyB)
  }
  player.openWindow(window)
  player.trader = { entity, window, select }
  player._client.write('trade_list', {
    windowId: window.id,
    trades: tradesOf(entity.data).map(packetOf),
    villagerLevel: 1,
    experience: 0,
    isRegularVillager: entity.name === 'villager',
    canRestock: entity.name === 'villager'
  })
}

/** @param {Player} player */
export function player(player) {
  player.trader = null
  player._client.on('select_trade', ({ slot }) => {
    const { trader, window } = player
    if (trader?.window !== window) return
    trader.select(slot)
    window.sendChanges(player.connection)
  })
}

/** @param {Trade} trade */
const packetOf = ({ buy, buyB, sell, uses, most, xp, demand, multiplier, special }) => ({
  inputItem1: Item.toNotch(buy),
  outputItem: Item.toNotch(sell),
  inputItem2: Item.toNotch(buyB),
  tradeDisabled: uses >= most,
  nbTradeUses: uses,
  maximumNbTradeUses: most,
  xp,
  specialPrice: special,
  priceMultiplier: multiplier,
  demand
})
