/** Anvils: windows, costs and wear. The results are in anvil-work.js. */
import { workOf } from './anvil-work.js'
import { copyOf } from '../windows/store.js'
import { makingWindow } from './workshops.js'
import { blockAt, propertiesOf, stateAt, stateLike } from '../blocks/blocks.js'
import { registry } from '../minecraft/index.js'
import { CREATIVE } from '../players/game-modes.js'

/** @import { Item, Player, Server, Vec3 } from '../types/index.d.ts' */

/** Stages of an anvil, from intact to nearly broken. */
const STAGES = ['anvil', 'chipped_anvil', 'damaged_anvil']
const WEAR_CHANCE = 0.12
const LONGEST_NAME = 50
const USED_EVENT = 1030
const BROKEN_EVENT = 1029

/** @param {Server} serv */
export function server(serv) {
  serv.once('asap', () =>
    serv.onUseBlock(STAGES, (player, position) => {
      open(serv, player, position)
      return true
    })
  )
}

/** @param {Player} player */
export function player(player) {
  player.anvil = null
  player._client.on('name_item', ({ name }) => {
    const { anvil, window } = player
    if (!anvil || anvil.window !== window || name.length > LONGEST_NAME) return
    anvil.rename(name)
    window.sendChanges(player.connection)
  })
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function open(serv, player, position) {
  /** @type {string | null} */
  let name = null
  /** @type {import('./anvil-work.js').Work} */
  let work = { item: null, cost: 0, used: 0 }
  const { inventory, hand } = player
  const isCreative = () => player.gameMode === CREATIVE
  const craft = {
    result: (/** @type {(Item | null)[]} */ [one, two]) => {
      work = workOf(one, two, { name, isCreative: isCreative() })
      return work.item
    },
    mayTake: () => work.cost > 0 && (isCreative() || player.level >= work.cost),
    onTake: (/** @type {import('../windows/store.js').Store} */ inputs) => {
      const { cost, used } = work
      const [, two] = inputs.slots
      inputs.set(0, null)
      inputs.set(1, two && used < two.count ? copyOf(two, two.count - used) : null)
      if (!isCreative()) player.addLevels(-cost)
      wear(serv, position, isCreative())
    },
    properties: () => /** @type {[number, number][]} */ ([[0, work.cost]])
  }
  const [type, title] = ['minecraft:anvil', 'Repair & Name']
  const { window, refresh } = makingWindow({ type, title, inventory, hand, craft })
  const rename = (/** @type {string} */ to) => {
    name = to
    refresh()
  }
  player.anvil = { window, rename }
  player.openWindow(window)
}

/** @param {Server} serv @param {Vec3} position @param {boolean} isImmune */
function wear(serv, position, isImmune) {
  const stage = STAGES.indexOf(blockAt(serv, position).name)
  if (stage < 0) return
  const isWorn = !isImmune && serv.random() < WEAR_CHANCE
  const next = STAGES[stage + 1]
  const isBroken = isWorn && next === undefined
  const { facing } = propertiesOf(stateAt(serv.overworld, position))
  if (isWorn) serv.setBlock(position, next ? stateLike(registry.blocksByName[next], { facing }) : 0)
  serv.send(serv.getNearby({ position }), 'world_event', {
    effectId: isBroken ? BROKEN_EVENT : USED_EVENT,
    location: position,
    data: 0,
    global: false
  })
}
