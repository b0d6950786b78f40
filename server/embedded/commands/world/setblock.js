import { stateAt } from '../../blocks/blocks.js'
import { shown } from '../../world/dimensions.js'
import { change } from './fill.js'
import { CommandError, said } from '../replies.js'

/** @type {import('../index.js').Command} */
export const command = {
  names: ['setblock'],
  run: ({ serv, args }) => {
    const position = args.blockPosition()
    const { state, data } = args.block()
    const mode = args.done ? 'replace' : args.oneOf(['destroy', 'keep', 'replace'])
    args.end()
    serv.loadBox(position, position)
    const before = stateAt(serv.overworld, position)
    const isKept = mode === 'keep' && before !== 0
    if (before === state && !isKept) serv.emptyContainer(position)
    if ((before === state && !data) || isKept) throw new CommandError('commands.setblock.failed')
    change(serv, position, state, mode === 'destroy')
    if (data) serv.writeBlock(position, data)
    return said('commands.setblock.success', ...shown(position).toArray())
  }
}
