/** Respawn positions beside a bed, in vanilla's order of search (minecraft.wiki: Bed). */
import { Vec3 } from '../minecraft/index.js'
import { blockAt, FACES, propertiesOf, stateAt } from './blocks.js'
import { shapesOf } from '../entities/collisions.js'
import { DIRECTIONS } from './orientation.js'

/** @import { Server } from '../types/index.d.ts' */

const BODY = { half: 0.3, height: 1.8 }
/** Offsets around a bed, sideways and lengthwise from its head. */
const AROUND = [
  ...[0, -1, -2].map((along) => [1, along]),
  [0, -2],
  ...[-2, -1, 0, 1].map((along) => [-1, along]),
  [0, 1],
  [1, 1]
]
/** Positions on the bed itself. */
const ABOVE = [
  [0, 0],
  [0, -1]
]
const DANGER =
  /^(fire|soul_fire|lava|magma_block|(soul_)?campfire|cactus|wither_rose|sweet_berry_bush|powder_snow)$/

/**
 * Return the first free position, preferably a safe one.
 * @param {Server} serv @param {Vec3} head of the bed
 * @param {number} yaw of the sleeping player, in degrees
 * @returns {Vec3 | null} null if all are taken, or there is no bed
 */
export function respawnPlaceBeside(serv, head, yaw) {
  serv.loadBox(head.offset(-2, 0, -2), head.offset(2, 0, 2))
  if (!isBed(serv, head)) return null
  const along = FACES[DIRECTIONS.indexOf(propertiesOf(stateAt(serv.overworld, head)).facing)]
  const right = new Vec3(-along.z, 0, along.x)
  const turn = (yaw * Math.PI) / 180
  const isRightAhead = right.x * -Math.sin(turn) + right.z * Math.cos(turn) > 0
  const side = isRightAhead ? right.scaled(-1) : right
  const isBunk = isBed(serv, head.offset(0, -1, 0))
  const cells = [
    ...AROUND.map(([aside, ahead]) => [aside, 0, ahead]),
    ...(isBunk ? AROUND.map(([aside, ahead]) => [aside, -1, ahead]) : []),
    ...ABOVE.map(([aside, ahead]) => [aside, 0, ahead])
  ].map(([aside, up, ahead]) =>
    head.plus(side.scaled(aside)).plus(along.scaled(ahead)).offset(0, up, 0)
  )
  const free = cells.flatMap((cell) => standIn(serv, cell) ?? [])
  return free.find(({ isSafe }) => isSafe)?.place ?? free[0]?.place ?? null
}

/** @param {Server} serv @param {Vec3} position */
export const isBed = (serv, position) => blockAt(serv, position)?.name.endsWith('_bed') ?? false

/**
 * Return the position at which a body can stand in a cell, or null.
 * @param {Server} serv @param {Vec3} cell
 */
function standIn(serv, cell) {
  const below = cell.offset(0, -1, 0)
  const own = heightOf(serv, cell)
  const floor = own > 0 ? own : heightOf(serv, below) - 1
  if (floor < 0 || floor >= 1) return null
  const place = cell.offset(0.5, floor, 0.5)
  if (!hasRoom(serv, place)) return null
  const isSafe = ![cell, ...(floor > 0 ? [] : [below])].some((at) =>
    DANGER.test(blockAt(serv, at).name)
  )
  return { place, isSafe }
}

/**
 * Return the height of a block's top; 0 if it cannot be stood on.
 * @param {Server} serv @param {Vec3} cell
 */
const heightOf = (serv, cell) =>
  Math.max(0, ...shapesOf(stateAt(serv.overworld, cell)).map(([, , , , top]) => top))

/** @param {Server} serv @param {Vec3} feet */
function hasRoom(serv, { x, y, z }) {
  const { half, height } = BODY
  for (let cy = Math.floor(y) - 1; cy < y + height; cy++) {
    // a body in the middle of the cell touches no other cell
    const cell = new Vec3(Math.floor(x), cy, Math.floor(z))
    const isIn = shapesOf(stateAt(serv.overworld, cell)).some(
      ([west, bottom, north, east, top, south]) =>
        cell.x + west < x + half &&
        cell.x + east > x - half &&
        cell.z + north < z + half &&
        cell.z + south > z - half &&
        cy + bottom < y + height &&
        cy + top > y + 1e-6
    )
    if (isIn) return false
  }
  return true
}
