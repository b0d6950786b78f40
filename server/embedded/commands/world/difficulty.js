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

/** @type {import('../index.js').Command} */
export const gamerule = {
  names: ['gamerule'],
  run: ({ serv, args }) => {
    const name = args.oneOf(Object.keys(serv.gamerules))
    const before = serv.gamerules[name]
    if (args.done)
      return told('commands.gamerule.query', name, String(before)).worth(Number(before))
    const value = typeof before === 'boolean' ? args.boolean() : args.integer()
    args.end()
    serv.setGamerule(name, value)
    return said('commands.gamerule.set', name, String(value)).worth(Number(value))
  }
}
