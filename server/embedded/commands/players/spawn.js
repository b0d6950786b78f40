import { dimensionAt, OVERWORLD, shown } from '../../world/dimensions.js'
import { oneOrMany } from '../../minecraft/texts.js'
import { Reply, said, told } from '../replies.js'
import { floatText } from '../../minecraft/snbt.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['setworldspawn'],
  run: ({ serv, args }) => {
    const { position, angle } = readPlace(args)
    args.end()
    // As in vanilla, the world's spawn is always in the overworld, even if the command runs in
    // another dimension.
    if (dimensionAt(position) === OVERWORLD) serv.setWorldSpawn(position, angle)
    const { x, y, z } = shown(position)
    return said('commands.setworldspawn.success', x, y, z, floatText(angle))
  }
}

/** Read a block position and an angle. @param {import('../arguments/reader.js').Reader} args */
function readPlace(args) {
  const position = args.done ? args.origin().floored() : args.blockPosition()
  return { position, angle: args.done ? 0 : args.angle() }
}

/** @type {import('../index.js').Command} */
export const spawnpoint = {
  names: ['spawnpoint'],
  run: ({ args }) => {
    const players = args.playersOrSelf()
    const { position, angle } = readPlace(args)
    args.end()
    for (const player of players)
      Object.assign(player, { spawnPoint: position, spawnAngle: angle, isBedSpawn: false })
    const before = [...shown(position).toArray(), floatText(angle), dimensionAt(position)]
    return new Reply(oneOrMany('commands.spawnpoint.success', players, { before }))
  }
}

/** @type {import('../index.js').Command} */
export const seed = {
  names: ['seed'],
  run: ({ serv, args }) => {
    args.end()
    return told('commands.seed.success', `[${serv.seed}]`).worth(serv.seed)
  }
}
