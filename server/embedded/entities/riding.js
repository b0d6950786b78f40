/**
 * Riding: riders move with their vehicle and get off by sneaking. A rider's client moves the
 * vehicles that it steers (boats, horses) and reports their position.
 */
import { BOUNDS, Vec3 } from '../minecraft/index.js'
import { isSolid } from '../blocks/blocks.js'
import { Budget, isWayFor } from '../players/movement.js'
import { seatsOf } from './sight.js'

/** @import { Entity, Player, Server } from '../types/index.d.ts' */

/** Flag for getting off in the steering packet. */
const GETS_OFF = 0x02
/** Positions around a vehicle where riders get off, best first. */
const BESIDE = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [0, 0]
]

/** @param {Server} serv */
export function server(serv) {
  serv.mount = (rider, vehicle) => {
    if (rider === vehicle || rider.vehicle === vehicle) return
    if (rider.vehicle) serv.dismount(rider)
    rider.vehicle = vehicle
    vehicle.passengers.push(rider)
    seat(serv, vehicle)
    tell(serv, vehicle)
  }

  serv.dismount = (rider) => {
    const vehicle = leaveSeat(serv, rider)
    if (!vehicle) return
    const place = placesBeside(serv, vehicle)
    if (rider.type === 'player') rider.teleport(place)
    else serv.moveEntity(rider, place, false)
  }

  serv.dismountAll = (vehicle) => {
    for (const rider of [...vehicle.passengers]) serv.dismount(rider)
  }

  serv.on('tick', () => {
    for (const player of serv.players) if (player.vehicle) seat(serv, player.vehicle)
  })
}

/** @param {Entity} entity */
export function entity(entity) {
  entity.vehicle = null
  entity.passengers = []
}

/** @param {Player} player @param {Server} serv */
export function player(player, serv) {
  const budget = new Budget(() => 'flying') // a boat on ice is faster than any player on foot
  player._client.on('steer_vehicle', ({ jump }) => {
    if (player.vehicle && jump & GETS_OFF) serv.dismount(player)
  })
  player._client.on('entity_action', ({ actionId }) => {
    if (actionId === 'start_sneaking' && player.vehicle) serv.dismount(player)
  })
  player._client.on('vehicle_move', ({ x, y, z, yaw, pitch }) => {
    const { vehicle } = player
    const to = new Vec3(x, y, z)
    const isPlace = [x, y, z, yaw, pitch].every((n) => Math.abs(n) < BOUNDS.edge)
    if (!vehicle || vehicle.passengers[0] !== player || !isPlace) return
    const isRight =
      budget.allows(vehicle.position, to) && isWayFor(serv, player, vehicle.position, to)
    if (!isRight || isSolid(serv, to.floored())) {
      const { position } = vehicle
      const place = { x: position.x, y: position.y, z: position.z }
      player._client.write('vehicle_move', { ...place, yaw: vehicle.yaw, pitch: vehicle.pitch })
      return
    }
    Object.assign(vehicle, { yaw, pitch, turnedTick: serv.tickCount })
    serv.moveEntity(vehicle, to, true)
    seat(serv, vehicle)
  })
  player._client.on('end', () => leaveSeat(serv, player))
}

/** @param {Server} serv @param {Entity} rider @returns {Entity | null} its vehicle */
function leaveSeat(serv, rider) {
  const { vehicle } = rider
  if (!vehicle) return null
  rider.vehicle = null
  vehicle.passengers = vehicle.passengers.filter((other) => other !== rider)
  tell(serv, vehicle)
  return vehicle
}

/** Move riders to their vehicle. @param {Server} serv @param {Entity} vehicle */
function seat(serv, vehicle) {
  for (const rider of vehicle.passengers) {
    if (!rider.position.equals(vehicle.position)) {
      serv.moveEntity(rider, vehicle.position.clone(), false)
    }
  }
}

/** @param {Server} serv @param {Entity} vehicle */
function tell(serv, vehicle) {
  const own = vehicle.type === 'player' ? [vehicle] : []
  serv.send([...vehicle.watchers, ...own], 'set_passengers', seatsOf(vehicle))
}

/** Return free positions next to a vehicle. @param {Server} serv @param {Entity} vehicle */
function placesBeside(serv, { position }) {
  const isFree = (/** @type {Vec3} */ place) =>
    !isSolid(serv, place.floored()) && !isSolid(serv, place.offset(0, 1, 0).floored())
  const places = BESIDE.map(([x, z]) => position.offset(x, 0, z))
  return places.find(isFree) ?? position.offset(0, 1, 0)
}
