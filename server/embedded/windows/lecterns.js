/**
 * Lecterns: a lectern has a book that players read page by page and can take (minecraft.wiki:
 * Lectern). All readers see the same page.
 */
import { Store } from './store.js'
import { Slot } from './slot.js'
import { Window } from './window.js'
import { copyOf } from './store.js'
import { blockAt, key } from '../blocks/blocks.js'
import { ADVENTURE } from '../players/game-modes.js'

/** @import { Container } from '../types/additions.d.ts' */
/** @import { Item, Player, Server, Vec3 } from '../types/index.d.ts' */

const NAME = 'lectern'
const BOOK = /^(writable|written)_book$/
/** Numbers of the buttons; numbers from 100 on select a page. */
const BUTTON = { back: 1, ahead: 2, take: 3, page: 100 }

/** Open windows of lecterns. @type {WeakMap<Window, {position: Vec3, lectern: Container}>} */
const opened = new WeakMap()

/** @param {Server} serv */
export function server(serv) {
  serv.lecternAt = (position) => {
    if (blockAt(serv, position)?.name !== NAME) return null
    const known = serv.containers.get(key(position))
    if (known) return known
    const made = { name: NAME, store: new Store(1), viewers: new Set() }
    serv.containers.set(key(position), made)
    return made
  }

  serv.once('asap', () => {
    serv.onUseBlock([NAME], (player, position) => {
      const lectern = /** @type {Container} */ (serv.lecternAt(position))
      if (lectern.store.slots[0]) open(player, position, lectern)
      else if (!layOn(serv, player, position, lectern)) return false
      return true
    })
  })
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  player._client.on('enchant_item', ({ windowId, enchantment: button }) => {
    const { window } = player
    const shown = opened.get(window)
    if (!shown || window.id !== windowId || player.isDead) return
    press(serv, player, shown, button)
    window.sendChanges(player.connection)
  })
}

/** @param {Server} serv @param {Player} player @param {Vec3} position @param {Container} lectern */
function layOn(serv, player, position, lectern) {
  const { heldItem: item } = player
  if (!item || !BOOK.test(item.name)) return false
  lectern.store.set(0, copyOf(item, 1))
  lectern.page = 0
  player.useUpHeld()
  serv.changeBlock(position, { has_book: 'true' })
  serv.playSound('item.book.put', position)
  return true
}

/** @param {Player} player @param {Vec3} position @param {Container} lectern */
function open(player, position, lectern) {
  const isNothing = () => false
  const slots = [new Slot(lectern.store, 0, { mayPlace: isNothing, mayTake: isNothing })]
  const window = new Window({
    type: 'minecraft:lectern',
    title: 'Lectern',
    slots,
    quickMoveTargets: () => [],
    onClose: () => void lectern.viewers.delete(player),
    properties: () => [[0, lectern.page ?? 0]]
  })
  opened.set(window, { position, lectern })
  lectern.viewers.add(player)
  player.openWindow(window)
}

/**
 * @param {Server} serv @param {Player} player @param {{position: Vec3, lectern: Container}} shown
 * @param {number} button
 */
function press(serv, player, { position, lectern }, button) {
  const [book] = lectern.store.slots
  if (!book || blockAt(serv, position)?.name !== NAME) return
  const { page = 0 } = lectern
  const turn = (/** @type {number} */ to) =>
    void (lectern.page = Math.max(0, Math.min(pagesOf(book) - 1, to)))
  if (button === BUTTON.back) turn(page - 1)
  else if (button === BUTTON.ahead) turn(page + 1)
  else if (button >= BUTTON.page) turn(button - BUTTON.page)
  else if (button === BUTTON.take && player.gameMode !== ADVENTURE) take(serv, player, position, lectern) // prettier-ignore
}

/** @param {Item} book @returns {number} number of pages, at least 1 */
function pagesOf({ nbt: tag }) {
  const list = /** @type {{value?: {value?: unknown[]}} | undefined} */ (tag?.value.pages)
  return Math.max(1, list?.value?.value?.length ?? 1)
}

/** @param {Server} serv @param {Player} player @param {Vec3} position @param {Container} lectern */
function take(serv, player, position, lectern) {
  const [book] = lectern.store.empty()
  serv.changeBlock(position, { has_book: 'false' })
  for (const viewer of [...lectern.viewers]) viewer.shutWindow()
  const left = player.giveItem(book)
  if (left) player.throwItem(left)
}
