/**
 * Containers: chests and barrels that hold items, shared by all who have them open.
 *
 * A container belongs to a block position; it is made when first asked for and goes with its block.
 */
import { blockAt, isSolid, key } from './blocks.js'
import { copyItem, itemClass, place } from './items.js'

const SLOTS = 27
const CHEST_LIKE = ['chest', 'trapped_chest']
const KINDS = [...CHEST_LIKE, 'barrel']
const BLOCK_ENTITY_TYPES = { chest: 1, trapped_chest: 2, barrel: 26 }
const TITLES = { chest: 'Chest', trapped_chest: 'Trapped Chest', barrel: 'Barrel' }

class Container {
  /** @param {any} serv @param {string} name block name @param {any} position */
  constructor(serv, name, position) {
    this.serv = serv
    this.name = name
    this.position = position
    this.windowType = 'minecraft:generic_9x3'
    this.title = /** @type {Record<string, string>} */ (TITLES)[name]
    /** @type {any[]} */
    this.slots = new Array(SLOTS).fill(null)
    /** @type {Set<any>} */
    this.viewers = new Set()
  }

  /** @param {any} player */
  open(player) {
    this.viewers.add(player)
    this.read(player)
    this.showLid()
  }

  /** @param {any} player */
  close(player) {
    this.viewers.delete(player)
    this.showLid()
  }

  /** Copies the container and the player's inventory into the player's window. @param {any} player */
  read(player) {
    const { window } = player.opened
    this.slots.forEach((item, slot) => place(window, slot, copyItem(this.serv, item)))
    for (let slot = 9; slot < 45; slot++) {
      const item = copyItem(this.serv, player.inventory.slots[slot])
      place(window, slot + window.inventoryStart - 9, item)
    }
  }

  /** Takes over what a click changed in the player's window. @param {any} player */
  write(player) {
    const { window } = player.opened
    for (let slot = 0; slot < SLOTS; slot++) {
      this.slots[slot] = copyItem(this.serv, window.slots[slot])
      for (const other of this.viewers) if (other !== player) this.show(other, slot)
    }
    for (let slot = 9; slot < 45; slot++) {
      const item = copyItem(this.serv, window.slots[slot + window.inventoryStart - 9])
      place(player.inventory, slot, item)
    }
  }

  /** @param {any} player @param {number} slot */
  show(player, slot) {
    const { window } = player.opened
    const after = copyItem(this.serv, this.slots[slot])
    if (itemClass(this.serv).equal(window.slots[slot], after, true)) return
    place(window, slot, after)
    player.sendOpenSlot(slot)
  }

  /** @param {number} slot @param {any} item */
  set(slot, item) {
    this.slots[slot] = item
    if (item) item.slot = slot
    for (const viewer of this.viewers) this.show(viewer, slot)
  }

  showLid() {
    if (!CHEST_LIKE.includes(this.name)) return
    this.serv.setBlockAction(this.serv.overworld, this.position, 1, this.viewers.size)
  }

  /** Ends the container with its block. @returns {any[]} the items it held */
  destroy() {
    for (const player of [...this.viewers]) {
      player._client.write('close_window', { windowId: player.opened.window.id })
      player.closeContainer()
    }
    return this.slots.filter(Boolean)
  }
}

/** @param {any} serv */
export function server(serv) {
  /** @type {Map<string, Container>} */
  serv.containers = new Map()

  /** @param {any} position @returns {Container | null} null where no container block stands */
  serv.containerAt = (position) => {
    const block = blockAt(serv, position)
    if (!block || !KINDS.includes(block.name)) return null
    const existing = serv.containers.get(key(position))
    if (existing) return existing
    const made = new Container(serv, block.name, position)
    serv.containers.set(key(position), made)
    return made
  }

  /** Forgets the container of a block that goes. @param {any} position @returns {any[]} its items */
  serv.removeContainer = (position) => {
    const container = serv.containers.get(key(position))
    serv.containers.delete(key(position))
    return container ? container.destroy() : []
  }

  serv.once('asap', () => {
    for (const name of KINDS) {
      serv.onBlockInteraction(name, (/** @type {any} */ { block, player }) => {
        const blocked = CHEST_LIKE.includes(name) && isSolid(serv, block.position.offset(0, 1, 0))
        if (player.crouching || blocked) return !player.crouching
        player.openContainer(serv.containerAt(block.position.clone()))
        return true
      })
    }
  })
}

/**
 * The container blocks of a column, as a chunk packet lists them (clients draw no chest without).
 * @param {any} serv
 * @param {number} chunkX
 * @param {number} chunkZ
 */
export function blockEntitiesIn(serv, chunkX, chunkZ) {
  return [...serv.containers.values()]
    .filter(({ position }) => position.x >> 4 === chunkX && position.z >> 4 === chunkZ)
    .map(({ name, position }) => ({
      x: position.x & 15,
      z: position.z & 15,
      y: position.y,
      type: /** @type {Record<string, number>} */ (BLOCK_ENTITY_TYPES)[name],
      nbtData: undefined
    }))
}
