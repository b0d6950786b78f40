/**
 * Portals: who stands in one long enough comes out of the nearest one of the other dimension; where there is
 * none, one is made, in a frame of obsidian (minecraft.wiki: Nether portal).
 */
import { registry, Vec3 } from '../minecraft.js'
import { blockAt, isSolid, key, positionOf, stateAt, stateOf } from './blocks.js'
import { across, dimensionAt, NETHER, OVERWORLD } from './dimensions.js'
import { CREATIVE, SPECTATOR } from './game-modes.js'
import { blocksIn } from './scan.js'

/** @import { Player, Server } from '../types.d.ts' */

const PORTAL = 'nether_portal'
/** Ticks in a portal until one goes through. */
const WAIT = { creative: 1, mortal: 80 }
/** Ticks out of portals until one may go through the next. */
const COOLDOWN_TICKS = 10
/** How far from where one should come out a portal may be, in blocks. @type {Record<string, number>} */
const REACH = { [NETHER]: 16, [OVERWORLD]: 128 }
/** A new one: how far it may be from there, and where it is if there is no room. */
const ROOM = { radius: 16, lowest: 70, roof: 118 }
const [WIDTH, HEIGHT] = [2, 3]

/** @param {Server} serv */
export function server(serv) {
  /** Cells of portals in loaded columns. @type {Set<string>} */
  const portals = new Set()
  const { id } = registry.blocksByName[PORTAL]
  const isPortal = (/** @type {number} */ state) => registry.blocksByStateId[state].id === id
  serv.on('blockChanged', (position, before, after) => {
    if (isPortal(after)) portals.add(key(position))
    else if (isPortal(before)) portals.delete(key(position))
  })
  serv.on('columnRestored', (x, z) => {
    for (const { position } of blocksIn(serv, x, z, (name) => name === PORTAL))
      portals.add(key(position))
  })

  serv.on('tick', () => {
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

/** One tick of a player in or out of a portal. @param {Server} serv @param {Player} player @param {Set<string>} portals */
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

/** The lowest cell of the nearest portal. @param {Set<string>} portals @param {Vec3} wanted @param {string} dimension */
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
  const obsidian = registry.blocksByName.obsidian.defaultState
  const portal = stateOf(registry.blocksByName[PORTAL], { axis: 'x' })
  for (let x = -1; x <= WIDTH; x++) {
    for (let y = -1; y <= HEIGHT; y++) {
      const isFrame = x < 0 || x === WIDTH || y < 0 || y === HEIGHT
      if (isFrame) serv.setBlock(place.offset(x, y, 0), obsidian)
    }
  }
  for (let x = 0; x < WIDTH; x++) {
    for (let y = 0; y < HEIGHT; y++) serv.setBlock(place.offset(x, y, 0), portal)
  }
  return place
}

/** Where a frame stands on solid ground with nothing in it. @param {Server} serv @param {Vec3} wanted @returns {Vec3 | null} the nearest such place */
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
          if (!isNether && isSolid(serv, place)) break // in the overworld, in the open
        }
      }
    }
  }
  return null
}

/** Makes room, and ground of obsidian. @param {Server} serv @param {Vec3} wanted */
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
