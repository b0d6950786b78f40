/** Cells of the plane that dropped items are sorted into, so that near ones are found fast. */

/** @import { Drop, Position } from '../types.d.ts' */

const CELL = 4

/** @param {Position} position */
export const cellOf = ({ x, z }) => `${Math.floor(x / CELL)},${Math.floor(z / CELL)}`

/**
 * @param {Iterable<Drop>} drops
 * @param {(drop: Drop) => string | null} keyOf null leaves a drop out
 * @returns {Map<string, Drop[]>}
 */
export function grouped(drops, keyOf) {
  const groups = new Map()
  for (const drop of drops) {
    const key = keyOf(drop)
    if (key === null) continue
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(drop)
  }
  return groups
}

/** The drops within half a cell of a place, and some more. @param {Map<string, Drop[]>} cells @param {Position} place */
export function* nearby(cells, { x, y, z }) {
  for (const dx of [-2, 2]) {
    for (const dz of [-2, 2]) yield* cells.get(cellOf({ x: x + dx, y, z: z + dz })) ?? []
  }
}
