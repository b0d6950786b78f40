/** Books: writing and signing. */
import { Item, nbt, registry } from '../minecraft/index.js'
import { HOTBAR_START, OFF_HAND } from '../windows/window.js'

/** @import { ItemTag, Player } from '../types/index.d.ts' */

const MOST_PAGES = 100
const LONGEST_PAGE = 1024
const LONGEST_TITLE = 32
const OFF_HAND_SLOT = 40

/** @param {Player} player */
export function player(player) {
  player._client.on('edit_book', ({ hand, pages, title }) => {
    if (player.isDead || (hand !== OFF_HAND_SLOT && (hand < 0 || hand > 8))) return
    const slot = hand === OFF_HAND_SLOT ? OFF_HAND : HOTBAR_START + hand
    if (player.inventory.slots[slot]?.name !== 'writable_book') return
    const kept = pages.slice(0, MOST_PAGES).map((page) => page.slice(0, LONGEST_PAGE))
    const text = title === undefined ? written(kept) : signed(kept, title, player.username)
    const name = title === undefined ? 'writable_book' : 'written_book'
    const tag = /** @type {ItemTag} */ (/** @type {unknown} */ ({ ...text, name: '' }))
    player.inventory.set(slot, new Item(registry.itemsByName[name].id, 1, 0, tag))
  })

  player._client.on('use_item', ({ hand }) => {
    const item = hand === 0 ? player.heldItem : player.inventory.slots[OFF_HAND]
    if (item?.name === 'written_book') player._client.write('open_book', { hand })
  })
}

/** @param {string[]} pages */
const written = (pages) => nbt.comp({ pages: listOf(pages) })

/** @param {string[]} pages @param {string} title @param {string} author */
const signed = (pages, title, author) =>
  nbt.comp({
    pages: listOf(pages.map((page) => JSON.stringify({ text: page }))),
    title: nbt.string(title.slice(0, LONGEST_TITLE)),
    author: nbt.string(author),
    resolved: nbt.byte(1)
  })

/** @param {string[]} texts */
const listOf = (texts) => nbt.list(nbt.string(texts))
