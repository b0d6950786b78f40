/** Opening chests, barrels and ender chests, and joining the two halves of a double chest. */
import { registry, Vec3 } from '../minecraft/index.js'
import { chestWindow } from './kinds.js'
import { blockAt, propertiesOf, stateAt, stateOf } from '../blocks/blocks.js'
import { BOX, CHESTS, STORING } from './containers.js'
import { isConductor } from '../blocks/full.js'

/** @import { Item, Player, Server } from '../types/index.d.ts' */

/** @type {Record<string, string>} */
const TITLES = {
  chest: 'Chest',
  trapped_chest: 'Trapped Chest',
  barrel: 'Barrel',
  ender_chest: 'Ender Chest',
  dispenser: 'Dispenser',
  dropper: 'Dropper',
  hopper: 'Item Hopper'
}
const BOX_TITLE = 'Shulker Box'
/** @type {Record<string, Vec3>} facing → offset to its right */
const CLOCKWISE = {
  north: new Vec3(1, 0, 0),
  east: new Vec3(0, 0, 1),
  south: new Vec3(-1, 0, 0),
  west: new Vec3(0, 0, -1)
}

/**
 * @param {Server} serv @param {Vec3} position of a chest
 * @returns {Vec3 | null} position of its other half
 */
function partnerOf(serv, position) {
  const state = stateAt(serv.overworld, position)
  const { type, facing } = propertiesOf(state)
  if (type !== 'left' && type !== 'right') return null
  const step = CLOCKWISE[facing].scaled(type === 'left' ? 1 : -1)
  const other = position.plus(step)
  const otherState = stateAt(serv.overworld, other)
  const isSame = registry.blocksByStateId[otherState] === registry.blocksByStateId[state]
  return isSame && propertiesOf(otherState).type !== type ? other : null
}

/**
 * Return the positions of a chest's halves, in the order of their slots.
 * @param {Server} serv @param {Vec3} position
 */
export function halvesAt(serv, position) {
  const state = stateAt(serv.overworld, position)
  if (!CHESTS.includes(registry.blocksByStateId[state]?.name)) return [position]
  const partner = partnerOf(serv, position)
  if (!partner) return [position]
  return propertiesOf(state).type === 'right' ? [position, partner] : [partner, position]
}

/** @param {Server} serv */
export function server(serv) {
  // The other half of a double chest becomes a single chest.
  serv.on('blockChanged', (position, before, after) => {
    const { type, facing } = propertiesOf(before)
    const block = registry.blocksByStateId[before]
    const isGone = registry.blocksByStateId[after] !== block
    if (!isGone || !CHESTS.includes(block.name) || type === 'single') return
    const other = position.plus(CLOCKWISE[facing].scaled(type === 'left' ? 1 : -1))
    const theirs = stateAt(serv.overworld, other)
    if (registry.blocksByStateId[theirs] !== block) return
    serv.setBlock(other, stateOf(block, { ...propertiesOf(theirs), type: 'single' }))
  })

  serv.once('asap', () => {
    serv.onUseBlock(STORING, (player, position) => {
      const partner = partnerOf(serv, position)
      const lids = partner ? [position, partner] : [position]
      const isChest = CHESTS.includes(blockAt(serv, position).name)
      if (isChest && lids.some((half) => isConductor(serv, half.offset(0, 1, 0)))) return true
      open(serv, player, position)
      return true
    })
    serv.onUseBlock(['ender_chest'], (player, position) => {
      if (isConductor(serv, position.offset(0, 1, 0))) return true
      const { ender_chest: title } = TITLES
      player.openWindow(chestWindow([player.enderChest], title, player.inventory, () => {}))
      return true
    })
  })
}

/** @param {Server} serv @param {Player} player @param {Vec3} position */
function open(serv, player, position) {
  const halves = halvesAt(serv, position)
  const containers = halves.map(serv.containerAt).filter((found) => found !== null)
  const [{ name }] = containers
  const title = BOX.test(name) ? BOX_TITLE : `${halves.length > 1 ? 'Large ' : ''}${TITLES[name]}`
  const view = (/** @type {'add' | 'delete'} */ change) => {
    for (const container of containers) container.viewers[change](player)
    const { size } = containers[0].viewers
    if (size === (change === 'add' ? 1 : 0)) serv.soundLid(name, halves[0], size > 0)
    for (const half of halves) showLid(serv, half, containers[0].viewers.size)
  }
  const stores = containers.map((container) => container.store)
  const mayPlace = BOX.test(name) ? (/** @type {Item} */ item) => !BOX.test(item.name) : undefined
  const { inventory } = player
  player.openWindow(chestWindow(stores, title, inventory, () => view('delete'), mayPlace))
  view('add')
}

/** @param {Server} serv @param {Vec3} position @param {number} viewers */
function showLid(serv, position, viewers) {
  if (CHESTS.includes(blockAt(serv, position)?.name)) serv.blockAction(position, 1, viewers)
}
