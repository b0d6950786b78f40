/** Blocks of a world's loaded columns, read without waiting, so that a check and its change are one. */

/** @param {{x: number, y: number, z: number}} position */
export const key = ({ x, y, z }) => `${x},${y},${z}`

/**
 * @param {any} world
 * @param {{x: number, y: number, z: number}} position whole numbers
 * @returns {number} block state id; 0 (air) where nothing is loaded
 */
export function stateAt(world, { x, y, z }) {
  const column = world.getLoadedColumn(x >> 4, z >> 4)
  if (!column) return 0
  return column.getBlockStateId({ x: x & 15, y, z: z & 15 }) ?? 0
}

/**
 * @param {any} serv
 * @param {{x: number, y: number, z: number}} position
 * @returns {any} minecraft-data's block
 */
export function blockAt(serv, position) {
  return serv.registry.blocksByStateId[stateAt(serv.overworld, position)]
}

/** @param {any} serv @param {{x: number, y: number, z: number}} position */
export const isSolid = (serv, position) => blockAt(serv, position)?.boundingBox === 'block'
