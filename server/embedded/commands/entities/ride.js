import { nameOfEntity } from '../../minecraft/texts.js'
import { CommandError, said } from '../replies.js'

/** @import { Entity } from '../../types/index.d.ts' */

/**
 * Return true if the rider rides the vehicle, directly or through another entity.
 * @param {Entity} vehicle @param {Entity} rider @returns {boolean}
 */
const isOn = (vehicle, rider) =>
  vehicle === rider || (vehicle.vehicle !== null && isOn(vehicle.vehicle, rider))

/** @type {import('../index.js').Command} */
export const command = {
  names: ['ride'],
  run: ({ serv, args }) => {
    const rider = args.entity()
    const what = args.oneOf(['mount', 'dismount'])
    if (what === 'dismount') {
      args.end()
      const { vehicle } = rider
      if (!vehicle) throw new CommandError('commands.ride.not_riding', nameOfEntity(rider))
      serv.dismount(rider)
      return said('commands.ride.dismount.success', nameOfEntity(rider), nameOfEntity(vehicle))
    }
    const vehicle = args.entity()
    args.end()
    const names = [nameOfEntity(rider), nameOfEntity(vehicle)]
    if (rider.vehicle) {
      const other = nameOfEntity(rider.vehicle)
      throw new CommandError('commands.ride.already_riding', names[0], other)
    }
    if (vehicle.type === 'player')
      throw new CommandError('commands.ride.mount.failure.cant_ride_players')
    if (isOn(vehicle, rider)) throw new CommandError('commands.ride.mount.failure.loop')
    serv.mount(rider, vehicle)
    return said('commands.ride.mount.success', ...names)
  }
}
