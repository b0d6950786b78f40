import { stateAt } from '../plugins/blocks.js'
import { change } from './fill.js'
import { CommandError } from './reader.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['setblock'],
  usage: 'setblock <pos> <block> [destroy|keep|replace]',
  run: ({ serv, args }) => {
    const position = args.blockPosition()
    const { state } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(['destroy', 'keep', 'replace'])
    args.end()
    serv.loadBox(position, position)
    const before = stateAt(serv.overworld, position)
    const isKept = mode === 'keep' && before !== 0
    if (before === state && !isKept) serv.emptyContainer(position)
    if (before === state || isKept) throw new CommandError('Could not set the block')
    change(serv, position, state, mode === 'destroy')
    return `Changed the block at ${position.x}, ${position.y}, ${position.z}`
  }
}
