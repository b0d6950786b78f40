/** Names of items: custom names, and names that depend on an item's tag. */
import { registry } from './index.js'
import { plainOf } from './snbt.js'
import { componentOf, nameOfItem, translated } from './texts.js'

/** @import { Component, Item, Tag } from '../types/index.d.ts' */

/** Colours in the order of their numbers in tags. */
const COLOURS = [
  ...['white', 'orange', 'magenta', 'light_blue', 'yellow', 'lime', 'pink', 'gray', 'light_gray'],
  ...['cyan', 'purple', 'blue', 'brown', 'green', 'red', 'black']
]
/** Stronger and longer potions have the same names as the usual ones. */
const STRONGER = /^(minecraft:)?((long|strong)_)?/

/** @param {Item} item @param {Tag | undefined} tag @returns {Component} */
function nameOfPotion({ name }, tag) {
  const potion = String(plainOf(tag, 'Potion') ?? '').replace(STRONGER, '')
  const key = `item.minecraft.${name}.effect.${potion}`
  return translated(key in registry.language ? key : `item.minecraft.${name}.effect.empty`)
}

/**
 * Items whose name depends on their tag; null means the usual name.
 * @type {Record<string, (item: Item, tag: Tag | undefined) => Component | null>}
 */
const BY_TAG = {
  potion: nameOfPotion,
  splash_potion: nameOfPotion,
  lingering_potion: nameOfPotion,
  tipped_arrow: nameOfPotion,
  written_book: (_, tag) => {
    const title = String(plainOf(tag, 'title') ?? '')
    return title.trim() ? { text: title } : null
  },
  player_head: (_, tag) => {
    const owner = plainOf(tag, 'SkullOwner')
    const name = typeof owner === 'string' ? owner : owner?.Name
    return name ? translated('block.minecraft.player_head.named', String(name)) : null
  },
  shield: (_, tag) => {
    const banner = plainOf(tag, 'BlockEntityTag')
    return banner ? translated(`item.minecraft.shield.${COLOURS[banner.Base ?? 0]}`) : null
  },
  compass: (_, tag) =>
    plainOf(tag, 'LodestonePos') ? translated('item.minecraft.lodestone_compass') : null
}

/** @param {Item} item @returns {Component} its displayed name: the custom one, or that of its kind */
export const nameOfStack = (item) =>
  item.customName === null ? usualNameOf(item) : componentOf(item.customName)

/** @param {Item} item @returns {Component} its name without any custom name */
function usualNameOf(item) {
  const tag = /** @type {Tag | undefined} */ (item.nbt ?? undefined)
  return BY_TAG[item.name]?.(item, tag) ?? nameOfItem(item.name)
}

/**
 * Return an item's name in brackets, with a custom name in italics.
 * @param {Item} item @returns {Component}
 */
export const inBrackets = (item) => ({
  ...translated('chat.square_brackets', {
    text: '',
    ...(item.customName === null ? {} : { italic: true }),
    extra: [nameOfStack(item)]
  }),
  color: 'white'
})
