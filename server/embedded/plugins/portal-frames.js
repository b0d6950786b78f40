/** Frames of obsidian in which portals stand (minecraft.wiki: Nether portal). */
import { registry, Vec3 } from '../minecraft.js'
import { blockAt, stateOf } from './blocks.js'

/** @import { Server } from '../types.d.ts' */
/** @typedef {'x' | 'z'} Axis */

export const PORTAL = 'nether_portal'
const FRAME = 'obsidian'
const EMPTY = new Set(['air', 'cave_air', 'fire', 'soul_fire', PORTAL])
const LEAST = { width: 2, height: 3 }
const MOST = 21
/** @type {Record<Axis, Vec3>} */
const ALONG = { x: new Vec3(1, 0, 0), z: new Vec3(0, 0, 1) }

/**
 * What a frame leaves open.
 * @typedef {object} Opening
 * @property {Vec3} corner its lowest cell in the west or north
 * @property {Axis} axis
 * @property {number} width
 * @property {number} height
 */

/** The opening that a cell is in. @param {Server} serv @param {Vec3} cell @param {Axis} axis @returns {Opening | null} */
export function openingAt(serv, cell, axis) {
  const isEmpty = (/** @type {Vec3} */ at) => EMPTY.has(blockAt(serv, at).name)
  const isFrame = (/** @type {Vec3} */ at) => blockAt(serv, at).name === FRAME
  const along = ALONG[axis]
  const at = (/** @type {Vec3} */ from, /** @type {number} */ aside, /** @type {number} */ up) =>
    from.plus(along.scaled(aside)).offset(0, up, 0)
  if (!isEmpty(cell)) return null
  let low = cell
  while (cell.y - low.y < MOST && isEmpty(at(low, 0, -1))) low = at(low, 0, -1)
  /** How many cells there are on the frame's bottom up to its side. @param {Vec3} from @param {1 | -1} way */
  const run = (from, way) => {
    for (let count = 0; count <= MOST; count++) {
      const here = at(from, way * count, 0)
      if (!isEmpty(here)) return isFrame(here) ? count : 0
      if (!isFrame(at(here, 0, -1))) return 0
    }
    return 0
  }
  const left = run(low, -1)
  if (!left) return null
  const corner = at(low, 1 - left, 0)
  const width = run(corner, 1)
  if (width < LEAST.width || width > MOST) return null
  const row = Array.from({ length: width }, (_, aside) => aside)
  let height = 0
  const isOpen = () =>
    isFrame(at(corner, -1, height)) &&
    isFrame(at(corner, width, height)) &&
    row.every((aside) => isEmpty(at(corner, aside, height)))
  while (height <= MOST && isOpen()) height++
  const isShut = row.every((aside) => isFrame(at(corner, aside, height)))
  return isShut && height >= LEAST.height && height <= MOST ? { corner, axis, width, height } : null
}

/** @param {Opening} opening @returns {Vec3[]} */
export function cellsIn({ corner, axis, width, height }) {
  const cells = []
  for (let aside = 0; aside < width; aside++) {
    for (let up = 0; up < height; up++)
      cells.push(corner.plus(ALONG[axis].scaled(aside)).offset(0, up, 0))
  }
  return cells
}

/** @param {Server} serv @param {Opening} opening */
export function fillOpening(serv, opening) {
  const portal = stateOf(registry.blocksByName[PORTAL], { axis: opening.axis })
  for (const cell of cellsIn(opening)) serv.setBlock(cell, portal)
}

/** Builds a frame, and the portal in it. @param {Server} serv @param {Vec3} corner @param {{width: number, height: number}} size */
export function buildFrame(serv, corner, { width, height }) {
  const { defaultState } = registry.blocksByName[FRAME]
  for (let aside = -1; aside <= width; aside++) {
    for (let up = -1; up <= height; up++) {
      const isInside = aside >= 0 && aside < width && up >= 0 && up < height
      if (!isInside) serv.setBlock(corner.offset(aside, up, 0), defaultState)
    }
  }
  fillOpening(serv, { corner, axis: 'x', width, height })
}
