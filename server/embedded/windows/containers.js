/**
 * Items in chests, barrels and furnaces, shared by all players who have them open.
 *
 * A container belongs to a block position. It is created when it is first accessed and disappears
 * with its block.
 */
import { itemFrom } from '../minecraft/items.js'
import { Item, registry } from '../minecraft/index.js'
import { Store } from './store.js'
import { progressOf, setProgress } from '../blocks/block-progress.js'
import { blockAt, key, positionOf } from '../blocks/blocks.js'

/** @import { Container } from '../types/additions.d.ts' */
/** @import { ContainerData, Server } from '../types/index.d.ts' */

const SLOTS = 27
/** Containers with fewer slots. @type {Record<string, number>} */
const FEWER = { dispenser: 9, dropper: 9, hopper: 5 }
export const CHESTS = ['chest', 'trapped_chest']
export const BOX = /shulker_box$/
const BOXES = Object.keys(registry.blocksByName).filter((name) => BOX.test(name))
export const STORING = [...CHESTS, 'barrel', ...Object.keys(FEWER), ...BOXES]

/** Other blocks that contain items, each handled by a separate plugin. */
const MADE = /** @type {const} */ (['furnaceAt', 'standAt', 'campfireAt', 'lecternAt'])

/** @param {Server} serv */
export function server(serv) {
  serv.containers = new Map()

  /** Return the container at a position, or null. */
  serv.containerAt = (position) => {
    const block = blockAt(serv, position)
    const id = key(position)
    const existing = serv.containers.get(id)
    if (existing) return existing
    if (!STORING.includes(block?.name)) {
      return MADE.reduce(
        (/** @type {Container | null} */ found, make) => found ?? serv[make](position),
        null
      )
    }
    const made = {
      name: block.name,
      store: new Store(FEWER[block.name] ?? SLOTS),
      viewers: new Set()
    }
    serv.containers.set(id, made)
    return made
  }

  /** Take all items out of a container, and close it for its viewers. */
  serv.emptyContainer = (position) => {
    const container = serv.containers.get(key(position))
    if (!container) return []
    for (const player of [...container.viewers]) player.shutWindow()
    return container.store.empty()
  }

  serv.on('blockChanged', (position, before, after) => {
    const [was, is] = [registry.blocksByStateId[before], registry.blocksByStateId[after]]
    if (was === is || !serv.containers.has(key(position))) return
    const items = serv.emptyContainer(position)
    // A shulker box that was dug up as an item has taken its items along.
    for (const item of BOX.test(was.name) ? [] : items) {
      serv.dropItem(item, position.offset(0.5, 0.5, 0.5))
    }
    serv.containers.delete(key(position))
  })

  /** Return containers and their items as plain data. */
  serv.containersData = () =>
    [...serv.containers].flatMap(([id, container]) => {
      const { name, store } = container
      const progress = progressOf(container)
      if (!progress && !store.slots.some(Boolean)) return []
      const items = store.slots.map((item) => item && Item.toNotch(item))
      return [
        /** @type {ContainerData} */ (progress ? [id, name, items, progress] : [id, name, items])
      ]
    })

  serv.restoreContainers = (data) => {
    for (const [id, name, items, progress] of data) {
      const store = new Store(items.length)
      items.forEach((item, index) => item && store.set(index, itemFrom(item)))
      const at = positionOf(id)
      const made =
        serv.furnaceFrom(name, store, at) ??
        serv.standFrom(name, store, at) ??
        serv.campfireFrom(name, store, at)
      const container = made ?? { name, store, viewers: new Set() }
      if (!made) serv.containers.set(id, container)
      if (progress) setProgress(container, progress)
    }
  }
}
