/** @import { Vec3 } from '../types.d.ts' */

/** @type {import('./index.js').Command} */
export const command = {
  names: ['setworldspawn'],
  usage: 'setworldspawn [pos]',
  run: ({ serv, args }) => {
    const position = args.done ? args.origin().floored() : args.blockPosition()
    args.end()
    serv.worldSpawn = position.offset(0.5, 0, 0.5)
    serv.send(serv.players, 'spawn_position', { location: position, angle: 0 })
    return `Set the world spawn point to ${position.x}, ${position.y}, ${position.z} [0.0]`
  }
}

/** @type {import('./index.js').Command} */
export const spawnpoint = {
  names: ['spawnpoint'],
  usage: 'spawnpoint [targets] [pos]',
  run: ({ source, args }) => {
    const players = args.done && source.player ? [source.player] : args.players()
    const position = args.done ? null : args.blockPosition()
    args.end()
    for (const player of players) player.spawnPoint = position ?? player.position.floored()
    const { x, y, z } = /** @type {Vec3} */ (players[0].spawnPoint)
    const who = players.length === 1 ? players[0].username : `${players.length} players`
    return `Set spawn point to ${x}, ${y}, ${z} [0.0] in minecraft:overworld for ${who}`
  }
}

/** @type {import('./index.js').Command} */
export const seed = {
  names: ['seed'],
  usage: 'seed',
  run: ({ serv, args }) => {
    args.end()
    return `Seed: [${serv.seed}]`
  }
}
