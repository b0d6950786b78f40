import { translated } from '../../minecraft/texts.js'
import { CommandError, said, told } from '../replies.js'

const NAMES = ['peaceful', 'easy', 'normal', 'hard']
/** @param {number} level */
const title = (level) => translated(`options.difficulty.${NAMES[level]}`)

/** @type {import('../index.js').Command} */
export const command = {
  names: ['difficulty'],
  run: ({ serv, args }) => {
    if (args.done) return told('commands.difficulty.query', title(serv.difficulty))
    const level = NAMES.indexOf(args.oneOf(NAMES))
    args.end()
    if (level === serv.difficulty)
      throw new CommandError('commands.difficulty.failure', NAMES[level])
    serv.difficulty = level
    serv.send(serv.players, 'difficulty', { difficulty: NAMES[level], difficultyLocked: false })
    return said('commands.difficulty.success', title(level))
  }
}
