import { CommandError } from './reader.js'
import { stateAt } from '../plugins/blocks.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['setblock'],
  usage: 'setblock <pos> <block> [destroy|keep|replace]',
  run: async ({ serv, args }) => {
    const position = args.blockPosition()
    const { state } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(['destroy', 'keep', 'replace'])
    args.end()
    await serv.overworld.getColumn(position.x >> 4, position.z >> 4)
    const before = stateAt(serv.overworld, position)
    const changed = before !== state && !(mode === 'keep' && before !== 0)
    if (!changed && before !== state) throw new CommandError('Could not set the block')
    serv.removeContainer(position)
    if (!changed) throw new CommandError('Could not set the block')
    await serv.setBlock(serv.overworld, position, state)
    return `Changed the block at ${position.x}, ${position.y}, ${position.z}`
  }
}
