/**
 * Columns stay loaded here anyway; the command exists so that what a scenario sends to Paper is
 * answered alike.
 * @type {import('./index.js').Command}
 */
export const command = {
  names: ['forceload'],
  usage: 'forceload add|remove <from> [to]',
  run: ({ serv, args }) => {
    const action = args.oneOf(['add', 'remove'])
    const [x, z] = [args.integer(), args.integer()]
    const [x2, z2] = args.done ? [x, z] : [args.integer(), args.integer()]
    args.end()
    let count = 0
    for (let chunkX = Math.min(x, x2) >> 4; chunkX <= Math.max(x, x2) >> 4; chunkX++) {
      for (let chunkZ = Math.min(z, z2) >> 4; chunkZ <= Math.max(z, z2) >> 4; chunkZ++) {
        serv.columnAt(chunkX, chunkZ)
        count++
      }
    }
    const verb = action === 'add' ? 'to be' : 'to no longer be'
    return `Marked ${count} chunk(s) in minecraft:overworld ${verb} force loaded`
  }
}
