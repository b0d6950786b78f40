/**
 * Crafting recipes from minecraft-data: the result of a grid of items, and remainders.
 *
 * minecraft-data lists a tag ("any planks") as one recipe per member. Shaped recipes that differ
 * only in such a member are merged, so that different kinds of planks can make a chest together, as
 * in vanilla.
 */
import { Item as ItemClass, itemNamed, registry } from '../minecraft/index.js'
import { copyOf } from '../windows/store.js'

/** @import { Ingredient, Item } from '../types/data.d.ts' */
/** @typedef {{width: number, height: number, cells: (Set<number> | null)[], result: {id: number, count: number}}} Shaped */

/** Item that an ingredient leaves in the grid. @type {Record<string, string>} */
const REMAINDERS = {
  water_bucket: 'bucket',
  lava_bucket: 'bucket',
  milk_bucket: 'bucket',
  honey_bottle: 'glass_bottle',
  dragon_breath: 'glass_bottle'
}

/** @param {Ingredient} cell @returns {number | null} item id */
const idOf = (cell) => (cell === null ? null : typeof cell === 'object' ? cell.id : cell)

const { shaped, shapeless } = loadRecipes()

function loadRecipes() {
  /** @type {Map<string, Shaped>} */
  const merged = new Map()
  /** @type {Map<string, {id: number, count: number}>} */
  const shapeless = new Map()
  for (const recipe of Object.values(registry.recipes).flat()) {
    const { result } = recipe
    if (recipe.inShape) merge(merged, trimmed(recipe.inShape.map((row) => row.map(idOf))), result)
    else if (recipe.ingredients) shapeless.set(bag(recipe.ingredients.map(idOf)), result)
  }
  return { shaped: [...merged.values()], shapeless }
}

/**
 * @param {Map<string, Shaped>} merged @param {(number | null)[][]} rows
 * @param {{id: number, count: number}} result
 */
function merge(merged, rows, result) {
  const cells = rows.flat()
  const pattern = cells.map((id) => (id === null ? '.' : 'x')).join('')
  const key = `${result.id}×${result.count} ${rows[0].length} ${pattern}`
  const known = merged.get(key)
  if (!known) {
    const sets = cells.map((id) => (id === null ? null : new Set([id])))
    merged.set(key, { width: rows[0].length, height: rows.length, cells: sets, result })
  } else {
    cells.forEach((id, index) => id !== null && known.cells[index]?.add(id))
  }
}

/** @param {(number | null)[]} ids item ids; their order does not affect the key */
function bag(ids) {
  return [...ids].sort((a, b) => Number(a) - Number(b)).join(',')
}

/** Remove empty rows and columns at the edges. @param {(number | null)[][]} rows */
function trimmed(rows) {
  const width = Math.max(...rows.map((row) => row.length))
  let kept = rows.map((row) => Array.from({ length: width }, (_, x) => row[x] ?? null))
  const isEmpty = (/** @type {(number | null)[]} */ row) => row.every((id) => id === null)
  while (kept.length && isEmpty(kept[0])) kept = kept.slice(1)
  while (kept.length && isEmpty(kept[kept.length - 1])) kept = kept.slice(0, -1)
  while (kept.length && kept.every((row) => row[0] === null)) kept = kept.map((row) => row.slice(1))
  while (kept.length && kept.every((row) => row.at(-1) === null)) {
    kept = kept.map((row) => row.slice(0, -1))
  }
  return kept
}

/** @param {(Item | null)[]} grid row by row, 2×2 or 3×3 @returns {Item | null} the result */
export function craft(grid) {
  const side = Math.sqrt(grid.length)
  const ids = grid.map((item) => item?.type ?? null)
  if (ids.every((id) => id === null)) return null
  const rows = trimmed(Array.from({ length: side }, (_, y) => ids.slice(y * side, (y + 1) * side)))
  const cells = rows.flat()
  const [width, height] = [rows[0].length, rows.length]
  const found = shaped.find(
    (recipe) =>
      recipe.width === width &&
      recipe.height === height &&
      (fits(recipe.cells, cells) || fits(recipe.cells, mirrored(cells, width)))
  )
  const result = found?.result ?? shapeless.get(bag(ids.filter((id) => id !== null)))
  return result ? new ItemClass(result.id, result.count) : null
}

/** @param {(Set<number> | null)[]} recipe @param {(number | null)[]} cells */
const fits = (recipe, cells) =>
  cells.every((id, index) => (id === null ? recipe[index] === null : recipe[index]?.has(id)))

/** @param {(number | null)[]} cells @param {number} width */
const mirrored = (cells, width) =>
  cells.map((_, index) => cells[index - (index % width) + (width - 1 - (index % width))])

/** @param {Item} item a used ingredient @returns {Item | null} its remainder */
export function remainderOf(item) {
  const name = REMAINDERS[item.name]
  return name ? itemNamed(name) : null
}

/** @param {Item} item @param {number} count */
export const lessOf = (item, count) => copyOf(item, item.count - count)
