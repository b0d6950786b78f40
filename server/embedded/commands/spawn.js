import { dimensionAt, shown } from '../plugins/dimensions.js'
import { oneOrMany } from '../texts.js'
import { Reply, said, told } from './replies.js'

const ANGLE = '0.0'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['setworldspawn'],
  run: ({ serv, args }) => {
    const position = args.done ? args.origin().floored() : args.blockPosition()
    if (!args.done) args.coordinate(0)
    args.end()
    serv.worldSpawn = position.offset(0.5, 0, 0.5)
    serv.send(serv.players, 'spawn_position', { location: position, angle: 0 })
    return said('commands.setworldspawn.success', position.x, position.y, position.z, ANGLE)
  }
}

/** @type {import('./index.js').Command} */
export const spawnpoint = {
  names: ['spawnpoint'],
  run: ({ args }) => {
    const players = args.playersOrSelf()
    const at = args.done ? args.origin().floored() : args.blockPosition()
    if (!args.done) args.coordinate(0)
    args.end()
    for (const player of players) Object.assign(player, { spawnPoint: at, isBedSpawn: false })
    const before = [...shown(at).toArray(), ANGLE, dimensionAt(at)]
    return new Reply(oneOrMany('commands.spawnpoint.success', players, { before }))
  }
}

/** @type {import('./index.js').Command} */
export const seed = {
  names: ['seed'],
  run: ({ serv, args }) => {
    args.end()
    return told('commands.seed.success', `[${serv.seed}]`).worth(serv.seed)
  }
}
