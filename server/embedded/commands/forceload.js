import { CommandError, said } from './replies.js'

/** As in vanilla. */
const MOST_COLUMNS = 256

/**
 * Columns stay loaded here anyway; the command exists so that what a scenario sends to Paper is
 * answered alike.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['forceload'],
  branches: ['add', 'remove'],
  run: ({ serv, args }) => {
    const action = args.oneOf(['add', 'remove'])
    const [x, z] = [args.integer(), args.integer()]
    const [x2, z2] = args.done ? [x, z] : [args.integer(), args.integer()]
    args.end()
    const reach = (/** @type {number} */ a, /** @type {number} */ b) =>
      Math.abs((a >> 4) - (b >> 4)) + 1
    const size = reach(x, x2) * reach(z, z2)
    if (size > MOST_COLUMNS) {
      throw new CommandError('commands.forceload.toobig', MOST_COLUMNS, size)
    }
    let count = 0
    for (let chunkX = Math.min(x, x2) >> 4; chunkX <= Math.max(x, x2) >> 4; chunkX++) {
      for (let chunkZ = Math.min(z, z2) >> 4; chunkZ <= Math.max(z, z2) >> 4; chunkZ++) {
        serv.columnAt(chunkX, chunkZ)
        count++
      }
    }
    const key = `commands.forceload.${action === 'add' ? 'added' : 'removed'}`
    const column = (/** @type {number} */ a, /** @type {number} */ b) => `[${a >> 4}, ${b >> 4}]`
    const [low, high] = [
      column(Math.min(x, x2), Math.min(z, z2)),
      column(Math.max(x, x2), Math.max(z, z2))
    ]
    if (count === 1) return said(`${key}.single`, low, 'minecraft:overworld')
    return said(`${key}.multiple`, count, 'minecraft:overworld', low, high).worth(count)
  }
}
