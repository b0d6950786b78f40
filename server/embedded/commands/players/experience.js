import { nameOfPlayer, oneOrMany } from '../../minecraft/texts.js'
import { CommandError, Reply, told } from '../replies.js'

const KINDS = /** @type {const} */ (['levels', 'points'])

/** @type {import('../index.js').Command} */
export const command = {
  names: ['experience', 'xp'],
  run: ({ args }) => {
    const action = args.oneOf(['add', 'set', 'query'])
    if (action === 'query') return query(args)
    const players = args.players()
    const amount = args.integer(action === 'set' ? { min: 0 } : {})
    const kind = args.done ? 'points' : args.oneOf(KINDS)
    args.end()
    if (action === 'add') {
      for (const player of players) {
        if (kind === 'levels') player.addLevels(amount)
        else player.addExperience(amount)
      }
    } else set(players, amount, kind)
    const key = `commands.experience.${action}.${kind}.success`
    return new Reply(oneOrMany(key, players, { before: [amount] })).worth(players.length)
  }
}

/**
 * @param {import('../../types/index.d.ts').Player[]} players @param {number} amount
 * @param {'levels' | 'points'} kind
 */
function set(players, amount, kind) {
  const able = players.filter((player) => kind === 'levels' || player.setPoints(amount))
  if (!able.length) throw new CommandError('commands.experience.set.points.invalid')
  if (kind === 'levels') for (const player of players) player.addLevels(amount - player.level)
}

/** @param {import('../arguments/reader.js').Reader} args */
function query(args) {
  const [player] = args.players()
  const kind = args.oneOf(KINDS)
  args.end()
  const value = kind === 'levels' ? player.level : player.points
  return told(`commands.experience.query.${kind}`, nameOfPlayer(player), value).worth(value)
}
