/**
 * Containers: chests, double chests, barrels and ender chests, shared by all who have them open.
 *
 * A container belongs to a block position; it is made when first asked for and goes with its block.
 */
import { Item, nbt, registry, Vec3 } from '../minecraft.js'
import { chestWindow } from '../windows/kinds.js'
import { Store } from '../windows/store.js'
import { blockAt, isSolid, key, positionOf, propertiesOf, stateAt, stateOf } from './blocks.js'

const SLOTS = 27
const CHESTS = ['chest', 'trapped_chest']
const STORING = [...CHESTS, 'barrel']
const TITLES = {
  chest: 'Chest',
  trapped_chest: 'Trapped Chest',
  barrel: 'Barrel',
  ender_chest: 'Ender Chest'
}
/** Numbers of block entity types in 1.20.4, for clients to draw them. @type {Record<string, number>} */
const BLOCK_ENTITY_TYPES = {
  furnace: 0,
  chest: 1,
  trapped_chest: 2,
  ender_chest: 3,
  smoker: 27,
  blast_furnace: 28,
  barrel: 26
}
/** @type {Record<string, any>} facing → to its right hand */
const CLOCKWISE = {
  north: new Vec3(1, 0, 0),
  east: new Vec3(0, 0, 1),
  south: new Vec3(-1, 0, 0),
  west: new Vec3(0, 0, -1)
}

/** @param {any} serv @param {any} position of a chest @returns {any} position of its other half, or null */
export function partnerOf(serv, position) {
  const state = stateAt(serv.overworld, position)
  const { type, facing } = propertiesOf(state)
  if (type !== 'left' && type !== 'right') return null
  const step = CLOCKWISE[facing].scaled(type === 'left' ? 1 : -1)
  const other = position.plus(step)
  const otherState = stateAt(serv.overworld, other)
  const isSame = registry.blocksByStateId[otherState] === registry.blocksByStateId[state]
  return isSame && propertiesOf(otherState).type !== type ? other : null
}

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<string, {name: string, store: Store, viewers: Set<any>}>} */
  serv.containers = new Map()

  /** @param {any} position @returns {any} what holds items there, or null */
  serv.containerAt = (position) => {
    const block = blockAt(serv, position)
    const id = key(position)
    const existing = serv.containers.get(id)
    if (existing) return existing
    if (!STORING.includes(block?.name)) return serv.furnaceAt(position)
    const made = { name: block.name, store: new Store(SLOTS), viewers: new Set() }
    serv.containers.set(id, made)
    return made
  }

  /** @param {any} player @param {any} position */
  function open(player, position) {
    const partner = partnerOf(serv, position)
    const isRight = propertiesOf(stateAt(serv.overworld, position)).type === 'right'
    const halves = partner ? (isRight ? [position, partner] : [partner, position]) : [position]
    const containers = halves.map(serv.containerAt)
    const [{ name }] = containers
    const title = `${partner ? 'Large ' : ''}${/** @type {any} */ (TITLES)[name]}`
    const view = (/** @type {'add' | 'delete'} */ change) => {
      for (const container of containers) container.viewers[change](player)
      for (const half of halves) showLid(half, containers[0].viewers.size)
    }
    const stores = containers.map((container) => container.store)
    player.openWindow(chestWindow(stores, title, player.inventory, () => view('delete')))
    view('add')
  }

  /** @param {any} position @param {number} viewers */
  function showLid(position, viewers) {
    if (CHESTS.includes(blockAt(serv, position)?.name)) serv.blockAction(position, 1, viewers)
  }

  /** Takes a container's items out, and closes it for who looks in. @param {any} position @returns {any[]} */
  serv.emptyContainer = (position) => {
    const container = serv.containers.get(key(position))
    if (!container) return []
    for (const player of [...container.viewers]) player.shutWindow()
    return container.store.empty()
  }

  serv.on(
    'blockChanged',
    (/** @type {any} */ position, /** @type {number} */ before, /** @type {number} */ after) => {
      const [was, is] = [registry.blocksByStateId[before], registry.blocksByStateId[after]]
      if (was === is || !serv.containers.has(key(position))) return
      for (const item of serv.emptyContainer(position)) {
        serv.dropItem(item, position.offset(0.5, 0.5, 0.5))
      }
      serv.containers.delete(key(position))
    }
  )

  // The half that is left of a double chest is a single one.
  serv.on(
    'blockChanged',
    (/** @type {any} */ position, /** @type {number} */ before, /** @type {number} */ after) => {
      const { type, facing } = propertiesOf(before)
      const block = registry.blocksByStateId[before]
      const isGone = registry.blocksByStateId[after] !== block
      if (!isGone || !CHESTS.includes(block.name) || type === 'single') return
      const other = position.plus(CLOCKWISE[facing].scaled(type === 'left' ? 1 : -1))
      const theirs = stateAt(serv.overworld, other)
      if (registry.blocksByStateId[theirs] !== block) return
      serv.setBlock(other, stateOf(block, { ...propertiesOf(theirs), type: 'single' }))
    }
  )

  serv.once('asap', () => {
    serv.onUseBlock(STORING, (/** @type {any} */ player, /** @type {any} */ position) => {
      const lids = [position, partnerOf(serv, position)].filter(Boolean)
      const isChest = CHESTS.includes(blockAt(serv, position).name)
      if (isChest && lids.some((half) => isSolid(serv, half.offset(0, 1, 0)))) return true
      open(player, position)
      return true
    })
    serv.onUseBlock(['ender_chest'], (/** @type {any} */ player) => {
      const { ender_chest: title } = TITLES
      player.openWindow(chestWindow([player.enderChest], title, player.inventory, () => {}))
      return true
    })
  })

  /** @type {Map<string, Map<string, string>>} column → position → block name */
  const drawn = new Map()
  serv.on(
    'blockChanged',
    (/** @type {any} */ position, /** @type {number} _ */ _, /** @type {number} */ after) => {
      const { name } = registry.blocksByStateId[after]
      const id = `${position.x >> 4},${position.z >> 4}`
      if (name in BLOCK_ENTITY_TYPES) {
        if (!drawn.has(id)) drawn.set(id, new Map())
        drawn.get(id)?.set(key(position), name)
      } else drawn.get(id)?.delete(key(position))
    }
  )

  // A column that comes from the disk brings its blocks at once.
  serv.on('columnRestored', (/** @type {number} */ chunkX, /** @type {number} */ chunkZ) => {
    for (const { position, name } of drawnBlocksIn(serv, chunkX, chunkZ)) {
      const id = `${chunkX},${chunkZ}`
      if (!drawn.has(id)) drawn.set(id, new Map())
      drawn.get(id)?.set(key(position), name)
    }
  })

  /** Block entities of a column as chunk packets list them: clients draw no chest without. @param {number} chunkX @param {number} chunkZ */
  serv.blockEntitiesIn = (chunkX, chunkZ) =>
    [...(drawn.get(`${chunkX},${chunkZ}`) ?? [])].map(([text, name]) => {
      const { x, y, z } = positionOf(text)
      return { x: x & 15, z: z & 15, y, type: BLOCK_ENTITY_TYPES[name], nbtData: nbt.comp({}) }
    })

  /** Containers and their items as plain data. */
  serv.containersData = () =>
    [...serv.containers]
      .filter(([, { store }]) => store.slots.some(Boolean))
      .map(([id, { name, store }]) => [
        id,
        name,
        store.slots.map((/** @type {any} */ i) => i && Item.toNotch(i))
      ])

  /** @param {[string, string, any[]][]} data */
  serv.restoreContainers = (data) => {
    for (const [id, name, items] of data) {
      const store = new Store(items.length)
      items.forEach((item, index) => item && store.set(index, Item.fromNotch(item)))
      const { furnace } = serv.furnaceFrom?.(name, store, positionOf(id)) ?? {}
      if (!furnace) serv.containers.set(id, { name, store, viewers: new Set() })
    }
  }
}

/** @param {any} serv @param {number} chunkX @param {number} chunkZ */
function* drawnBlocksIn(serv, chunkX, chunkZ) {
  const column = serv.overworld.getLoadedColumn(chunkX, chunkZ)
  for (const [index, section] of column.sections.entries()) {
    if (!section.solidBlockCount || !holdsDrawn(section)) continue
    for (let at = 0; at < 4096; at++) {
      const [x, y, z] = [at & 15, (at >> 8) + index * 16 + column.minY, (at >> 4) & 15]
      const { name } = registry.blocksByStateId[column.getBlockStateId({ x, y, z })]
      if (!(name in BLOCK_ENTITY_TYPES)) continue
      yield { position: new Vec3(chunkX * 16 + x, y, chunkZ * 16 + z), name }
    }
  }
}

/** Whether a section's palette has such a block at all. @param {any} section */
function holdsDrawn(section) {
  const { palette } = section.data
  if (!palette) return true
  return palette.some(
    (/** @type {number} */ state) => registry.blocksByStateId[state]?.name in BLOCK_ENTITY_TYPES
  )
}
