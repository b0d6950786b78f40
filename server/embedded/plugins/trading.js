/** Trading: villagers and wandering traders sell what they were summoned with (`Offers`), as often as it says. */
import { partOf, plainOf } from '../commands/snbt.js'
import { itemOf } from '../items.js'
import { Item, registry } from '../minecraft.js'
import { fillInput, makingWindow } from '../windows/workshops.js'
import { copyOf } from '../windows/store.js'

/** @import { Animal, Player, Server, Tag } from '../types.d.ts' */
/** @import { Store } from '../windows/store.js' */
/** @import { Trade } from './additions.d.ts' */

const TRADERS = ['villager', 'wandering_trader']
const USUAL_USES = 4
const MOST_OF_A_KIND = 64
/** Experience of a trade (minecraft.wiki: Trading). */
const EXPERIENCE = { least: 3, most: 6 }
const UNHAPPY_STATUS = 13

/** @param {Server} serv */
export function server(serv) {
  serv.openTrades = (player, trader) => open(serv, player, trader)
}

/** @param {import('../types.d.ts').Entity} entity @param {Server} serv */
export function entity(entity, serv) {
  if (entity.type !== 'mob' || !TRADERS.includes(entity.name)) return
  /** @type {Trade[] | null} */
  let trades = null
  entity.interact = (player) => {
    trades ??= tradesOf(entity.data)
    if (trades.length) serv.openTrades(player, { entity, trades })
    else {
      const fields = { entityId: entity.id, entityStatus: UNHAPPY_STATUS }
      serv.send([...entity.watchers], 'entity_status', fields)
    }
    return true
  }
}

/** @param {Tag | undefined} data @returns {Trade[]} */
function tradesOf(data) {
  const recipes = /** @type {{value: Record<string, Tag>[]} | undefined} */ (
    partOf(partOf(data, 'Offers'), 'Recipes')?.value
  )
  return (recipes?.value ?? []).flatMap((value) => {
    const tag = { type: 'compound', value }
    const [buy, sell] = [itemOf(partOf(tag, 'buy')), itemOf(partOf(tag, 'sell'))]
    if (!buy || !sell) return []
    const number = (/** @type {string} */ name, usual = 0) => Number(plainOf(tag, name) ?? usual)
    return [
      {
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

/** What a trade costs now: more by demand, less (or more) by its special price. @param {Trade} trade @returns {Item} */
export function priceOf({ buy, demand, multiplier, special }) {
  const more = Math.max(0, Math.floor(buy.count * demand * multiplier))
  const most = registry.items[buy.type].stackSize
  const count = Math.min(most, Math.max(1, buy.count + more + special))
  return /** @type {Item} */ (copyOf(buy, count))
}

/** Whether a place holds enough. @param {Item | null} there @param {Item | null} wanted */
const covers = (there, wanted) =>
  wanted ? there?.type === wanted.type && there.count >= wanted.count : there === null

/** @param {Server} serv @param {Player} player @param {{entity: Animal, trades: Trade[]}} trader */
function open(serv, player, { entity, trades }) {
  let chosen = 0
  /** @type {Trade | undefined} */
  let current
  const { inventory, hand } = player
  const craft = {
    result: (/** @type {(Item | null)[]} */ [one, two]) => {
      const order = [trades[chosen], ...trades]
      current = order.find(
        (trade) => trade.uses < trade.most && covers(one, priceOf(trade)) && covers(two, trade.buyB)
      )
      return current ? copyOf(current.sell) : null
    },
    onTake: (/** @type {Store} */ inputs) => {
      if (!current) return
      const [one, two] = inputs.slots
      current.uses += 1
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
    const trade = trades[index]
    if (!trade) return
    chosen = index
    for (const item of inputs.empty()) {
      const left = hand.give(item)
      if (left) hand.drop(left)
    }
    fillInput(inputs, 0, inventory, priceOf(trade))
    fillInput(inputs, 1, inventory, trade.buyB)
  }
  player.trader = { window, select }
  player.openWindow(window)
  player._client.write('trade_list', {
    windowId: window.id,
    trades: trades.map(packetOf),
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
