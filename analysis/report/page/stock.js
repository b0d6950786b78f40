/** Numbers of blocks, by column and in total, as reported by the world itself. */

/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./model.js').Change} Change */

/**
 * Return the number of each block in each column at a moment.
 * @param {Model} model @param {number} t @returns {Change[]}
 */
export function standing(model, t) {
  const world = model.world(t)
  const found = new Map(built(world).map((column) => [keyOf(column), column]))
  for (const change of model.columns) {
    if (change.t > t) break
    if (change.t >= world.t) found.set(keyOf(change), change)
  }
  return [...found.values()].filter(({ count }) => count > 0)
}

/**
 * Return the total number of each block over time, for blocks that ever changed.
 * @param {Model} model @returns {Map<string, [number, number][]>}
 */
export function stock(model) {
  /** @type {Map<string, [number, number][]>} */
  const found = new Map()
  const worlds = model.worlds.map((world, k) => ({
    world,
    end: model.worlds[k + 1]?.t ?? Infinity
  }))
  let at = 0
  for (const { world, end } of worlds) {
    const counts = new Map(built(world).map((column) => [keyOf(column), column.count]))
    const sums = new Map()
    for (const { block, count } of built(world)) sums.set(block, (sums.get(block) ?? 0) + count)
    for (const block of found.keys()) if (!sums.has(block)) sums.set(block, 0)
    for (const [block, sum] of sums) {
      found.set(block, [...(found.get(block) ?? []), [world.t, sum]])
    }
    for (; at < model.columns.length && model.columns[at].t < end; at++) {
      const change = model.columns[at]
      if (change.t < world.t) continue
      if (!sums.has(change.block)) {
        sums.set(change.block, 0)
        found.set(change.block, [...(found.get(change.block) ?? []), [world.t, 0]])
      }
      const sum = sums.get(change.block) + change.count - (counts.get(keyOf(change)) ?? 0)
      counts.set(keyOf(change), change.count)
      sums.set(change.block, sum)
      found.get(change.block)?.push([change.t, sum])
    }
  }
  return new Map([...found].filter(([, points]) => new Set(points.map(([, y]) => y)).size > 1))
}

/** Return a world's initial blocks by column. @param {any} world @returns {Change[]} */
function built(world) {
  /** @type {Map<string, Change>} */
  const found = new Map()
  for (const [block, places] of Object.entries(world.blocks)) {
    for (const [x, , z] of places) {
      const first = { t: world.t, block, x: Math.floor(x), z: Math.floor(z), count: 0 }
      const column = found.get(keyOf(first)) ?? first
      column.count++
      found.set(keyOf(column), column)
    }
  }
  return [...found.values()]
}

/** @param {Change} column */
const keyOf = ({ block, x, z }) => `${x},${z},${block}`
