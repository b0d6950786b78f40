/**
 * Portals: fire lights an obsidian frame, and breaking the frame removes the portal. A player who
 * stands in it long enough arrives at the nearest portal in the other dimension; if none is near,
 * one is built (minecraft.wiki: Nether portal).
 */
import { registry, Vec3 } from '../minecraft/index.js'
import {
  FACES,
  isSolid,
  key,
  positionOf,
  propertiesOf,
  stateAt,
  blockAt,
  stateOf
} from '../blocks/blocks.js'
import { across, dimensionAt, NETHER, OVERWORLD } from './dimensions.js'
import { CREATIVE, SPECTATOR } from '../players/game-modes.js'
import { blocksIn } from '../blocks/scan.js'

/** @import { Player, Server } from '../types/index.d.ts' */

const FIRE = /^(soul_)?fire$/
/** Ticks that a player must stay in a portal before the transfer. */
const WAIT = { creative: 1, mortal: 80 }
/** Ticks that a player must stay outside portals before the next transfer. */
const COOLDOWN_TICKS = 10
/** Search radius for a portal around the target, in blocks. @type {Record<string, number>} */
const REACH = { [NETHER]: 16, [OVERWORLD]: 128 }
/** For new portals: search radius, and the height range to use if there is no room. */
const ROOM = { radius: 16, lowest: 70, roof: 118 }
const SIZE = { width: 2, height: 3 }
const { width: WIDTH, height: HEIGHT } = SIZE

/** @param {Server} serv */
export function server(serv) {
  /** Portal cells in loaded columns. @type {Set<string>} */
  const portals = new Set()
  /** Positions where fires were lit since the last tick. @type {Vec3[]} */
  const lit = []
  const { id } = registry.blocksByName[PORTAL]
  const isPortal = (/** @type {number} */ state) => registry.blocksByStateId[state].id === id
  serv.on('blockChanged', (position, before, after) => {
    if (isPortal(after)) portals.add(key(position))
    else if (isPortal(before)) portals.delete(key(position))
    if (FIRE.test(registry.blocksByStateId[after].name)) lit.push(position)
    else if (!isPortal(after) && portals.size) goOut(serv, position, portals)
  })
  serv.on('columnRestored', (x, z) => {
    for (const { position } of blocksIn(serv, x, z, (name) => name === PORTAL))
      portals.add(key(position))
  })

  serv.on('tick', () => {
    for (const place of lit.splice(0)) light(serv, place)
    if (!portals.size) return
    for (const player of serv.players) {
      if (player.spawned && !player.isDead && !player.vehicle) wait(serv, player, portals)
    }
  })
}

/** @param {Player} player */
export function player(player) {
  Object.assign(player, { portalTicks: 0, portalCooldown: 0 })
}

/** @param {Server} serv @param {Vec3} place of a fire */
function light(serv, place) {
  if (!FIRE.test(registry.blocksByStateId[stateAt(serv.overworld, place)].name)) return
  const opening = openingAt(serv, place, 'x') ?? openingAt(serv, place, 'z')
  if (opening) fillOpening(serv, opening)
}

/**
 * Remove portals beside a changed block whose frame is incomplete.
 * @param {Server} serv @param {Vec3} changed @param {Set<string>} portals
 */
function goOut(serv, changed, portals) {
  for (const face of FACES) {
    const cell = changed.plus(face)
    if (!portals.has(key(cell))) continue
    const axis = /** @type {Axis} */ (propertiesOf(stateAt(serv.overworld, cell)).axis)
    const isAside = face.y === 0 && (axis === 'x') !== (face.x !== 0)
    const opening = isAside ? null : openingAt(serv, cell, axis)
    const isWhole =
      isAside || opening
        ? !opening || cellsIn(opening).every((one) => portals.has(key(one)))
        : false
    if (!isWhole) serv.setBlock(cell, 0)
  }
}

/**
 * Process one tick for a player, inside or outside a portal.
 * @param {Server} serv @param {Player} player @param {Set<string>} portals
 */
function wait(serv, player, portals) {
  const isIn = portals.has(key(player.position.floored()))
  if (!isIn) {
    player.portalTicks = 0
    player.portalCooldown = Math.max(0, player.portalCooldown - 1)
    return
  }
  if (player.gameMode === SPECTATOR) return
  if (player.portalCooldown) return void (player.portalCooldown = COOLDOWN_TICKS)
  player.portalTicks += 1
  if (player.portalTicks < (player.gameMode === CREATIVE ? WAIT.creative : WAIT.mortal)) return
  player.portalTicks = 0
  player.portalCooldown = COOLDOWN_TICKS
  const other = dimensionAt(player.position) === NETHER ? OVERWORLD : NETHER
  const wanted = across(player.position, other).floored()
  const exit = nearest(portals, wanted, other) ?? makePortal(serv, wanted)
  player.shutWindow()
  player.teleport(exit.offset(0.5, 0, 0.5))
}

/**
 * Return the lowest cell of the nearest portal.
 * @param {Set<string>} portals @param {Vec3} wanted @param {string} dimension
 */
function nearest(portals, wanted, dimension) {
  /** @type {Vec3 | null} */
  let found = null
  for (const text of portals) {
    const cell = positionOf(text)
    if (dimensionAt(cell) !== dimension || portals.has(key(cell.offset(0, -1, 0)))) continue
    const across = Math.max(Math.abs(cell.x - wanted.x), Math.abs(cell.z - wanted.z))
    const isNearer = !found || cell.distanceTo(wanted) < found.distanceTo(wanted)
    if (across <= REACH[dimension] && isNearer) found = cell
  }
  return found
}

/** @param {Server} serv @param {Vec3} wanted @returns {Vec3} its lowest cell */
function makePortal(serv, wanted) {
  const { radius } = ROOM
  serv.loadBox(wanted.offset(-radius - 1, 0, -radius - 1), wanted.offset(radius + 4, 0, radius + 1))
  const place = roomNear(serv, wanted) ?? platform(serv, wanted)
  buildFrame(serv, place, SIZE)
  return place
}

/**
 * Find a position for a frame on solid ground with free space.
 * @param {Server} serv @param {Vec3} wanted @returns {Vec3 | null} the nearest position
 */
function roomNear(serv, wanted) {
  const isNether = dimensionAt(wanted) === NETHER
  const top = isNether ? ROOM.roof : 300
  const fits = (/** @type {Vec3} */ place) => {
    for (let x = -1; x <= WIDTH; x++) {
      if (!isSolid(serv, place.offset(x, -1, 0))) return false
      for (let y = 0; y <= HEIGHT; y++)
        if (stateAt(serv.overworld, place.offset(x, y, 0))) return false
    }
    return true
  }
  for (let ring = 0; ring <= ROOM.radius; ring++) {
    for (let dx = -ring; dx <= ring; dx++) {
      for (let dz = -ring; dz <= ring; dz++) {
        if (Math.max(Math.abs(dx), Math.abs(dz)) !== ring) continue
        const column = wanted.offset(dx, 0, dz)
        const open = Math.min(top, isNether ? top : serv.openHeightAt(column))
        for (let y = open; y > (isNether ? 1 : -60); y--) {
          const place = new Vec3(column.x, y, column.z)
          if (isSolid(serv, place.offset(0, -1, 0)) && fits(place)) return place
          if (!isNether && isSolid(serv, place)) break // in the overworld only under the open sky
        }
      }
    }
  }
  return null
}

/** Clear room and build a floor of obsidian. @param {Server} serv @param {Vec3} wanted */
function platform(serv, wanted) {
  const y = Math.min(ROOM.roof, Math.max(ROOM.lowest, wanted.y))
  const place = new Vec3(wanted.x, y, wanted.z)
  for (let z = -1; z <= 1; z++) {
    for (let x = -1; x <= WIDTH; x++) {
      serv.setBlock(place.offset(x, -1, z), registry.blocksByName.obsidian.defaultState)
      for (let up = 0; up < HEIGHT; up++) serv.setBlock(place.offset(x, up, z), 0)
    }
  }
  return place
}

// Obsidian frames of portals (minecraft.wiki: Nether portal).

/** @typedef {'x' | 'z'} Axis */

const PORTAL = 'nether_portal'
const FRAME = 'obsidian'
const EMPTY = new Set(['air', 'cave_air', 'fire', 'soul_fire', PORTAL])
const LEAST = { width: 2, height: 3 }
const MOST = 21
/** @type {Record<Axis, Vec3>} */
const ALONG = { x: new Vec3(1, 0, 0), z: new Vec3(0, 0, 1) }

/**
 * Opening of a frame.
 * @typedef {object} Opening
 * @property {Vec3} corner its lowest cell in the west or north
 * @property {Axis} axis
 * @property {number} width
 * @property {number} height
 */

/**
 * Return the opening that contains a cell.
 * @param {Server} serv @param {Vec3} cell @param {Axis} axis @returns {Opening | null}
 */
function openingAt(serv, cell, axis) {
  const isEmpty = (/** @type {Vec3} */ at) => EMPTY.has(blockAt(serv, at).name)
  const isFrame = (/** @type {Vec3} */ at) => blockAt(serv, at).name === FRAME
  const along = ALONG[axis]
  const at = (/** @type {Vec3} */ from, /** @type {number} */ aside, /** @type {number} */ up) =>
    from.plus(along.scaled(aside)).offset(0, up, 0)
  if (!isEmpty(cell)) return null
  let low = cell
  while (cell.y - low.y < MOST && isEmpty(at(low, 0, -1))) low = at(low, 0, -1)
  /**
   * Count the cells along the frame's bottom up to its side.
   * @param {Vec3} from @param {1 | -1} way
   */
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
function cellsIn({ corner, axis, width, height }) {
  const cells = []
  for (let aside = 0; aside < width; aside++) {
    for (let up = 0; up < height; up++)
      cells.push(corner.plus(ALONG[axis].scaled(aside)).offset(0, up, 0))
  }
  return cells
}

/** @param {Server} serv @param {Opening} opening */
function fillOpening(serv, opening) {
  const portal = stateOf(registry.blocksByName[PORTAL], { axis: opening.axis })
  for (const cell of cellsIn(opening)) serv.setBlock(cell, portal)
}

/**
 * Build a frame with its portal.
 * @param {Server} serv @param {Vec3} corner @param {{width: number, height: number}} size
 */
function buildFrame(serv, corner, { width, height }) {
  const { defaultState } = registry.blocksByName[FRAME]
  for (let aside = -1; aside <= width; aside++) {
    for (let up = -1; up <= height; up++) {
      const isInside = aside >= 0 && aside < width && up >= 0 && up < height
      if (!isInside) serv.setBlock(corner.offset(aside, up, 0), defaultState)
    }
  }
  fillOpening(serv, { corner, axis: 'x', width, height })
}
