import { CommandError } from './reader.js'

const NAMES = ['peaceful', 'easy', 'normal', 'hard']
/** @param {number} level */
const title = (level) => `${NAMES[level][0].toUpperCase()}${NAMES[level].slice(1)}`

/** @type {import('./index.js').Command} */
export const command = {
  names: ['difficulty'],
  usage: 'difficulty [peaceful|easy|normal|hard]',
  run: ({ serv, args }) => {
    if (args.done) return `The difficulty is ${title(serv.difficulty)}`
    const level = NAMES.indexOf(args.oneOf(NAMES))
    args.end()
    if (level === serv.difficulty) {
      throw new CommandError(`The difficulty did not change; it is already set to ${NAMES[level]}`)
    }
    serv.difficulty = level
    serv.send(serv.players, 'difficulty', { difficulty: NAMES[level], difficultyLocked: false })
    return `The difficulty has been set to ${title(level)}`
  }
}
